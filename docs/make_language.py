"""Writes docs/language.md out of grammar, vocabulary, gestures and key map: python docs/make_language.py"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from puppet.body import Body  # noqa: E402
from puppet.command import MAX_FRAME  # noqa: E402
from puppet.keys import load_key_map  # noqa: E402
from puppet.keys.key_map import FORMS  # noqa: E402
from puppet.language.checker import MAX_CALL_DEPTH, MAX_COMMANDS  # noqa: E402
from puppet.language.parser import GRAMMAR  # noqa: E402
from puppet.language.reader import (  # noqa: E402
    CALCULATIONS_A_MEGABYTE,
    LINES_A_MEGABYTE,
    MAX_LINE,
    MAX_LINES,
    MAX_NESTING,
    WORDS_A_MEGABYTE,
)
from puppet.language.syntax_mistakes import KEYWORDS  # noqa: E402
from puppet.language.vocabulary import CHOICES, PRIMITIVE_MEANINGS, PRIMITIVE_NAMES, PRIMITIVES_OF  # noqa: E402
from puppet.tasks import load_gestures  # noqa: E402

TARGET = ROOT / "docs" / "language.md"

# What each statement of the grammar is for: a title, and rows of an example and its meaning.
CHAPTERS: list[tuple[str, str, dict[str, list[tuple[str, str]]]]] = [
    (
        "The script itself",
        "Each may stand anywhere outside of blocks, once, and holds for the whole script.",
        {
            "environment": [('environment "blocks.yaml"', "the scene: beside the script, else among those of puppet")],
            "body": [("body person", "the body: one of puppet's or a file; else the environment's, else the default")],
            "fps": [("fps 25", "frames a second; 30 where nothing is said")],
            "physics": [
                ("physics on", "as contact forces can cause it, until `physics off`: see [physics](physics.md)")
            ],
        },
    ),
    (
        "Tasks",
        "A task moves one hand. Behind it, after commas, stand motion primitives for this task alone.",
        {
            "reach_object": [
                ("reach yellow with left", "a hand to an object; a hand that holds something puts it on that object"),
                ('reach the "big cup" with the left hand, grip side', "`the` and `hand` where English wants them"),
            ],
            "reach_space": [("reach space 1 with right", "a hand to a space; what it holds goes along")],
            "reach_hand": [("reach left space with right", "to a hand's space: what is put there lies in its palm")],
            "reach_point": [("reach (0.1, 0.75, 0.3) with left", "to a point of the world")],
            "reach_nearest": [
                ("reach nearest block with either hand", "the nearest free thing of that `kind:` in the environment")
            ],
            "take": [
                ("take cup with left, grip side", "reaches for it and takes hold: a reach and a lock in one"),
                ("take box with both hands", "from both sides at once"),
                ("take cup with either hand", "the better one: free, in reach, near; the report says which and why"),
            ],
            "take_nearest": [("take nearest block with left", "the nearest one of a kind")],
            "put_on_object": [("put cup on saucer", "the hand that holds it puts it on another thing and lets go")],
            "put_on_space": [("put cup on space 2", "the same, on a space")],
            "put_on_hand": [("put cup on right space", "the same, into a hand, whose palm is turned up for it")],
            "give": [("give cup to right", "another hand takes it, then the one that held it lets go")],
            "point_at": [("point at lamp with right", "a thing, a space, a hand or a point")],
            "slide": [
                ("slide left by (0.05, 0, -0.1)", "from where the hand is, in world axes; it keeps its orientation"),
                (
                    "slide left by (0, 0.08, 0) turn bottom",
                    "and turns to the orientation of a grip; a palm that is up stays so",
                ),
                (
                    "slide right by (0, 0.1, 0) turn (0, 45, 0)",
                    "degrees about x, y, z from the zero posture, R = Rz Ry Rx; the right hand is mirrored",
                ),
            ],
            "gesture": [
                ("scratch head with left, speed 20", "a general task by its words"),
                ('pour pot into "blue cup" with left', "one that names its things; without names it finds them"),
                ("wave with both hands", "each hand does it, at the same time"),
            ],
            "perform": [("perform wave with right", "the same; for one that begins like another command")],
            "pose": [("pose head at (10, 0, 0), speed 10", "a joint turned directly: degrees about its x, y, z axes")],
        },
    ),
    (
        "The head",
        "The head does these beside what the hands do, unless a gesture needs it.",
        {
            "look_at": [
                ("look at lamp", "a thing, or else a space, by its name; until something else is looked at"),
                ("look at left hand", "also: `space 2`, or a point `(0, 1, 0.5)`"),
            ],
            "look_ahead": [("look ahead", "and from then on at what the hands do again")],
            "nod": [("nod", "the head ends as it began")],
            "shake_head": [("shake head", "the same, from side to side")],
        },
    ),
    (
        "Names of tasks, and when others begin",
        "Every task, of hands, of the head and of the body, may have a name before a colon. Others begin or go on with "
        "it, whatever the durations become. A relation may stand before the task that it names. A task that waits "
        "for its moment holds up the later tasks of its own limb, and no others; with a relation, a task may overlap "
        "unless it says otherwise. `puppet check` tells names that are unknown or given twice, and tasks that would "
        "wait for themselves. What waits for a task that is rejected or dropped is rejected too, and so is what could "
        "only begin when the moment until which it goes on is over. Where the body cannot keep a relation, as with a "
        "nod while the head is busy, the task is `adjusted`, and its reason says by how many frames and why.",
        {
            "labelled": [
                ("pouring: pour with right", "a task with a name"),
                ("nod, when pouring ends", "begins as that one ends"),
                ("look at lamp, when pouring starts + 10", "frames later; or `0.5s`"),
                ("nod, when pouring ends - 10", "that long before it ends, however long it takes; or `starts - 10`"),
                (
                    "wave with left, until pouring ends",
                    "a gesture that goes in cycles goes on until then, to the frame; or `until pouring starts`",
                ),
            ],
        },
    ),
    (
        "The whole body",
        "A part of the body is called as its joint, with or without `_`: `left foot`, `left_foot`. These commands wait "
        "for all that was given before them. A body with legs sits, with its pelvis and its feet pinned. Drags of "
        "the same point, one after the other, are one: joints are drawn to where they were before the first.",
        {
            "pin": [
                ("pin left foot", "keeps it where it is, whatever else is dragged"),
                ("pin right hand to (0.2, 0.9, 0.3), gain 0.5", "brings it to a place or a thing; gain from 0 to 1"),
                ("pin left foot, turn (0, 30, 0)", "turned so in the world: degrees about x, y, z, R = Rz Ry Rx"),
            ],
            "unpin": [("unpin left foot", "lets it go")],
            "drag_to": [("drag right hand to (0.2, 0.9, 0.3), speed 40", "to a place or a thing; all of it follows")],
            "drag_by": [
                ("drag pelvis by (0, -0.1, 0)", "by a vector, in world axes"),
                ("drag head by (0, 0, 0.1), point (0, 0.1, 0)", "a point of the part, in its own coordinates"),
            ],
            "walk_to": [
                ("walk to (0.4, 1.2)", "a place x, z on the floor"),
                ("walk to table", "in front of a thing, facing it"),
            ],
            "turn_by": [("turn by 90", "degrees to the left")],
            "turn_to": [("turn to lamp", "to face a thing or a place")],
            "step_to": [("step left to (0.1, 0.3)", "one foot to a place x, z; the other comes beside it")],
            "sit_down": [("sit down", "on the nearest seat, after walking there")],
            "stand_up": [("stand up", "from a seat or a crouch")],
            "crouch": [("crouch", "the knees bent, the heels lifted, until `stand up` or another way of going")],
            "jump_to": [
                ("jump to (0, 0.8), height 0.3", "a place on the floor; how high the body rises, in its own heights"),
                ("jump to (0, 0.8), speed 20", "the same by its time in the air"),
            ],
            "swing_from": [("swing from bar, turns 3", "hang from a bar, swing to and fro, and let go")],
            "balance": [("balance off", "a body that stands on pinned feet no longer keeps its weight over them")],
            "push": [("push chest by (60, 0, 0) for 6", "a force in newtons for some frames; it needs physics")],
        },
    ),
    (
        "Motion primitives",
        "",
        {
            "setting": [
                ("set grip top", "for all later tasks; each copies what is set when it is given"),
                ("set interrupt on", "every later task interrupts, until `set interrupt off`"),
            ],
        },
    ),
    (
        "Locks and the queue",
        "Tasks wait in a queue, first come, first served.",
        {
            "lock": [("lock left", "the hand stays with its last task; a lock on a reached object is a grasp")],
            "unlock": [("unlock left", "lets go")],
            "release": [("release left", "lets go of what the hand holds; `both hands` of all that is held")],
            "freeze": [("freeze", "drops everything, stops now")],
            "interrupt": [("interrupt scratch head with left", "drops everything, does this instead")],
        },
    ),
    (
        "Time",
        "Times are whole frames, or seconds with an `s` behind them: `1.5s`.",
        {
            "at": [("at 92", "what follows is given at frame 92"), ("at 3.5s", "or at a time")],
            "wait": [("wait 20", "what follows is given 20 frames later")],
            "wait_until_done": [("wait until done", "what follows is given when the queue is empty")],
            "wait_for": [("wait for pouring", "what follows is given when the task of that name has ended")],
            "record_start": [("record start", "begins what is written to the output; without it, everything is")],
            "record_stop": [("record stop", "ends it")],
        },
    ),
    (
        "Words of your own",
        "A block ends with `end`. Blocks may stand in blocks, definitions only outside of them.",
        {
            "define": [("define lift(thing, side)", "begins a definition; the brackets are needed, even empty ones")],
            "repeat": [("repeat 3", "begins a block that is carried out three times")],
            "repeat_as": [("repeat 3 as n", "the same; in the block `n` is 1, then 2, then 3")],
            "end": [("end", "ends a block")],
            "call": [("lift(cup, left)", "carries out a definition")],
            "import_words": [('import "words.puppet"', "the definitions of another script, and nothing else of it")],
        },
    ),
    (
        "Numbers",
        "Wherever a number or a time stands, it may be computed: `+ - * /`, brackets, names. A minus sign has blanks "
        "around it, since `a-b` is a name. Frames and counts that were computed are rounded. A name given by `let` "
        "holds from there on: to the end of its block, and outside of blocks in all later calls as well.",
        {
            "let": [
                ("let up = 0.08", "a name for a number, a time, another name, or three values in brackets"),
                ("let pause = 2 * 0.5s", "computed: a time and a number can be multiplied, but not added"),
            ],
            "seed": [("seed 7", "random numbers from here on: the same for the same seed, on every machine; else 0")],
        },
    ),
]
SCOPING = """\
- A definition is known in the whole file: it may be called before it is written. Two of one name are a mistake.
- A parameter can stand for an object, a space, a hand, a grip, a number, a time, a gesture, or three values in
  brackets. In its definition it hides an object or space of the same name; a name in quotes is never a parameter. It is
  not known in other definitions that are called from there.
