"""How the puppet moves, beside how people move, in random scenes: `python -m benchmarks.motion`."""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.motion.measuring import carry_out, judge
from benchmarks.motion.people import recorded_strokes
from benchmarks.motion.scenes import BODIES, CATEGORIES, Case, cases, make_case
from benchmarks.motion.table import free_reaches, people_rows, rows, text
from puppet.body import Body
from puppet.scene import format_environment

TASKS = 1000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.motion", description=__doc__)
    parser.add_argument("--tasks", type=int, default=TASKS, help=f"how many tasks at least ({TASKS})")
    parser.add_argument("--only", choices=sorted(CATEGORIES), help="scenes of one kind")
    parser.add_argument("--case", metavar="NAME", help="a single one, as the table names it: 'crossing 1'")
    parser.add_argument("--no-planner", action="store_true", help="without the shortest ways, which are slow to find")
    parser.add_argument("--people", type=Path, metavar="DIR", help="recordings (.bvh) of people who reach")
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes all figures of all cases")
    parser.add_argument("--picture", type=Path, metavar="FILE.png", help="draws ways and speeds of free reaches")
    parser.add_argument(
        "--sheets", type=Path, metavar="DIR", help="draws contact sheets with scripts beside them, and measures nothing"
    )
    parser.add_argument("--count", type=int, default=30, help="how many performances get contact sheets (30)")
    options = parser.parse_args()
    bodies = {name: Body.load(name) for name in BODIES}
    chosen: Iterable[Case] = (case for case in cases() if options.only in (None, case.category))
    if options.case is not None:
        chosen = [named_case(options.case)]
    if options.sheets is not None:
        from benchmarks.motion.drawing import draw_sheets

        for case in itertools.islice(chosen, options.count):
            draw_sheets(options.sheets, case.file_name, carry_out(case, bodies[case.body])[0])
            write_case(options.sheets, case)
        return
    found = measure(chosen, options.tasks, bodies, not options.no_planner)
    people = recorded_strokes(options.people) if options.people is not None else {}
    print(text([*rows(found), *people_rows(found, people)]))
    if options.json is not None:
        document = {"cases": found, "people": {name: [s.figures for s in own] for name, own in people.items()}}
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    if options.picture is not None:
        from benchmarks.motion.drawing import draw_strokes

        groups = {"puppet": [np.array(reach["way"]) for reach in free_reaches(found)]}
        if people:
            groups["people"] = [stroke.points for own in people.values() for stroke in own]
        draw_strokes(options.picture, groups)


def named_case(name: str) -> Case:
    category, _, number = name.rpartition(" ")
    if category not in CATEGORIES or not number.isdigit():
        raise SystemExit(f"unknown case '{name}': a case is one of {', '.join(CATEGORIES)} and a number, as 'things 3'")
    return make_case(category, int(number))


def write_case(folder: Path, case: Case) -> None:
    """A script and its environment, for `puppet run` and `puppet play`."""
    (folder / f"{case.file_name}.yaml").write_text(format_environment(case.scene))
    script = f'environment "{case.file_name}.yaml"\nbody {case.body}\n\n{case.script}'
    (folder / f"{case.file_name}.puppet").write_text(script)


def measure(chosen: Iterable[Case], tasks: int, bodies: dict[str, Body], planner: bool) -> list[dict[str, Any]]:
    """Figures of cases until there are so many tasks."""
    for name in BODIES:  # loads the compiled kernels
        carry_out(make_case("things", BODIES.index(name)), bodies[name])
    found: list[dict[str, Any]] = []
    count = 0
    for case in chosen:
        if count >= tasks:
            break
        performance, milliseconds = carry_out(case, bodies[case.body])
        found.append({**judge(case, performance, planner), "milliseconds": milliseconds})
        count += len(found[-1]["statuses"])
    return found


if __name__ == "__main__":
    main()
