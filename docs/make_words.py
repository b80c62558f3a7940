"""Writes docs/words.md, every word of the language with a picture: python docs/make_words.py [--pictures [WORD ...]]

With `--pictures`, the scripts are carried out and their pictures made; with words behind it, only these words'.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from puppet.body import Body  # noqa: E402
from puppet.language.syntax_mistakes import VERBS  # noqa: E402
from puppet.tasks import load_gestures  # noqa: E402

TARGET = ROOT / "docs" / "words.md"
PICTURES = ROOT / "docs" / "pictures"
COFFEE, HALL = 'environment "coffee.yaml"\n', 'environment "hall.yaml"\n'
SHEET, TIMELINE = "sheet", "timeline"  # kinds of pictures
SIZE, COLUMNS = "230x172", 4
_POUR = "take pot with left, grip side\npouring: pour pot into cup with left\n"

# Each word: the statements of the reference that have it, a script that uses it, and what is to be seen of that.
WORDS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "reach": (
        ("reach_object", "reach_space", "reach_hand", "reach_point", "reach_nearest"),
        COFFEE + "reach cup with left, grip side",
        SHEET,
    ),
    "take": (("take", "take_nearest"), COFFEE + "take cup with left, grip side\nslide left by (0, 0.1, 0)", SHEET),
    "put": (
        ("put_on_object", "put_on_space", "put_on_hand"),
        COFFEE + 'take cup with left, grip side\nput cup on "blue cup"',
        SHEET,
    ),
    "give": (("give",), COFFEE + "take cup with left, grip side\ngive cup to right", SHEET),
    "release": (("release",), COFFEE + "take jar with right, grip side\nrelease right\nwave with right", SHEET),
    "point": (("point_at",), COFFEE + "point at lamp with right", SHEET),
    "look": (("look_at", "look_ahead"), COFFEE + "look at lamp\nwait until done\nlook ahead", SHEET),
    "nod": (("nod",), COFFEE + "nod", SHEET),
    "shake": (("shake_head",), COFFEE + "shake head", SHEET),
    "slide": (("slide",), COFFEE + "slide left by (0.05, 0.1, 0.1) turn bottom", SHEET),
    "perform": (("perform",), COFFEE + "perform wave with right", SHEET),
    "scratch head": (("gesture",), COFFEE + "scratch head with left", SHEET),
    "check watch": (("gesture",), COFFEE + "check watch with right", SHEET),
    "drink": (("gesture",), COFFEE + "take cup with left, grip side\ndrink from cup with left", SHEET),
    "pour": (("gesture",), COFFEE + _POUR.replace("pouring: ", "").rstrip(), SHEET),
    "turn on lamp": (("gesture",), COFFEE + "turn on lamp with right", SHEET),
    "wave": (("gesture",), COFFEE + "wave with left", SHEET),
    "pose": (("pose",), COFFEE + "pose head at (20, 35, 0), speed 15", SHEET),
    "lock": (("lock",), COFFEE + "reach cup with left, grip side\nlock left\nslide left by (0, 0.1, 0)", SHEET),
    "unlock": (
        ("unlock",),
        COFFEE + "reach jar with right, grip side\nlock right\nunlock right\nslide right by (0, 0.1, -0.05)",
        SHEET,
    ),
    "set": (("setting",), COFFEE + "set grip side\nset speed 20\nreach cup with left\nreach pot with left", SHEET),
    "freeze": (("freeze",), COFFEE + "reach pot with left, speed 40\nwait 14\nfreeze\nwait 10", SHEET),
    "interrupt": (
        ("interrupt",),
        COFFEE + "reach pot with left, speed 40\nwait 14\ninterrupt scratch head with left",
        TIMELINE,
    ),
    "when": (
        ("labelled",),
        COFFEE + _POUR + "nod, when pouring ends\nlook at guest, when pouring starts + 10",
        TIMELINE,
    ),
    "until": (("labelled",), COFFEE + _POUR + "wave with right, until pouring ends", TIMELINE),
    "at": (("at",), COFFEE + "at 20\nreach cup with left, speed 20\nat 60\nnod", TIMELINE),
    "wait": (
        ("wait", "wait_until_done", "wait_for"),
        COFFEE + "reach cup with left, speed 20\nwait until done\nwait 15\nreach pot with left, speed 20",
        TIMELINE,
    ),
    "record": (
        ("record_start", "record_stop"),
        COFFEE + "reach cup with left\nwait until done\nrecord start\nwave with left\nwait until done\nrecord stop",
        SHEET,
    ),
    "define": (
        ("define", "call"),
        COFFEE + "define lift(thing, who)\n    take thing with who, grip side\n    slide who by (0, 0.1, 0)\nend\n"
        "lift(cup, left)",
        SHEET,
    ),
    "repeat": (
        ("repeat", "repeat_as"),
        COFFEE + "take cup with left, grip side\nrepeat 3 as n\n    slide left by (0, 0.03 * n, 0), speed 10\nend",
        SHEET,
    ),
    "end": (("end",), COFFEE + "repeat 2\n    nod\nend", TIMELINE),
    "let": (("let",), COFFEE + "let up = 0.1\ntake cup with left, grip side\nslide left by (0, up, 0)", SHEET),
    "seed": (
        ("seed",),
        COFFEE + "seed 7\nset speed random(10, 40)\nreach cup with left\nset speed random(10, 40)\nreach pot with left",
        TIMELINE,
    ),
    "import": (("import_words",), COFFEE + 'import "10_words_of_your_own.puppet"\nnod', SHEET),
    "environment": (("environment",), 'environment "toys.yaml"\nwave with left', SHEET),
    "body": (("body",), 'environment "blocks.yaml"\nbody person\nreach yellow with left', SHEET),
    "fps": (("fps",), COFFEE + "fps 25\nreach cup with left, speed 2s", TIMELINE),
    "walk": (("walk_to",), HALL + "walk to (0.4, -0.9)", SHEET),
    "turn": (("turn_by", "turn_to"), HALL + "turn by 120", SHEET),
    "step": (("step_to",), HALL + "walk to (-0.7, -0.5)\nstep left to (-0.55, -0.58)", SHEET),
    "sit": (("sit_down",), HALL + "sit down", SHEET),
    "stand": (("stand_up",), HALL + "crouch\nstand up", SHEET),
    "crouch": (("crouch",), HALL + "crouch", SHEET),
    "jump": (("jump_to",), HALL + "jump to (-0.9, -0.36), height 0.2", SHEET),
    "swing": (("swing_from",), HALL + "walk to bar\nswing from bar, turns 2", SHEET),
    "pin": (("pin",), HALL + "pin left hand\ndrag pelvis by (0, -0.1, 0)", SHEET),
    "unpin": (("unpin",), HALL + "unpin left foot\ndrag left foot by (0.05, 0.15, 0.1)", SHEET),
    "drag": (("drag_to", "drag_by"), HALL + "drag right hand by (0.2, 0.3, 0.2), speed 40", SHEET),
    "balance": (("balance",), HALL + "balance off\ndrag head by (0.25, -0.1, 0)", SHEET),
    "push": (("push",), HALL + "physics on\nat 5\npush chest by (60, 0, 0) for 6\nwait 40", SHEET),
    "physics": (("physics",), HALL + "physics on\nat 5\npush chest by (400, 0, 0) for 8\nwait 40", SHEET),
}


def picture_of(word: str) -> Path:
    return PICTURES / f"word_{word.replace(' ', '_')}.png"


def build() -> str:
    """The text of docs/words.md."""
    missing = sorted({*VERBS, *load_gestures(Body.load())} - set(WORDS))
    if missing:
        raise SystemExit(f"words without a section: {missing}")
    rows = {name: row for _, _, chapter in _chapters() for name, row in chapter.items()}
    parts = [
        "# Every word, with a picture",
        "<!-- made by docs/make_words.py: change that, not this -->",
        "The words of the [task language](language.md) one by one: what may be written, a script, and what becomes of "
        "it. A sheet shows four moments from the first frame to the last, a timeline which task has which part of the "
        "body.",
        " · ".join(f"[{word}](#{word.replace(' ', '-')})" for word in WORDS),
    ]
    for word, (statements, script, _) in WORDS.items():
        told = [] if statements == ("gesture",) else [row for name in statements for row in rows[name]]
        parts += [f"## {word}"]
        if told:
            parts += ["\n".join(f"- `{example}`: {meaning}" for example, meaning in told)]
        parts += [f"```text\n{script}\n```"]
        shown = f"<!-- python docs/make_words.py --pictures -->\n![{word}](pictures/{picture_of(word).name})"
        parts += [shown]
    return "\n\n".join(parts) + "\n"


def _chapters() -> list[tuple[str, str, dict[str, list[tuple[str, str]]]]]:
    spec = importlib.util.spec_from_file_location("make_language", ROOT / "docs" / "make_language.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: list[tuple[str, str, dict[str, list[tuple[str, str]]]]] = module.CHAPTERS
    return found


def make_picture(word: str) -> None:
    import puppet

    _, script, kind = WORDS[word]
    target = picture_of(word)
    print(target.relative_to(ROOT), flush=True)
    if kind == TIMELINE:
        from puppet.cli import main

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{word}.puppet"
            path.write_text(script, encoding="utf-8")
            main(["explain", str(path), "-o", str(target)])
        return
    performance = puppet.run(script)
    refused = [task["reason"] for task in performance.report["tasks"] if task["status"] in ("rejected", "missed")]
    if refused:
        print(f"  {word}: {refused}")
    numbers = performance.numbers
    last = len(numbers) - 1
    frames = sorted({numbers[round(last * part / (COLUMNS - 1))] for part in range(COLUMNS)})
    performance.save(target, frames=",".join(map(str, frames)), size=SIZE, columns=COLUMNS)


if __name__ == "__main__":
    words = sys.argv[2:] or list(WORDS)
    if sys.argv[1:2] == ["--pictures"]:
        for each in words:
            make_picture(each)
    TARGET.write_text(build(), encoding="utf-8", newline="\n")
    print(f"wrote {TARGET.relative_to(ROOT)}")
