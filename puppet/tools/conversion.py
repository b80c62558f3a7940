"""Converts files: key strokes and scripts, plain and YAML environments, any BVH to one that every program reads, or to
the body of its skeleton."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from puppet import language
from puppet.body import Body, format_body
from puppet.bvh import format_bvh, read_bvh
from puppet.command import At, Command, SetPrimitive, Task, UseEnvironment, Wait
from puppet.errors import PuppetError, did_you_mean, visible
from puppet.files.atomic_write import write_atomically
from puppet.files.shipped import find, name_from
from puppet.files.text_file import read_text, shorten
from puppet.keys import KEY_PRIMITIVES, Keyboard, check_keys, format_keys, key_commands, load_key_map, read_keys
from puppet.language import ScriptError, format_command
from puppet.scene import Scene, format_env, format_environment, load_environment, lost_in_env
from puppet.tasks import Primitives, load_gestures
from puppet.tools.open_script import choose_body, find_import
from puppet.tools.rehearsal import Rehearsal

CONVERSIONS = {
    (".keys", ".puppet"), (".puppet", ".keys"), (".env", ".yaml"), (".yaml", ".env"), (".bvh", ".bvh"),
    (".bvh", ".yaml"),
}  # fmt: skip


def convert_file(source: str | Path, target: str | Path, environment: str | Path | None = None) -> None:
    """Converts a file to the format of the target's ending.

    Key strokes name objects and spaces by numbers, so they need the `environment`; a script names its own.
    """
    if os.path.exists(target) and os.path.exists(source) and os.path.samefile(source, target):
        raise PuppetError(f"'{source}' would be overwritten by its own conversion; choose another name")
    write_atomically(target, convert(source, Path(target).suffix, environment, Path(target).parent))


def convert(
    source: str | Path, ending: str, environment: str | Path | None = None, folder: str | Path | None = None
) -> str:
    """The text of a file in another format: `ending` is one of .puppet, .keys, .yaml, .env, .bvh; `folder` is where it
    will lie, else beside the source."""
    source = Path(source)
    way = (source.suffix, ending)
    if way not in CONVERSIONS:
        known = [f"{a} to {b}" for a, b in sorted(CONVERSIONS)]
        raise PuppetError(f"cannot convert '{source.suffix}' to '{ending}'; {did_you_mean(' to '.join(way), known)}")
    if ending == ".bvh":
        return format_bvh(read_bvh(source))
    if way == (".bvh", ".yaml"):
        return bvh_to_body(source)
    if ending == ".yaml":
        return format_environment(load_environment(source))
    if ending == ".env":
        return format_env(load_environment(source))
    if ending == ".puppet":
        return keys_to_script(source, environment, source.parent if folder is None else Path(folder))
    return script_to_keys(source, environment)


def left_out(source: str | Path, ending: str, environment: str | Path | None = None) -> str:
    """What a conversion leaves out or changes, in words; "" where that is nothing."""
    if ending == ".keys":
        commands = list(_commands(Path(source), environment)[0])
        other = _as_keys_have_it(commands)
        words = [f"tasks that do not say it have {' and '.join(other)} now, as keys begin with"] if other else []
        if commands and isinstance(commands[-1], (At, Wait)):
            words.append("the time at the end is left out, because keys end with the last one that is pressed")
        return "; ".join(words)
    lost = lost_in_env(load_environment(source)) if ending == ".env" else []
    return f"left out, because the plain form has no words for it: {', '.join(lost)}" if lost else ""


def _as_keys_have_it(commands: Iterable[Command]) -> list[str]:
    """The settings that keys begin with, where tasks leave them open and scripts begin with others."""
    left = {name for name in ("speed", "curve") if getattr(KEY_PRIMITIVES, name) != getattr(Primitives(), name)}
    found: dict[str, str] = {}
    for command in commands:
        if isinstance(command, SetPrimitive):
            left.discard(command.name)
        elif isinstance(command, Task):
            open_ones = [name for name in sorted(left, reverse=True) if getattr(command, name) is None]
            found |= {name: f"{name} {getattr(KEY_PRIMITIVES, name)}" for name in open_ones}
    return list(found.values())


def bvh_to_body(path: Path) -> str:
    """The body of a BVH file's skeleton as YAML, to be corrected; what was guessed stands in its comments."""
    from puppet.clip import Clip  # what few conversions need

    clip = Clip.load(path)
    comments = [
        f"The skeleton of {path.name}, {clip.fit.axes.scale:.6g} of the file's units tall, {clip.fit.axes.up} up.",
        "`humanoid` says which joints are which parts of a person; `range` and `limits`, how far each can be turned.",
        *(f"Found out or guessed: {note}." for note in clip.notes),
    ]
    return format_body(clip.body, comments)


def keys_to_script(path: Path, environment: str | Path | None, folder: Path) -> str:
    """Converts a key-stroke script to a script in the language that will lie in a folder."""
    if environment is None:
        raise PuppetError(f"'{path}' names objects by numbers: say which environment they are in (-e ENVIRONMENT)")
    body = choose_body(None, environment, path.parent)
    found_in = find("environments", environment, path.parent)
    scene = load_environment(found_in, body.hands)
    keymap = load_key_map(gestures=load_gestures(body).names, beside=path.parent, body=body)
    keys = read_keys(read_text(path), str(path))
    mistakes = check_keys(keys, Keyboard.for_scene(keymap, scene))
    if mistakes:
        raise ScriptError(mistakes)
    rehearsal = Rehearsal(scene, body)
    found = rehearsal.after(key_commands(keys, Keyboard.for_scene(keymap, scene), rehearsal.locked))
    named = format_command(UseEnvironment(path=name_from("environments", found_in, folder)))
    lines = [f"# The key strokes of {shorten(visible(path.name), 300)}", named, ""]
    return "\n".join([*lines, *(format_command(command) for command in found)]) + "\n"


def script_to_keys(path: Path, environment: str | Path | None) -> str:
    """Converts a script in the language to a key-stroke script."""
    commands, scene, body = _commands(path, environment)
    if scene is None:
        raise PuppetError(f"'{path}' names no environment, and keys name objects by their numbers in it: give one")
    keymap = load_key_map(gestures=load_gestures(body).names, beside=path.parent)
    rehearsal = Rehearsal(scene, body)
    return format_keys(rehearsal.after(commands), Keyboard.for_scene(keymap, scene), rehearsal.locked)


def _commands(path: Path, environment: str | Path | None) -> tuple[Iterable[Command], Scene | None, Body]:
    """The commands of a script, its scene and its body."""
    script = language.read_script(read_text(path), str(path), find_import)
    named = environment or script.environment
    body = choose_body(script.body, named, path.parent)
    scene: Scene | None = None
    if named is not None:
        scene = load_environment(find("environments", named, path.parent), body.hands)
    return language.script_commands(script, scene, load_gestures(body), body), scene, body
