"""How people say things that the language says in another way: a wrong line in, the line that says it here out."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Pieces of the patterns below: {thing} and {place} are one or more words, {hand} a hand, {n} a number, {any} anything.
_PIECES: Mapping[str, str] = {
    "thing": r"(?:the |an? |my |your |his |her )?(?P<{name}>[\w\"](?:(?! with )[\w\- \"])*?)",
    "hand": r"(?:the |my |your |his |her )?(?P<{name}>left|right)(?: hand| arm)?",
    "hands": r"(?:the |my |your )?(?P<{name}>left|right|either|both)(?: hands?)?",
    "n": r"(?P<{name}>\d+(?:\.\d+)?)",
    "any": r"(?P<{name}>.+?)",
    "task": r"(?:the )?(?P<{name}>\w+)",
}
_TAKE = "(?:take|grab|grasp|get|fetch|catch|hold|lift|seize|pick up|pick|lift up)"
_BESIDE = "(?:next to|beside|near|behind|before|in front of|under|below|left of|right of)"
_TIMES = "(?P<n>\\d+|twice|thrice|two|three)(?: times)?"
_SECONDS = "(?: ?s| ?sec| ?secs| ?seconds?)"
_SLOW, _FAST = "(?:slow|slowly|gently|carefully)", "(?:fast|quick|quickly|faster)"
_PART = "(?:head|nose|mouth|chin|hair|face|ear)"
# The first pattern that fits a whole line tells what to write instead; lines are parted by " / ".
_IDIOMS: tuple[tuple[str, str], ...] = (
    # one line, two commands
    ("{any} (?:and then|then|and|&) {any2}", "every command has a line of its own: {any} / {any2}"),
    ("(?:then|now|next|please) {any}", "write: {any}"),
    (
        "(?:go home|return|rest|relax|put (?:the )?hands down|idle)",
        "hands go to rest by themselves where no task needs them; write: wait until done",
    ),
    # taking, putting and giving
    (f"{_TAKE} (?:any|some) {{thing}} with {{hands}}", "write: take nearest {thing} with {hands}"),
    (f"{_TAKE} {{thing}} (?:from|off|out of|on) {{place}} with {{hands}}", "write: take {thing} with {hands}"),
    (f"{_TAKE} {{thing}} with {{hands}}", "write: take {thing} with {hands}"),
    (f"{_TAKE} {{thing}} (?:in|into) {{hand}}", "write: take {thing} with {hand}"),
    ("(?:get|stand) up", "write: stand up"),
    ("(?:hold|stand|keep|stay) still", "write: freeze"),
    ("(?:hold|lift|raise) (?:both )?(?:hands|arms)", "write: slide left by (0, 0.1, 0), and the same for right"),
    ("(?:lift|raise|lift up|raise up) {hand}(?: by {n})?", "write: slide {hand} by (0, {n|0.1}, 0)"),
    ("(?:lower|sink) {hand}(?: by {n})?", "write: slide {hand} by (0, -{n|0.1}, 0)"),
    ("slide {hand} (?P<way>up|down|left|right|forwards?|back|backwards?)(?: by {n})?", "write: slide {hand} by {way}"),
    (f"{_TAKE} {{thing}}", "write: take {thing} with left"),
    ("(?:drop|release|let go of|free|put down|lay down|set down) {hand}", "write: release {hand}"),
    ("(?:let go|release|drop|unlock|release (?:all|everything))", "write: release left, or: release both hands"),
    ("(?:drop|release|let go of|let {thing2} go) ?{thing}?", "write: release left, or: put {thing|cup} on a space"),
    ("(?:put|lay|set) (?:down )?{thing} (?:down|back|away)", "say where: put {thing} on space NAME, or on a thing"),
    ("(?:put|lay|set) down {thing}", "say where: put {thing} on space NAME, or on a thing"),
    ("(?:put|place|lay) {hand} on {place}", "write: reach space NAME with {hand}, or: reach (x, y, z) with {hand}"),
    ("(?:put|place|lay|give|hand|pass) {thing} (?:in|into|to|on) {hand}", "write: give {thing} to {hand}"),
    (
        f"(?:put|place|lay|move) {{thing}} {_BESIDE} {{place}}",
        "things stand on spaces and on things: put {thing} on space NAME",
    ),
    (
        "(?:put|place|lay|stack|set|leave) {thing} (?:in|into|onto|at|above|over|on|upon|on top of) {place}",
        "write: put {thing} on {place}",
    ),
    (
        "(?:move|bring|reach|send|stretch) {hand} (?:out )?(?:to|towards?|on) {place}",
        "write: reach {place} with {hand}",
    ),
    ("(?:bring|move|carry) {thing} to (?:the )?mouth(?: with {hand})?", "write: drink from {thing} with {hand|left}"),
    ("(?:move|bring|carry|take) {thing} to {place}(?: with {hand})?", "take it, then write: put {thing} on {place}"),
    ("(?:stack|store|leave) {thing}", "write: put {thing} on another thing, or: put {thing} on space NAME"),
    (
        "(?:push|pull|shove) {thing}(?: by (?P<by>\\(.+\\)))?(?: with {hand})?",
        "take it, then write: slide {hand|left} by {by|(0, 0, 0.1)}",
    ),
    ("slide {thing} by (?P<by>\\(.+\\))", "a hand slides, with what it holds: slide left by {by}"),
    # the head
    ("look (?P<way>left|right|up|down)", "write: look at {way}"),
    ("look (?:away|around|forwards?|straight|straight ahead|front)", "write: look ahead"),
    ("look (?:at )?(?:the )?(?:camera|viewer|audience|me|us)", "write: look ahead, or at a point: look at (0, 1, 3)"),
    (
        "(?:look|gaze|stare|glance|watch|see|face) (?:at|to|towards?|on|over at|into)? ?{place} with {hand}",
        "write: look at {place}",
    ),
    (
        "(?:look|gaze|stare|glance|watch|see|face) (?:to|towards?|on|over at|into|at)? ?{place}",
        "write: look at {place}",
    ),
    ("(?:turn|rotate|move) (?:the )?head (?:to|towards?) {place}", "write: look at {place}"),
    (
        "(?:turn|rotate|tilt|move|bend) (?:the )?head(?: (?P<side>\\w+))?",
        "write: pose head at (0, 30, 0), in degrees about x, y, z",
    ),
    (f"(?P<any>nod|shake head) {_TIMES}", "write: repeat {n} / {any} / end"),
    ("(?P<any>nod|shake head) with {hand}", "write: {any}"),
    # pointing, reaching and gestures
    ("point (?:to|towards?|at) {place} with {hands}", "write: point at {place} with {hands}"),
    ("point (?P<way>left|right|up|down)(?: with {hands})?", "write: point at {way} with {hands|right}"),
    ("(?:point|show|indicate) (?:to|towards?|at)? ?{place}", "write: point at {place} with right"),
    ("reach (?:for|to|towards?|out to|out for|at) {thing} with {hands}", "write: reach {thing} with {hands}"),
    ("reach {n}, ?{n2}, ?{n3} with {hands}", "write: reach ({n}, {n2}, {n3}) with {hands}"),
    ("reach {thing} {hand}", "write: reach {thing} with {hand}"),
    (f"touch (?:the )?{_PART} with {{hand}}", "write: scratch head with {hand}"),
    (
        "(?:reach|touch)(?: (?:for|to|out))?(?: {thing})?",
        "say which thing and which hand: reach {thing|THING} with left",
    ),
    ("(?:wave|scratch head|check watch) {hand}", "write: {first} with {hand}"),
    ("(?:wave|say) (?:hello|goodbye|hi|bye)(?: with {hand})?", "write: wave with {hand|right}"),
    ("wave (?:at|to) {place}(?: with {hand})?", "write: look at {place} / wave with {hand|right}"),
    ("wave with (?:both )?hands", "write: wave with left / wave with right, overlap full"),
    ("(?:wave|scratch head|check watch)", "write: {first} with left"),
    ("drink (?:coffee|tea|water|something)", "write: drink from cup with left"),
    ("drink (?:from |out of )?{thing} with {hand}", "write: drink from {thing} with {hand}"),
    ("drink(?: from| out of)?(?: {thing})?", "write: drink from {thing|cup} with left"),
    ("pour {thing} (?:in|on|onto|over|to) {place} with {hand}", "write: pour {thing} into {place} with {hand}"),
    ("pour(?: {thing})? (?:in|into|onto|over|to) {place}", "write: pour {thing|pot} into {place} with left"),
    ("(?:turn|switch) {thing} (?:on|off)(?: with {hand})?", "write: turn on {thing} with {hand|right}"),
    ("(?:turn|switch) (?:on|off) {thing}(?: with {hand})?", "write: turn on {thing} with {hand|right}"),
    (
        "press {thing}(?: with {hand})?",
        "write: reach {thing} with {hand|right}; a lamp has: turn on {thing} with right",
    ),
    # the whole body
    ("sit(?: on {place})?", "write: sit down"),
    ("stand", "write: stand up"),
    (
        "(?:walk|go|run|step|move) (?P<way>forwards?|back|backwards?|left|right)(?: {any})?",
        "write: walk to (0, 1): x and z on the floor, z is ahead",
    ),
    (
        f"(?:walk|go|run) {_TIMES}(?: steps?| meters?| metres?)?",
        "write: walk to (0, 1): x and z on the floor, z is ahead",
    ),
    ("(?:walk|run|go|stroll) (?:to |towards? )?{place}", "write: walk to {place}"),
    ("turn left", "write: turn by 90"),
    ("turn right", "write: turn by -90"),
    ("turn (?:around|round|about|back)", "write: turn by 180"),
    ("(?:turn|rotate) {n}(?: degrees?)?", "write: turn by {n}"),
    ("(?:turn|rotate) {hand}", "write: slide {hand} by (0, 0, 0) turn (0, 45, 0)"),
    ("(?:jump|hop|leap)(?: up| high)?", "write: jump to (0, 0.8), height 0.3"),
    # time
    (f"(?:wait|pause|sleep|delay|rest)(?: for)? {{n}}{_SECONDS}", "write: wait {n}s"),
    ("(?:wait|pause|sleep|delay|rest)(?: for)? {n}(?: ?frames?| ?f)?", "write: wait {n}"),
    ("wait (?:until|till|for) {task} (?:ends|is done|is over|has ended|stops|finishes)", "write: wait for {task}"),
    (f"at (?:frame |time |second )?{{n}}{_SECONDS}", "write: at {n}s"),
    ("at (?:frame |time ){n}(?: frames?)?", "write: at {n}"),
    ("(?:while|during) {task},? {any}", "write: {any}, when {task} starts"),
    ("(?:after|when) {task}(?: ends| is done)?,? {any}", "write: {any}, when {task} ends"),
    ("{any},? (?:while|during) {task}(?:ing)?", "write: {any}, when {task} starts"),
    ("{any},? after {task}(?: ends| is done)?", "write: {any}, when {task} ends"),
    ("{any},? before {task}(?: starts| begins)?", "write: {any}, when {task} starts - 20"),
    ("(?P<any>(?:lock|unlock|release) [^,]+),? when {task} ends", "it has its own moment: wait for {task} / {any}"),
    ("{any},? (?P<edge>when|until) {task} (?P<how>starts|ends)", "write: {any}, {edge} {task} {how}"),
    ("{any}, when {task}", "write: {any}, when {task} ends, or: starts"),
    (f"{{any}}, when {{any2}} {{n}}{_SECONDS}", "write: {any}, when {any2} {n}s"),
    (
        f"{{any}},? (?:in|for|over|within|duration|time|lasts?|takes?|length) {{n}}{_SECONDS}",
        "write: {any}, speed {n}s",
    ),
    (
        "{any},? (?:in|for|over|within|duration|time|lasts?|takes?|length|frames) {n}(?: frames?)?",
        "write: {any}, speed {n}",
    ),
    ("{any}, at {n}", "the time has a line of its own, before it: at {n} / {any}"),
    ("{any}, until {n}", "'until' names a task: name: ..., then {any}, until name ends"),
    ("{any},? until done", "write: {any} / wait until done"),
    (f"(?:{_SLOW}) {{any}}", "write: {any}, speed 60"),
    (f"(?:{_FAST}) {{any}}", "write: {any}, speed 15"),
    (f"{{any}},? (?:speed )?{_SLOW}", "write: {any}, speed 60"),
    (f"{{any}},? (?:speed )?{_FAST}", "write: {any}, speed 15"),
    ("{any}(?<!,) (?P<name>speed|grip|curve|overlap|clearance) (?P<value>[\\w.]+)", "write: {any}, {name} {value}"),
    # settings, numbers and blocks
    (f"set speed (?:to )?{_SLOW}", "a speed is a number of frames: set speed 60"),
    (f"set speed (?:to )?{_FAST}", "a speed is a number of frames: set speed 15"),
    ("set (?P<name>\\w+) to (?P<value>[\\w.]+)", "write: set {name} {value}"),
    ("(?P<name>speed|grip|curve|overlap|clearance) (?:= ?)?(?P<value>[\\w.]+)", "write: set {name} {value}"),
    ("(?:let )?(?P<name>[a-z_]\\w*) (?:=|to|be) (?P<value>[\\w.]+)", "write: let {name} = {value}"),
    ("let (?P<name>[a-z_]\\w*) (?P<value>[\\d.]+)", "write: let {name} = {value}"),
    ("(?:repeat|loop|for|do) {n}(?: times)?", "write: repeat {n}, then the lines, then: end"),
    ("{any},? (?:cycles|times) {n}", "write: repeat {n} / {any} / end"),
    ("{any},? (?P<n>\\d+ times|twice|thrice)", "write: repeat {n} / {any} / end"),
)
_WAYS = {
    "left": ("(1, 1, 1)", "(0.1, 0, 0)"),
    "right": ("(-1, 1, 1)", "(-0.1, 0, 0)"),
    "up": ("(0, 2, 1)", "(0, 0.1, 0)"),
    "down": ("(0, 0, 0.6)", "(0, -0.1, 0)"),
    "forward": ("(0, 1, 2)", "(0, 0, 0.1)"),
    "back": ("(0, 1, -2)", "(0, 0, -0.1)"),
}  # a point to look or point at, and a distance to slide by
_COUNTS = {"twice": "2", "two": "2", "thrice": "3", "three": "3"}
_NO_WORD = """smile laugh cry blink wink frown clap shrug say speak talk sing type print eat bite throw toss kick dance
open close lean cross stretch breathe yawn cough salute bow hug kiss punch climb crawl swim write draw read fold clean
wipe cut stir knock camera light sound play"""
NO_WORD = frozenset(_NO_WORD.split())
_LONGEST = 200  # characters of a line that are looked at


def _compiled() -> list[tuple[re.Pattern[str], str]]:
    def piece(match: re.Match[str]) -> str:
        name = match[1]
        kind = name.rstrip("23")
        return _PIECES["thing" if kind == "place" else kind].replace("{name}", name)

    return [(re.compile(re.sub(r"\{([a-z]+[23]?)\}", piece, pattern)), words) for pattern, words in _IDIOMS]


_PATTERNS: list[tuple[re.Pattern[str], str]] = []


def said_here(line: str) -> str:
    """What to write instead of a line; "" where that is not known."""
    text = " ".join(line.split("#")[0].lower().replace(";", " and ").split())
    label, _, rest = text.partition(": ")
    text = rest if rest and label.isidentifier() else text
    if not text or len(text) > _LONGEST or text.count(" and ") > 4:
        return ""
    if not _PATTERNS:
        _PATTERNS.extend(_compiled())
    for pattern, words in _PATTERNS:
        match = pattern.fullmatch(text)
        if match:
            said = _filled(words, match)
            return "" if said.removeprefix("write: ") == text else said
    return ""


def _filled(words: str, match: re.Match[str]) -> str:
    found = {name: _shown(name, text) for name, text in match.groupdict().items() if text}
    slides = match.string.startswith("slide")
    if "way" in found:
        way = match["way"].removesuffix("s")
        found["way"] = _WAYS[way if way == "forward" else way.removesuffix("ward")][slides]
    found["first"] = match.string.split(" with")[0].removesuffix(" left").removesuffix(" right")

    def fill(slot: re.Match[str]) -> str:
        name, _, otherwise = slot[1].partition("|")
        return found.get(name, otherwise)

    return re.sub(r"\{([^}]+)\}", fill, words)


def _shown(name: str, text: str) -> str:
    """A piece of a line as it is written here: names of several words in quotes."""
    text = text.strip()
    if name.startswith(("thing", "place")):
        if text.startswith("space ") or '"' in text:
            return text
        return f'"{text}"' if " " in text else text
    if name == "hands":
        return {"either": "either hand", "both": "both hands"}.get(text, text)
    return _COUNTS.get(text, text.removesuffix(" times"))