- What is given to a call may be a parameter of the definition that the call stands in.
- A definition cannot call itself, at once or through others.
- A block with nothing in it is a mistake.
"""
CURVES = {
    "sine": "slow, fast, slow",
    "accelerate": "faster and faster",
    "decelerate": "fast at first, then slower and slower",
    "linear": "the same speed throughout",
    "smooth": "slow, fast, slow with the least jerk",
}


def statements(grammar: str) -> list[str]:
    """The rules that a line can be, in the grammar's order."""
    rules = dict(re.findall(r"^\??(\w+): (.*(?:\n +\|.*)*)", grammar, re.MULTILINE))
    found = []
    open_rules = ["statement"]
    while open_rules:
        for name in re.findall(r"\w+", rules[open_rules.pop(0)]):
            if name in ("action", "task"):
                open_rules.append(name)
            else:
                found.append(name)
    return found


def build() -> str:
    """The text of docs/language.md."""
    grammar = GRAMMAR.read_text(encoding="utf-8")
    told = [name for _, _, rows in CHAPTERS for name in rows]
    missing, extra = set(statements(grammar)) - set(told), set(told) - set(statements(grammar))
    if missing or extra:
        raise SystemExit(f"statements without a description: {sorted(missing)}; descriptions too many: {sorted(extra)}")
    parts = [
        "# The task language",
        "<!-- made by docs/make_language.py: change that, not this -->",
        "A script (`.puppet`) tells a puppet what to do, one statement a line. `#` starts a comment. Words are lower "
        "case. A name that is not a plain word (letters, digits, `_`, `-`), or that is a word of the language, is "
        'written in quotes: `"big cup"`. Blanks, tabs and line ends of any kind do not matter. `puppet check SCRIPT` '
        "tells every mistake at once. [Every word](words.md) has a section with a script and a picture.",
    ]
    for title, words, rows in CHAPTERS:
        table = [row for name in rows for row in rows[name]]
        parts += [f"## {title}", *([words] if words else []), _table(("statement", "meaning"), table)]
        if title == "Motion primitives":
            parts += _primitives()
        if title == "Numbers":
            parts += [RANDOM.rstrip()]
        if title == "Words of your own":
            example = (ROOT / "scripts" / "10_words_of_your_own.puppet").read_text(encoding="utf-8")
            parts += [SCOPING.rstrip(), f"```puppet\n{example.rstrip()}\n```"]
    parts += _gestures() + _keys() + _limits()
    parts += ["## The grammar", f"```lark\n{grammar.rstrip()}\n```"]
    words = ", ".join(f"`{word}`" for word in sorted(KEYWORDS))
    parts += ["Words of the language: " + words + "."]
    return "\n\n".join(parts) + "\n"


