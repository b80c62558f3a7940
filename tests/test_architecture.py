"""Imports point one way: the folder list stays the diagram."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "puppet"
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in PACKAGE.rglob("*.py")
)
# What each module may know of the package. A new module has to find its place here.
MAY_IMPORT = {
    "puppet": {"body", "errors", "goal", "performance", "posture", "run", "scene", "stage", "state", "table"},
    "puppet.errors": set(),
    "puppet.table": {"errors"},
    "puppet.document": {"errors"},
    "puppet.body": {"errors", "body_file", "kernels.model"},  # the last two only when a body is loaded or solved for
    "puppet.body_file": {"body", "document", "errors"},
    "puppet.scene": {"errors", "table"},
    "puppet.env_file": {"document", "errors", "scene", "table"},
    "puppet.environment": {"document", "env_file", "errors", "scene", "table"},
    "puppet.goal": {"body", "errors"},
    "puppet.kinematics": {"body", "table"},
    "puppet.chain": {"body"},
    "puppet.compiled": {"body", "chain", "kernels", "kernels.entries", "kernels.model"},
    "puppet.trunk": {"body", "chain", "compiled"},
    "puppet.posture": {"body", "chain", "compiled", "errors", "goal", "table", "trunk"},
    "puppet.library": {"errors"},
    "puppet.writing": {"errors"},
    "puppet.bvh": {"body", "bvh_text", "clip", "errors", "writing"},
    "puppet.bvh_text": {"body", "clip"},
    "puppet.clip": {"body", "rotations"},
    "puppet.rotations": {"body"},
    "puppet.mesh": {"body"},
    "puppet.shapes": {"body", "mesh", "scene", "table"},
    "puppet.export": {"errors", "export.report", "performance"},
    "puppet.export.animation": {"export", "export.studio", "performance", "render.camera", "render.target", "writing"},
    "puppet.export.movie": {
        "errors", "export", "export.studio", "performance", "render.camera", "render.target", "writing",
    },
    "puppet.export.picture": {
        "errors", "export", "export.studio", "performance", "render.camera", "render.target", "render.text", "writing",
    },
    "puppet.export.bvh": {"body", "bvh", "clip", "errors", "rotations", "performance"},
    "puppet.export.glb": {"writing"},
    "puppet.export.gltf": {"body", "errors", "export.glb", "mesh", "performance", "rotations", "shapes"},
    "puppet.export.report": {"performance", "writing"},
    # The language: read, judged, given as commands. It knows names out of scene and body, and nothing that moves.
    "puppet.language": {
        "body", "check", "scene",  # to check files of all kinds, when that is asked for
        "language.expand", "language.format", "language.judge", "language.mistake", "language.reader",
        "language.single", "language.tree",
    },
    "puppet.language.mistake": {"errors"},
    "puppet.language.tree": {"language.mistake"},
    "puppet.language.flaws": {"errors", "language.mistake", "language.tree"},
    "puppet.language.parser": {"language.flaws", "language.tree"},
    "puppet.language.reader": {
        "command", "document", "language.flaws", "language.mistake", "language.parser", "language.tree",
    },
    "puppet.language.vocabulary": {"body", "command", "curves", "scene"},
    "puppet.language.meaning": {
        "command", "errors", "language.flaws", "language.mistake", "language.reader", "language.tree",
        "language.vocabulary",
    },
    "puppet.language.judge": {
        "body", "command", "errors", "language.meaning", "language.mistake", "language.tree", "language.vocabulary",
        "scene",
    },
    "puppet.language.expand": {
        "body", "command", "language.judge", "language.meaning", "language.mistake", "language.tree",
        "language.vocabulary", "scene",
    },
    "puppet.language.single": {
        "body", "command", "language.expand", "language.mistake", "language.reader", "language.tree", "scene",
    },
    "puppet.language.format": {"command", "errors", "language.flaws", "language.vocabulary"},
    "puppet.keymap": {"command", "document", "language", "library", "scene"},
    "puppet.keyboard": {"command", "grip", "keymap", "language", "motion", "scene"},
    "puppet.keystrokes": {"command", "document", "keyboard", "language.mistake"},
    "puppet.check": {
        "body", "body_file", "document", "env_file", "environment", "errors", "gesture", "keyboard", "keymap",
        "keystrokes", "language", "language.mistake", "language.tree", "library", "scene",
    },
    "puppet.convert": {
        "body", "bvh", "bvh_text", "check", "command", "document", "env_file", "environment", "errors", "gesture",
        "keyboard", "keymap", "keystrokes", "language", "language.mistake", "library", "play", "scene", "unkey",
        "writing",
    },
    "puppet.unkey": {"command", "errors", "keyboard", "keymap", "language", "language.mistake", "motion"},
    "puppet.play": {
        "body", "command", "document", "environment", "errors", "gesture", "keyboard", "keymap", "keystrokes",
        "language", "library", "scene",
    },
    "puppet.export.studio": {  # graphics only when a picture is taken
        "body", "errors", "performance", "render.camera", "render.context", "render.model", "render.renderer",
        "render.target",
    },
    # Pictures: the model and the camera are arithmetic; context, program, target, labels and renderer know OpenGL.
    "puppet.render": set(),
    "puppet.render.camera": {"body", "errors"},
    "puppet.render.context": {"errors"},
    "puppet.render.labels": {"body", "render.camera", "render.model", "render.program", "render.text"},
    "puppet.render.model": {"body", "mesh", "scene", "shapes"},
    "puppet.render.program": {"errors"},
    "puppet.render.renderer": {
        "body", "errors", "render.camera", "render.context", "render.labels", "render.model", "render.program",
        "render.target",
    },
    "puppet.render.skeleton": {"body", "clip", "mesh", "render.model", "shapes"},
    "puppet.render.target": {"errors"},
    "puppet.render.text": {"render.target"},
    # The engine: interface, scheduler and postures do not know each other; the stage wires them.
    "puppet.command": set(),
    "puppet.conductor": {
        "body", "grip", "ledger", "motion", "plan", "pose", "posing", "scheduler", "staging", "state",
        "trajectory", "ways",
    },
    "puppet.curves": {"body", "errors"},
    "puppet.gesture": {"body", "document", "motion"},
    "puppet.grip": {"body", "kinematics", "pose", "scene", "table"},
    "puppet.direct": {"command", "errors", "locking", "motion", "outcome", "plan"},
    "puppet.interface": {
        "command", "direct", "errors", "grip", "locking", "motion", "outcome", "plan", "pose", "scene",
    },
    "puppet.ledger": set(),
    "puppet.locking": {"command", "curves", "errors", "motion", "outcome", "plan"},
    "puppet.motion": {"command", "scene"},
    "puppet.outcome": {"command", "gesture", "motion", "plan", "pose"},
    "puppet.performance": {"body", "compiled", "export", "pose", "scene"},  # writers only when something is saved
    "puppet.plan": {"grip", "motion", "pose", "scene"},
    "puppet.pose": {"body"},
    "puppet.posing": {
        "body", "compiled", "errors", "following", "goal", "grip", "kinematics", "motion", "plan", "pose", "posture",
        "scene", "table",
    },
    "puppet.run": {
        "body", "command", "errors", "ledger", "motion", "performance", "play", "pose", "scene", "stage", "state",
    },
    # Live: a stage played by keys. Time is given, nothing here knows a window.
    "puppet.live": {
        "body", "command", "compiled", "environment", "errors", "keyboard", "keymap", "language", "ledger", "library",
        "passes", "performance", "run", "saying", "scene", "showing", "shown", "stage", "state", "take",
    },
    "puppet.passes": {
        "body", "command", "document", "errors", "language", "language.vocabulary", "library", "plan", "play", "scene",
        "stage", "take",
    },
    "puppet.player": {
        "body", "bvh", "clip", "document", "errors", "language", "library", "performance", "posing", "run", "saying",
        "scene",
    },
    "puppet.saying": {"ledger"},
    "puppet.showing": {"body", "ledger", "locking", "motion", "saying", "stage", "state"},
    "puppet.shown": {
        "body", "command", "keyboard", "ledger", "motion", "posing", "saying", "scene", "showing", "stage", "state",
    },
    "puppet.take": {"command", "errors", "language", "library", "writing"},
    "puppet.scheduler": {"body"},
    "puppet.stage": {
        "body", "command", "conductor", "environment", "errors", "gesture", "grip", "hands", "interface", "language",
        "ledger", "library", "locking", "motion", "plan", "pose", "posing", "scene", "scheduler", "staging", "state",
    },
    "puppet.hands": {
        "body", "command", "errors", "gesture", "grip", "motion", "pose", "posing", "scheduler", "trajectory",
    },
    "puppet.staging": {"body", "motion", "pose", "scene"},
    "puppet.state": {"body", "motion", "plan", "pose", "posing", "scheduler", "staging", "trajectory"},
    "puppet.following": {"body", "compiled", "obstacles"},
    "puppet.obstacles": {"body", "compiled", "pose", "table"},
    "puppet.trajectory": {"body", "curves"},
    "puppet.ways": {"body", "compiled", "following", "obstacles", "pose", "posing", "staging", "table", "trajectory"},
    # The window stands on everything but the command line; pygame and OpenGL are known to display, overlay and paint.
    "puppet.window": set(),
    "puppet.window.aiming": {
        "command", "live", "window.box", "window.interface", "window.paint", "window.panels.target", "window.picking",
        "window.view",
    },
    "puppet.window.app": {
        "body", "live", "player", "window.display", "window.loop", "window.perform", "window.playing",
        "window.preparing", "window.screen", "window.worker",
    },
    "puppet.window.box": set(),
    "puppet.window.display": {"errors", "render.context", "render.target", "window.event"},
    "puppet.window.event": set(),
    "puppet.window.interface": {"window.box", "window.event", "window.overlay", "window.paint", "window.panel"},
    "puppet.window.keys": {"window.event"},
    "puppet.window.layout": {"window.box"},
    "puppet.window.loop": {"errors", "render.context", "window.display", "window.event", "window.screen"},
    "puppet.window.overlay": {"render.context", "render.program"},
    "puppet.window.pacing": {"live", "window.worker"},
    "puppet.window.paint": {"window.box"},
    "puppet.window.panel": {"window.box", "window.paint"},
    "puppet.window.panels": set(),
    "puppet.window.panels.help": {
        "command", "keyboard", "keymap", "language", "window.box", "window.paint", "window.panel",
    },
    "puppet.window.panels.joint": {"body", "command", "live", "posing", "window.box", "window.paint", "window.panel"},
    "puppet.window.panels.message": {"window.box", "window.paint", "window.panel"},
    "puppet.window.panels.mistakes": {"window.box", "window.paint", "window.panel"},
    "puppet.window.panels.primitives": {
        "command", "curves", "keymap", "live", "window.box", "window.paint", "window.panel",
    },
    "puppet.window.panels.queue": {"ledger", "live", "window.box", "window.paint", "window.panel"},
    "puppet.window.panels.slide": {"command", "live", "window.box", "window.paint", "window.panel"},
    "puppet.window.panels.statistics": {"window.box", "window.paint", "window.panel"},
    "puppet.window.panels.tabs": {"window.box", "window.paint", "window.panel"},
    "puppet.window.panels.target": {"window.box", "window.paint", "window.panel"},
    "puppet.window.panels.timeline": {"live", "window.box", "window.paint", "window.panel"},
    "puppet.window.panels.toolbar": {"live", "window.box", "window.paint", "window.panel"},
    "puppet.window.panels.transport": {"player", "window.box", "window.paint", "window.panel", "window.view"},
    "puppet.window.perform": {
        "command", "keymap", "live", "render.model", "saying", "stage", "window.aiming", "window.box", "window.event",
        "window.interface", "window.keys", "window.layout", "window.pacing", "window.panel", "window.panels.help",
        "window.panels.joint", "window.panels.message", "window.panels.primitives", "window.panels.queue",
        "window.panels.slide", "window.panels.statistics", "window.panels.tabs", "window.panels.timeline",
        "window.panels.toolbar", "window.saving", "window.screen", "window.view", "window.worker",
    },
    "puppet.window.picking": {"body", "pose", "scene"},
    "puppet.window.playing": {
        "body", "clip", "performance", "player", "render.model", "render.skeleton", "saying", "window.event",
        "window.interface", "window.keys", "window.layout", "window.panels.help", "window.panels.message",
        "window.panels.mistakes", "window.panels.statistics", "window.panels.transport", "window.screen",
        "window.view", "window.worker",
    },
    "puppet.window.preparing": {
        "errors", "window.box", "window.event", "window.interface", "window.paint", "window.panel", "window.screen",
        "window.worker",
    },
    "puppet.window.saving": {"live", "writing"},
    "puppet.window.screen": {
        "body", "render.camera", "render.model", "render.renderer", "window.box", "window.event", "window.interface",
    },
    "puppet.window.view": {"body", "render.camera", "window.box", "window.event"},
    "puppet.window.worker": set(),
    # The command line stands on everything, and nothing on it.
    "puppet.__main__": {"cli"},
    "puppet.cli": {"cli.context", "cli.mistakes", "cli.parser", "cli.status", "cli.terminal", "errors"},
    "puppet.cli.carrying": {
        "body", "cli.mistakes", "cli.outputs", "cli.script", "cli.status", "cli.summary", "cli.terminal", "performance",
        "run",
    },
    "puppet.cli.commands": set(),
    "puppet.cli.commands.check": {
        "body", "check", "cli.context", "cli.inputs", "cli.mistakes", "cli.script", "cli.status", "language.mistake",
        "play",
    },
    "puppet.cli.commands.convert": {
        "cli.context", "cli.inputs", "cli.outputs", "cli.status", "cli.summary", "convert", "errors", "library",
    },
    "puppet.cli.commands.demo": {
        "cli.carrying", "cli.context", "cli.options", "cli.outputs", "cli.parser", "cli.script", "cli.terminal",
        "errors",
    },
    "puppet.cli.commands.explain": {
        "cli.carrying", "cli.context", "cli.inputs", "cli.outputs", "cli.script", "cli.status", "cli.summary",
        "errors", "timeline.source", "timeline.text",
    },
    "puppet.cli.commands.list": {"body", "cli.context", "cli.status", "document", "gesture", "library"},
    "puppet.cli.commands.perform": {
        "cli.context", "cli.inputs", "cli.script", "cli.status", "cli.window", "errors", "library", "window.app",
    },
    "puppet.cli.commands.play": {
        "cli.context", "cli.inputs", "cli.script", "cli.status", "cli.window", "errors", "window.app",
    },
    "puppet.cli.commands.run": {
        "cli.carrying", "cli.context", "cli.inputs", "cli.options", "cli.outputs", "cli.script",
    },
    "puppet.cli.context": {"cli.terminal"},
    "puppet.cli.inputs": {"body", "library"},
    "puppet.cli.mistakes": {"cli.terminal", "errors", "language.mistake"},
    "puppet.cli.options": {"errors"},
    "puppet.cli.outputs": {"cli.options", "cli.status", "cli.terminal", "errors", "export", "performance"},
    "puppet.cli.parser": {"", "cli.commands", "cli.context", "cli.status", "cli.terminal", "errors"},
    "puppet.cli.script": {"errors", "library"},
    "puppet.cli.status": {"errors"},
    "puppet.cli.summary": {"cli.terminal"},
    "puppet.cli.terminal": set(),
    "puppet.cli.window": {"cli.status"},
    "puppet.timeline": set(),
    "puppet.timeline.drawing": {"timeline.model", "timeline.scale", "timeline.words"},
    "puppet.timeline.model": set(),
    "puppet.timeline.png": {"errors", "timeline.drawing", "timeline.model", "writing"},
    "puppet.timeline.scale": {"timeline.model"},
    "puppet.timeline.source": {"performance", "timeline.model"},
    "puppet.timeline.svg": {"timeline.drawing", "timeline.model", "writing"},
    "puppet.timeline.text": {"timeline.model", "timeline.scale", "timeline.words"},
    "puppet.timeline.words": {"timeline.model"},
}
KERNELS_MAY_IMPORT = {"__future__", "math", "typing", "numba", "numpy"}
OUTSIDE = {
    "puppet.export.animation": {"PIL"},
    "puppet.export.movie": {"imageio_ffmpeg"},
    "puppet.export.picture": {"PIL"},
    "puppet.render.context": {"OpenGL", "pygame"},
    "puppet.render.text": {"PIL"},
    "puppet.timeline.png": {"PIL"},
    "puppet.window.display": {"pygame"},
    "puppet.window.overlay": {"pygame"},  # for its types
    "puppet.window.paint": {"PIL", "pygame"},  # the font is Pillow's
}  # who may load what draws and what writes pictures, and only inside functions
LATE = {
    "puppet.language": {"puppet.check"},
    "puppet.body": {"puppet.body_file", "puppet.kernels.model"},
    "puppet.performance": {"puppet.export"},
}  # inside functions, or they would go in circles


@cache
def tree_of(module: str) -> ast.Module:
    path = ROOT.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def named(node: ast.AST, module: str) -> set[str]:
    """The modules that an import statement names, as puppet.kernels.ccd for `from puppet.kernels import ccd`."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if not isinstance(node, ast.ImportFrom):
        return set()
    assert node.level == 0, f"{module} imports relatively in line {node.lineno}"
    assert node.module is not None
    return {f"{node.module}.{a.name}" if f"{node.module}.{a.name}" in MODULES else node.module for a in node.names}


