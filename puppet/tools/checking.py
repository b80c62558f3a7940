"""Checks a file of any kind: finds every mistake without running anything."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from puppet import language
from puppet.body import Body, read_body
from puppet.bvh import read_bvh
from puppet.errors import PuppetError, WholeFileError
from puppet.files import strict_yaml
from puppet.files.script_kinds import SCRIPT, TRACKS, kind_of, named
from puppet.files.shipped import find
from puppet.files.strict_yaml import Node
from puppet.files.text_file import MAX_MISTAKES, read_text, split_lines
from puppet.keys import Keyboard, check_keys, load_key_map, read_key_map, read_keys
from puppet.language import Mistake, tree
from puppet.language.mistake import from_error
from puppet.scene import Scene, load_environment, read_env, read_environment
from puppet.tasks import load_gestures, read_gestures
from puppet.tools.foresight import MOST_COMMANDS, foreseen_rejections
from puppet.tools.open_script import choose_body, find_import
from puppet.tracks import Hint, hints_of, load_tracks, read_tracks

# The keys at the top of each kind of YAML file. Gestures have names of their own there, and _GESTURE_KEYS below them.
_TOP_LEVEL_KEYS = {
    "environment": ("table", "spaces", "objects"),
    "body": ("joints", "limbs", "height", "groups"),
    "key map": ("keys",),
}
_GESTURE_KEYS = ("critical", "postures", "sequence")


def check_file(
    path: str | Path,
    environment: str | Path | Scene | None = None,
    gestures: Iterable[str | Path] = (),
    body: Body | None = None,
) -> tuple[Mistake, ...]:
    """All mistakes of a script, a file of tracks or of an animation space, an environment, a key map, a body, a file of
    gestures or a recorded motion (BVH).

    For a script these include the mistakes of the environment that it names, which `environment` replaces, and what is
    certain to be rejected when it is carried out.
    `gestures`: YAML files of further general tasks.
    """
    path = Path(path)
    try:
        if path.suffix == ".bvh":
            read_bvh(path)
            return ()
        text = read_text(path)
    except PuppetError as error:
        return (from_error(error, str(path)),)
    try:
        if path.suffix == ".puppet":
            return _check_script(path, text, environment, gestures, body)
        if path.suffix == ".keys":
            body = body or choose_body(None, environment, path.parent)
            return _check_keys(path, text, environment, gestures, body)
        if (kind := kind_of(path)) != SCRIPT:
            _read_kind(kind, text, str(path), body)
            return ()
        body = body or Body.load()
        if path.suffix == ".env":
            read_env(text, str(path), body.hands)
        else:
            _read_yaml(strict_yaml.parse(text, str(path)), gestures, body)
    except PuppetError as error:
        return mistakes_of(error, str(path), text)
    return ()


def check_text(
    text: str,
    environment: str | Path | Scene | None = None,
    gestures: Iterable[str | Path] = (),
    body: Body | None = None,
    name: str = "script",
) -> tuple[Mistake, ...]:
    """All mistakes of the text of a script, tracks or an animation space, as `check_file` finds them in a file."""
    try:
        if (kind := kind_of(text)) != SCRIPT:
            _read_kind(kind, text, kind, body)
            return ()
        return _check_script(Path(name), text, environment, gestures, body)
    except PuppetError as error:
        return mistakes_of(error, name, text)


def check_hints(script: str | Path, body: Body | None = None) -> tuple[Hint, ...]:
    """What does not fit in a file of tracks without mistakes, or the text of one; nothing in others."""
    if kind_of(script) != TRACKS:
        return ()
    return hints_of(load_tracks(script, body) if named(script) else read_tracks(str(script), TRACKS, body))


def _read_kind(kind: str, text: str, source: str, body: Body | None) -> None:
    """Raises the mistakes of tracks, or of an animation space."""
    if kind == TRACKS:
        hints_of(read_tracks(text, source, body))
        return
    from puppet.spaces import read_space  # only those who ask for it load it

    read_space(text, source, body)


def mistakes_of(error: PuppetError, file: str, text: str) -> tuple[Mistake, ...]:
    """The mistakes in an error about a file, in the order of the file."""
    errors = error.errors if isinstance(error, WholeFileError) else (error,)
    lines = split_lines(text)
    found = [from_error(each, file, lines) for each in errors]
    return tuple(sorted(found, key=lambda mistake: (mistake.line, mistake.column)))


def _check_script(
    path: Path, text: str, environment: str | Path | Scene | None, gestures: Iterable[str | Path], body: Body | None
) -> tuple[Mistake, ...]:
    script = language.read_script(text, str(path), find_import)
    if body is None:
        try:
            body = choose_body(script.body, environment or script.environment, path.parent)
        except PuppetError as error:
            place = next(s.path.place for s in script.statements if isinstance(s, tree.BodyStatement))
            line, reason = script.line(place.line), str(error).splitlines()[0]
            wrong = Mistake(str(path), place.line, place.column, place.length, line, reason)
            return (*script.mistakes, wrong)
    known = load_gestures(body, gestures)
    scene: Scene | None = None
    mistakes: tuple[Mistake, ...]
    if environment is None and script.environment is None:
        message = "the script names no environment"
        hint = 'write: environment "blocks.yaml"; or give one when the script is run'
        mistakes = (Mistake(str(path), 1, 1, 1, script.line(1), message, hint),)
    else:
        at = _environment_location(script)
        scene, mistakes = _load_scene(environment or script.environment, path, body, at)
    mistakes = (*language.check_script(script, scene, known, body), *mistakes)
    if len(mistakes) < MAX_MISTAKES:
        told = (
            language.readable_commands(script, scene, known, body) if mistakes
            else language.checked_commands(script, scene, known, body, most=2 * MOST_COMMANDS)
        )  # fmt: skip
        mistakes = (*mistakes, *foreseen_rejections(script, told, scene, known, body))
    order = {file.name: n for n, file in enumerate(script.files)}
    return tuple(sorted(mistakes, key=lambda m: (order.get(m.file, len(order)), m.line, m.column)))


def _check_keys(
    path: Path, text: str, environment: str | Path | Scene | None, gestures: Iterable[str | Path], body: Body
) -> tuple[Mistake, ...]:
    keymap = load_key_map(gestures=load_gestures(body, gestures).names, beside=path.parent, body=body)
    script = read_keys(text, str(path))
    if environment is None:  # the objects are not known: assume one for each key
        numbers = [str(number) for number in range(1, 10)]
        return check_keys(script, Keyboard(keymap, numbers, numbers))
    scene, mistakes = _load_scene(environment, path, body, Mistake(str(path), 1, 1, 1, "", ""))
    found = script.mistakes if scene is None else check_keys(script, Keyboard.for_scene(keymap, scene))
    return (*found, *mistakes)


def _environment_location(script: language.Script) -> Mistake:
    """The location of a script's environment, as a mistake without a message."""
    for statement in script.statements:
        if isinstance(statement, tree.EnvironmentStatement):
            place = statement.path.place
            return Mistake(script.name, place.line, place.column, place.length, script.line(place.line), "")
    return Mistake(script.name, 1, 1, 1, "", "")


