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
SHARED = {"arguments", "command", "errors", "performance", "types"}  # modules at the top, for all
# What each folder may know of the others, in the order of the data's way: a folder stands on those above it.
FOLDERS: dict[str, set[str]] = {
    "files": set(),
    "geometry": set(),
    "kernels": {"files"},
    "body": {"files", "geometry", "kernels"},
    "scene": {"body", "files"},
    "language": {"body", "files", "scene"},
    "tasks": {"body", "files", "geometry", "locomotion", "scene"},
    "keys": {"body", "files", "language", "scene", "tasks"},
    "schedule": {"body"},
    "posture": {"body", "geometry", "kernels", "scene", "solver"},
    "solver": {"body", "kernels"},
    "locomotion": {"body", "geometry", "scene", "solver"},
    "motion": {"body", "geometry", "kernels", "scene", "solver", "tasks"},
    "stage": {
        "body",
        "files",
        "geometry",
        "kernels",
        "language",
        "locomotion",
        "motion",
        "posture",
        "scene",
        "schedule",
        "solver",
        "tasks",
    },
    "tracks": {"body", "files", "geometry", "kernels", "motion", "scene", "solver"},
    "bvh": {"body", "files", "geometry"},
    "dynamics": {"body", "geometry", "kernels", "scene", "solver"},
    "spaces": {"body", "dynamics", "files", "geometry", "kernels", "scene", "solver"},
    "shows": {
        "body",
        "bvh",
        "clip",
        "dynamics",
        "files",
        "geometry",
        "kernels",
        "keys",
        "language",
        "scene",
        "spaces",
        "stage",
        "tasks",
        "tools",
        "tracks",
    },
    "tools": {"body", "bvh", "clip", "files", "keys", "language", "scene", "spaces", "stage", "tasks", "tracks"},
    "render": {"body", "bvh", "geometry", "scene"},
    "export": {"body", "bvh", "dynamics", "files", "geometry", "render"},
    "clip": {
        "body",
        "bvh",
        "dynamics",
        "export",
        "files",
        "geometry",
        "kernels",
        "language",
        "motion",
        "scene",
        "solver",
    },
    "timeline": {"files"},
    "window": {
        "body",
        "bvh",
        "clip",
        "files",
        "geometry",
        "keys",
        "language",
        "motion",
        "render",
        "scene",
        "shows",
        "stage",
    },
    "cli": {
        "body",
        "clip",
        "export",
        "files",
        "kernels",
        "language",
        "shows",
        "tasks",
        "timeline",
        "tools",
        "tracks",
        "window",
    },
}
TOP = {
    "puppet": {"body", "clip", "dynamics", "posture", "scene", "shows", "solver", "spaces", "stage"},
    "puppet.__main__": {"cli"},
    "puppet.performance": {"body", "export", "geometry", "kernels", "scene"},
}
KERNELS_MAY_IMPORT = {"__future__", "math", "typing", "numba", "numpy"}
# They may also say what goes wrong.
COMPILERS = {f"puppet.kernels.{name}" for name in ("elements", "jit", "pieces")}
AROUND_KERNELS = {f"puppet.kernels.{name}" for name in ("arguments", "cache_folder", "compiler_process", "loader")}
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
    "puppet.body.body": {"puppet.body.body_file", "puppet.body.kernel_model", "puppet.body.soundness"},
    "puppet.clip.clip": {"puppet.clip.filtered"},
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