def imports(module: str) -> set[str]:
    """All modules that a module imports, wherever in it."""
    return {name for node in ast.walk(tree_of(module)) for name in named(node, module)}


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports_when_loaded(module: str) -> set[str]:
    """The modules that a module imports as soon as it is imported itself."""
    found, open_nodes = set(), [node for node in tree_of(module).body if not is_type_checking(node)]
    while open_nodes:
        node = open_nodes.pop()
        found |= named(node, module)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            open_nodes += ast.iter_child_nodes(node)
    return found


def in_package(names: set[str]) -> set[str]:
    return {name for name in names if name == "puppet" or name.startswith("puppet.")}


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith("puppet.kernels")])
def test_a_module_imports_only_what_it_may_know(module: str) -> None:
    assert module in MAY_IMPORT, f"say in this test what {module} may import"
    assert in_package(imports(module)) <= {f"puppet.{name}".removesuffix(".") for name in MAY_IMPORT[module]}


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("puppet.kernels")])
def test_kernels_import_nothing_but_kernels(module: str) -> None:
    own = {name for name in imports(module) if name.startswith("puppet.kernels")}
    others = {"numba" if name.startswith("numba.") else name for name in imports(module) - own}
    allowed = KERNELS_MAY_IMPORT | ({"puppet.body"} if module == "puppet.kernels.model" else set())  # for its types
    assert others <= allowed