def _load_scene(
    environment: str | Path | Scene | None, script: Path, body: Body, at: Mistake
) -> tuple[Scene | None, tuple[Mistake, ...]]:
    """The scene of a script, or the mistakes in its file; `at`: the location of its name in the script."""
    if isinstance(environment, Scene) or environment is None:
        return environment, ()
    try:
        file = find("environments", environment, script.parent)
    except PuppetError as error:
        return None, (Mistake(at.file, at.line, at.column, at.length, at.text, str(error)),)
    try:
        return load_environment(file, body.hands), ()
    except PuppetError as error:
        try:
            text = read_text(file)
        except PuppetError:
            text = ""
        return None, mistakes_of(error, str(file), text)


def _read_yaml(root: Node, gestures: Iterable[str | Path], body: Body) -> None:
    """Reads a YAML file as the kind that it seems to be."""
    kind = yaml_kind(root)
    if kind == "environment":
        read_environment(root, body.hands)
    elif kind == "body":
        read_body(root)
    elif kind == "key map":
        read_key_map(root, load_gestures(body, gestures).names, body)
    else:
        read_gestures(body, root)


def yaml_kind(root: Node) -> str:
    """The kind of a YAML file: environment, body, key map or gestures."""
    entries = dict(root.items())
    for kind, keys in _TOP_LEVEL_KEYS.items():
        if any(key in entries for key in keys):
            return kind
    for entry in entries.values():
        if entry.is_mapping and any(key in _GESTURE_KEYS for key, _ in entry.items()):
            return "gestures"
    kinds = "an environment (table, spaces), a body (joints, limbs), a key map (keys) or gestures (critical, postures)"
    raise root.error(f"cannot tell what this file is: neither {kinds}")