def folder_of(module: str) -> str | None:
    """The folder that a module stands in; None where it stands at the top."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else None


def test_the_folders_are_those_of_the_rules() -> None:
    """`ls puppet` is the diagram: a new folder finds its place in it."""
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name not in ("data", "__pycache__")}
    assert folders == set(FOLDERS)
    for folder in FOLDERS:
        assert ast.get_docstring(tree_of(f"puppet.{folder}")), f"puppet/{folder}/__init__.py says what goes in and out"


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_folder_may_know(module: str) -> None:
    folder = folder_of(module)
    allowed = TOP.get(module, set()) if folder is None else FOLDERS[folder] | {folder}
    for name in in_package(imports(module)) - {"puppet"}:
        assert (folder_of(name) or name.removeprefix("puppet.")) in allowed | SHARED, f"{module} imports {name}"


@pytest.mark.parametrize("module", MODULES)
def test_a_folder_is_entered_by_its_door(module: str) -> None:
    """What a folder's `__init__` exports is imported from there."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.count(".") == 2:
            folder = folder_of(node.module)
            if folder is not None and folder != folder_of(module):
                exported = {
                    name
                    for entry in ast.walk(tree_of(f"puppet.{folder}"))
                    if isinstance(entry, ast.ImportFrom)
                    for name in (alias.name for alias in entry.names)
                }
                assert exported.isdisjoint(alias.name for alias in node.names), f"{module}, line {node.lineno}"


@pytest.mark.parametrize(
    "module", [name for name in MODULES if name.startswith("puppet.kernels") and name not in AROUND_KERNELS]
)
def test_kernels_import_nothing_but_kernels(module: str) -> None:
    own = {name for name in imports(module) if name.startswith("puppet.kernels")}
    others = {"numba" if name.startswith("numba.") else name for name in imports(module) - own}
    also = {"collections.abc", "contextlib", "functools", "inspect", "logging", "os"} if module in COMPILERS else set()
    assert others <= KERNELS_MAY_IMPORT | {"puppet.types"} | also


@pytest.mark.parametrize("module", MODULES)
def test_the_package_knows_neither_benchmarks_nor_tests_nor_a_window(module: str) -> None:
    roots = {name.partition(".")[0] for name in imports(module)}
    assert roots.isdisjoint({"benchmarks", "tests", "pytest", "hypothesis", "scipy"})
    late = {"pygame", "OpenGL", "PIL", "imageio_ffmpeg"}
    assert roots & late <= OUTSIDE.get(module, set())
    assert {name.partition(".")[0] for name in imports_when_loaded(module)}.isdisjoint(late)


def test_only_the_door_opens_the_kernels() -> None:
    """The loader, and the tables in which bodies, solid things and bends of paths are given to the kernels."""
    tables = ("model", "figure_model", "solid_model", "descent_model", "dynamics_model")
    doors = {"puppet.kernels.loader", *(f"puppet.kernels.{name}" for name in tables)}
    for module in MODULES:
        if folder_of(module) != "kernels":
            assert {name for name in imports(module) if name.startswith("puppet.kernels")} <= doors
    assert "numba" not in {name for module in MODULES if "kernels" not in module for name in imports(module)}
    assert not any(name.startswith("puppet.kernels") for name in imports_when_loaded("puppet.kernels.loader"))


def test_no_class_name_occurs_twice() -> None:
    """A reader who searches for a class finds one."""
    places: dict[str, list[str]] = {}
    for module in MODULES:
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(module)
    assert not {name: modules for name, modules in places.items() if len(modules) > 1}


INTERFACES = {"SUMMARY", "DESCRIPTION", "add_arguments", "execute", "write", "log"}  # of subcommands, of writers
TWINS = {"forward", "point_excess", "segment_excess", "estimate_posture", "score_posture"}  # compiled, and in Python


def test_no_public_name_of_a_module_means_two_things() -> None:
    places: dict[str, set[str]] = {}
    for module in MODULES:
        for node in tree_of(module).body:
            names = [node.name] if isinstance(node, ast.FunctionDef) else []
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                parts = [part for target in targets for part in ast.walk(target)]
                names = [part.id for part in parts if isinstance(part, ast.Name)]
            for name in names:
                if not name.startswith("_"):
                    places.setdefault(name, set()).add(module)
    twice = {name: modules for name, modules in places.items() if len(modules) > 1}
    assert not {name: modules for name, modules in twice.items() if name not in INTERFACES | TWINS}


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
    for module, late in LATE.items():
        assert late.isdisjoint(imports_when_loaded(module))