@pytest.mark.parametrize("module", MODULES)
def test_the_package_knows_neither_benchmarks_nor_tests_nor_a_window(module: str) -> None:
    roots = {name.partition(".")[0] for name in imports(module)}
    assert roots.isdisjoint({"benchmarks", "tests", "pytest", "hypothesis", "scipy"})
    late = {"pygame", "OpenGL", "PIL", "imageio_ffmpeg"}
    assert roots & late <= OUTSIDE.get(module, set())
    assert {name.partition(".")[0] for name in imports_when_loaded(module)}.isdisjoint(late)


def test_only_the_door_opens_the_kernels() -> None:
    knowing = {name for name in MODULES if any(found.startswith("puppet.kernels") for found in imports(name))}
    assert {name for name in knowing if not name.startswith("puppet.kernels")} == {"puppet.body", "puppet.compiled"}
    assert "numba" not in {name for module in MODULES if "kernels" not in module for name in imports(module)}
    assert not any(name.startswith("puppet.kernels") for name in imports_when_loaded("puppet.compiled"))


def test_imports_never_go_in_circles() -> None:
    below: dict[str, set[str]] = {}

    def visit(module: str, way: tuple[str, ...]) -> set[str]:
        assert module not in way, " -> ".join((*way, module))
        if module not in below:
            next_ones = in_package(imports(module)) - LATE.get(module, set())
            below[module] = next_ones.union(*(visit(name, (*way, module)) for name in next_ones))
        return below[module]

    for module in MODULES:
        visit(module, ())
    assert "puppet.posture" not in below["puppet.body"] | below["puppet.scene"] | below["puppet.environment"]
    assert "puppet.scene" not in below["puppet.posture"]
    for module, late in LATE.items():
        assert late.isdisjoint(imports_when_loaded(module))