RANDOM = """\
`random(20, 40)` is a number between two, a new one each time it is come to. `puppet check` looks at all that it could
be: what may be out of range or divide by zero is a mistake before anything is drawn.
"""


def _table(head: tuple[str, ...], rows: list[tuple[str, str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    return "\n".join([*lines, *(f"| `{first}` | {second} |" for first, second in rows)])


def _primitives() -> list[str]:
    rows = []
    for name in PRIMITIVE_NAMES:
        values = f": {', '.join(f'`{value}`' for value in CHOICES[name])}" if name in CHOICES else ""
        tasks = [task for task, names in PRIMITIVES_OF.items() if name in names]
        rows.append((name, f"{PRIMITIVE_MEANINGS[name]}{values} (for {', '.join(tasks)})"))
    curves = [(name, CURVES[name]) for name in CHOICES["curve"]]
    return [_table(("primitive", "what it is"), rows), _table(("curve", "how it goes"), curves)]


def _gestures() -> list[str]:
    gestures = load_gestures(Body.load())
    forms = []
    for name, gesture in sorted(gestures.items()):
        things = [" ".join(filter(None, (need.word, "THING"))) for need in gesture.things]
        forms.append(f"`{' '.join([name, *(f'[{thing}]' for thing in things)])}`")
    words = (
        f"These come with puppet: {', '.join(forms)}. What is in square brackets may be left out. Others are written "
        "in YAML as in `puppet/data/gestures/everyday.yaml`, for the left hand; the right hand gets the mirror image."
    )
    return ["## Gestures", words]


def _keys() -> list[str]:
    actions = _key_texts()
    words = (
        "A key-stroke script (`.keys`) is a line of keys, then a frame number, then a line of keys that is played at "
        "that frame, and so on. It names no environment. Blanks between keys mean nothing. `puppet convert` turns it "
        "into a script and, where there are keys for it, a script into keys. This is the key map "
        "`puppet/data/keys/thesis.yaml`; one of your own may give any command of the language to a key, and what no "
        "command says: "
        + ", ".join(f"`{form}`" for form in FORMS) + "."
    )  # fmt: skip
    rows = [(key.replace("|", "\\|") if key != "`" else key, text) for key, text in actions]
    return ["## Key strokes", words, _table(("key", "what it does"), rows)]


def _key_texts() -> list[tuple[str, str]]:
    """Keys and their words, as the file has them."""
    from puppet.files.strict_yaml import read

    load_key_map()  # which checks it
    root = read(ROOT / "puppet" / "data" / "keys" / "thesis.yaml")
    return [(key, node.text()) for key, node in root.fields(required=("keys",))["keys"].items()]


def _limits() -> list[str]:
    words = (
        f"A script has at most {MAX_LINES:,} lines of {MAX_LINE:,} characters, {LINES_A_MEGABYTE:,} lines and "
        f"{CALCULATIONS_A_MEGABYTE:,} calculations and brackets a megabyte, {WORDS_A_MEGABYTE:,} words and signs a "
        f"megabyte in lines that are not like others but for names and numbers, {MAX_COMMANDS:,} commands when all is "
        f"unrolled, {MAX_NESTING} blocks in blocks, {MAX_CALL_DEPTH} calls in calls, and {MAX_FRAME:,} frames."
    )
    return ["## Limits", words]


if __name__ == "__main__":
    TARGET.write_text(build(), encoding="utf-8", newline="\n")
    print(f"wrote {TARGET.relative_to(ROOT)}")
