"""Opens a script: reads it, loads its scene, checks it against the scene, and gives its commands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from puppet import language
from puppet.arguments import listed
from puppet.body import Body
from puppet.command import Command, UseBody, UseEnvironment
from puppet.errors import PuppetError
from puppet.files.shipped import find
from puppet.files.text_file import read_text
from puppet.keys import Keyboard, check_keys, key_commands, load_key_map, read_keys
from puppet.language import ScriptError
from puppet.scene import Scene, load_environment, usual_body
from puppet.tasks import load_gestures

LockedHands = Callable[[], Collection[str]]  # the hands that are locked at the moment
NO_ENVIRONMENT = 'the script names no environment; write: environment "blocks.yaml", or give one'
_ENDINGS = (".puppet", ".keys")


@dataclass(frozen=True)
class OpenedScript:
    """A checked script: its scene and its commands. They are made one by one: a key can depend on what is locked."""

    scene: Scene
    body: Body
    gesture_files: tuple[str | Path, ...]
    commands: Callable[[LockedHands], Iterator[Command]]


def open_script(
    script: str | Path | Sequence[Command],
    environment: str | Path | Scene | None,
    body: Body | str | Path | None,
    gesture_files: Iterable[str | Path] = (),
) -> OpenedScript:
    """Reads and checks a script: a path, its text, or commands. A ScriptError lists all of its mistakes.

    `body`: the one given, itself or by name, else the script's, else the environment's, else the default one.
    """
    files = listed(gesture_files, (str, Path))
    if isinstance(body, (str, Path)):
        body = Body.load(body)
    elif not isinstance(body, Body | None):
        raise PuppetError(f"a body is a Body, or the name of one, not {body!r}")
    if not isinstance(script, (str, Path)):
        given = listed(script, Command)
        named = [command.path for command in given if isinstance(command, UseEnvironment)]
        bodies = [command.path for command in given if isinstance(command, UseBody)]
        environment = environment or (named[-1] if named else None)
        body = body or choose_body(bodies[-1] if bodies else None, environment, Path())
        return OpenedScript(_load_scene(environment, Path(), body.hands), body, files, lambda locked: iter(given))
    text, name, beside = _read_source(script)
    if name.endswith(".keys"):
        body = body or choose_body(None, environment, beside)
        gestures, hands = load_gestures(body, files), body.hands
        if environment is None:
            raise PuppetError(f"'{name}' names no environment, as no key-stroke script can; give one")
        scene = _load_scene(environment, beside, hands)
        keymap = load_key_map(gestures=gestures.names, beside=beside, body=body)
        keys = read_keys(text, name)
        _raise_mistakes(check_keys(keys, Keyboard.for_scene(keymap, scene)))
        return OpenedScript(
            scene, body, files, lambda locked: key_commands(keys, Keyboard.for_scene(keymap, scene), locked)
        )
    read = language.read_script(text, name, find_import)
    body = body or choose_body(read.body, environment or read.environment, beside)
    gestures, hands = load_gestures(body, files), body.hands
    if environment is None and (read.environment is None or not _environment_exists(read.environment, beside)):
        _raise_mistakes(language.check_script(read, None, gestures, body))  # mistakes in the script come first
    scene = _load_scene(environment or read.environment, beside, hands)
    _raise_mistakes(language.check_script(read, scene, gestures, body))
    return OpenedScript(scene, body, files, lambda locked: language.checked_commands(read, scene, gestures, body))


def find_import(path: str, importing: str) -> tuple[str, str]:
    """The name and the text of a script whose definitions another one imports."""
    found = find("scripts", path, Path(importing).parent)
    return str(found), read_text(found)


def choose_body(named: str | None, environment: str | Path | Scene | None, beside: Path) -> Body:
    """The body that a script names, else the one of its environment, else the default one."""
    if named is not None:
        return Body.load(find("bodies", named, beside))
    return usual_body(environment, beside)


def _read_source(script: str | Path) -> tuple[str, str, Path]:
    """Text, name and folder of a script."""
    if isinstance(script, Path) or ("\n" not in script and script.strip().endswith(_ENDINGS)):
        path = find("scripts", script.strip() if isinstance(script, str) else script)
        return read_text(path), str(path), path.parent
    return script, "script", Path()


def _environment_exists(environment: str, beside: Path) -> bool:
    try:
        find("environments", environment, beside)
    except PuppetError:
        return False
    return True


def _load_scene(environment: str | Path | Scene | None, beside: Path, hands: tuple[str, ...]) -> Scene:
    if environment is None:
        raise PuppetError(NO_ENVIRONMENT)
    if isinstance(environment, Scene):
        return environment
    return load_environment(find("environments", environment, beside), hands)


def _raise_mistakes(mistakes: tuple[language.Mistake, ...]) -> None:
    if mistakes:
        raise ScriptError(mistakes)
