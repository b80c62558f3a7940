"""Environment files: the YAML form of an initial scene, read strictly and written back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from puppet.body import Body
from puppet.errors import PuppetError, did_you_mean
from puppet.files import strict_yaml
from puppet.files.shipped import find
from puppet.files.strict_yaml import Mistakes, Node
from puppet.files.text_file import read_text
from puppet.scene.plain_environment import MAX_COORDINATE, MIN_WIDTH, PLAIN_BODY, read_env
from puppet.scene.room import FURNITURE, Room, format_room, read_place_on, read_room
from puppet.scene.scene import (
    COLORS,
    DEFAULT_COLOR,
    DEFAULT_SHAPE,
    SHAPES,
    Object,
    Position,
    Scene,
    SceneError,
    Space,
    is_color,
)
from puppet.scene.table import Table


def load_environment(path: str | Path, hands: Iterable[str] | None = None) -> Scene:
    """The scene that a file describes, in YAML or in the plain form (.env), which is for the seated puppet.

    `hands`: names of the hands, which have a space each; those of the default body if None.
    """
    if Path(path).suffix == ".env":
        return replace(read_env(read_text(path), str(path), hands), body=PLAIN_BODY)
    return read_environment(strict_yaml.read(path), hands)


def usual_body(environment: str | Path | Scene | None, beside: Path | None = None) -> Body:
    """The body that performs in an environment unless another one is named: its own, else the default one."""
    if environment is None:
        return Body.load()
    if isinstance(environment, Scene):
        return Body.load(environment.body)
    try:
        path = find("environments", environment, beside)
    except PuppetError:
        return Body.load()  # what is wrong with it is told when it is read
    own = _own_body(path)
    return Body.load() if own is None else Body.load(find("bodies", own, path.parent))


def _own_body(path: Path) -> str | None:
    """The body that an environment names, if any; that of the plain form is the seated puppet."""
    if Path(path).suffix == ".env":
        return PLAIN_BODY
    try:
        root = strict_yaml.read(path)
        return dict(root.items())["body"].text() if "body" in dict(root.items()) else None
    except PuppetError:
        return None  # what is wrong with the file is told when it is read


def read_environment(root: Node, hands: Iterable[str] | None = None) -> Scene:
    """A scene from a parsed YAML document."""
    hands = Body.load().hands if hands is None else tuple(hands)
    keys = dict(root.items())  # spaces may be measured from the first of `tables`, or from the middle of the floor
    required = ("spaces",) if "tables" in keys or "floor" in keys else ("table", "spaces")
    top = root.fields(required=required, optional=("objects", "body", "table", *FURNITURE))
    mistakes = Mistakes()
    room = Room(Table(0.0, 0.0))
    with mistakes.collect():
        room = read_room(top)
    table = room.table
    spaces: dict[str, Position] = {}
    with mistakes.collect():
        for name, node in top["spaces"].named_items():
            spaces[name] = (0.0, 0.0, 0.0)  # known by its name, even if its position is wrong
            with mistakes.collect():
                spaces[name] = _space(name, node, room, hands)
    objects: list[tuple[Object, str]] = []
    with mistakes.collect():
        for name, node in top["objects"].named_items() if "objects" in top else ():
            with mistakes.collect():
                objects.append(_object(name, node, spaces, hands))
    mistakes.raise_any()
    scene = room.fill(Scene.build(table, spaces, objects, hands))
    return replace(scene, body=top["body"].text()) if "body" in top else scene


def format_environment(scene: Scene) -> str:
    """The YAML text that reads back as this scene. The positions of hands are not part of it.

    A file has named, fixed spaces only: a scene with an object anywhere else is refused.
    """
    table = scene.table
    lines = format_room(scene)
    lines += [f"body: {_writable(scene.body)}"] if scene.body is not None else []
    static = [space for space in scene.spaces if not space.dynamic]
    lines.append("spaces:" if static else "spaces: {}")
    lines += [f"  {_writable(space.name)}: {_format_offsets(space, table)}" for space in static]
    lines += ["objects:"] if scene.objects else []
    for stack in scene.stacks:  # space by space from the bottom up, because objects stack in the file's order
        for name in stack.objects:
            if stack.space.name is None or stack.space.dynamic:
                where = f"in the {stack.space.name} hand" if stack.space.dynamic else "on a place of its own"
                raise SceneError(f"'{name}' is {where}; an environment file can only put it on a fixed space")
            lines.append(f"  {_writable(name)}: {_format_object(scene.object(name), stack.space.name)}")
    return "\n".join(lines) + "\n"


def _space(name: str, node: Node, room: Room, hands: tuple[str, ...]) -> Position:
    if name in hands:
        raise node.key.error(f"'{name}' is the space of the {name} hand; this one needs another name")
    return read_place_on(node, room) if node.is_mapping else _position(node, room.table)


def _position(node: Node, table: Table) -> Position:
    """World coordinates of a space, which the file gives from the middle of the table's front edge."""
    skew, height, front = node.vector(3, -MAX_COORDINATE, MAX_COORDINATE)
    return table.skew + skew, table.height + height, table.front + front


def _object(name: str, node: Node, spaces: dict[str, Position], hands: tuple[str, ...]) -> tuple[Object, str]:
    fields = node.fields(required=("width", "space"), optional=("color", "shape", "kind"))
    mistakes = Mistakes()
    width, space, color, shape, kind = 0.0, "", DEFAULT_COLOR, DEFAULT_SHAPE, None
    with mistakes.collect():
        width = fields["width"].number(MIN_WIDTH, MAX_COORDINATE)
    with mistakes.collect():
        if fields["space"].text() in hands:
            raise fields["space"].error("a hand is empty when the scene begins; choose one of the file's spaces")
        space = fields["space"].choice(spaces, "space")
    with mistakes.collect():
        color = _color(fields["color"]) if "color" in fields else color
    with mistakes.collect():
        shape = fields["shape"].choice(SHAPES, "shape") if "shape" in fields else shape
    with mistakes.collect():
        kind = fields["kind"].name() if "kind" in fields else None
    mistakes.raise_any()
    return Object(name, width, color, shape, kind), space


def _color(node: Node) -> str:
    if node.found() == "nothing":
        raise node.error("expected a color, found nothing; #rrggbb needs quotes, because '#' starts a comment")
    word = node.text()
    if not is_color(word):
        raise node.error(f'unknown color {node.found()}; {did_you_mean(word, COLORS)} (or "#rrggbb")')
    return word


def _format_offsets(space: Space, table: Table) -> str:
    edge = (table.skew, table.height, table.front)
    offsets = [_offset(at, origin) for at, origin in zip(space.position, edge, strict=True)]
    return f"[{', '.join(repr(offset) for offset in offsets)}]"


def _offset(at: float, origin: float) -> float:
    """The shortest number that gives `at` when the reader adds it to `origin`.

    The plain difference will not do: 0.7 - 0.6 is 0.09999999999999998, which is ugly and can miss by a bit.
    """
    difference = at - origin
    for digits in range(1, 17):
        rounded = round(difference, digits)
        if origin + rounded == at:
            return rounded + 0.0  # turns -0.0 into 0.0
    neighbours = (difference, math.nextafter(difference, math.inf), math.nextafter(difference, -math.inf))
    return next((offset for offset in neighbours if origin + offset == at), difference)


def _format_object(entry: Object, space: str) -> str:
    fields = [f"width: {entry.width!r}", f"space: {space}"]
    if entry.color != DEFAULT_COLOR:
        fields.append(f'color: "{entry.color}"' if entry.color.startswith("#") else f"color: {entry.color}")
    if entry.shape != DEFAULT_SHAPE:
        fields.append(f"shape: {entry.shape}")
    if entry.kind is not None:
        fields.append(f"kind: {_writable(entry.kind)}")
    return f"{{{', '.join(fields)}}}"


def _writable(name: str | None) -> str:
    if name is None or not strict_yaml.is_name(name):
        raise SceneError(f"'{name}' is no name for a file: use up to 100 letters, digits, '_', '-' and inner spaces")
    return name
