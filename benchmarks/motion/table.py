"""All figures as a table: what was promised, what people do, and what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from benchmarks.motion.classifier import auc
from benchmarks.motion.measuring import quantiles
from benchmarks.motion.people import DISTANCES
from benchmarks.motion.scenes import STANDING
from benchmarks.motion.strokes import Stroke

Cases = list[dict[str, Any]]
Row = tuple[str, str, str, str]  # what, promise, people, measured

# Of recorded people: 5 % / median / 95 % of 50 single strokes out of five clips of reaching (CMU 144_22 to _25, 15_06).
PEOPLE = {
    "ratio": "1.01 / 1.07 / 1.35",
    "peaks": "nearly all",
    "peak_to_mean": "1.42 / 1.70 / 2.37",
    "peak_time": "0.31 / 0.49 / 0.61",
    "duration": "0.64 / 0.80 / 1.25 for 0.22 to 0.78 m",
    "peak_speed": "0.51 / 1.30 / 1.88, r = 0.92 with distance",
    "log_jerk": "7.75 cut so that minimum jerk has 6.6; here 5.1",
    "ulnar": "about 38 at most",
    "lean": "0 to 5",
    "gaze": "before the hand sets off",
}
FIGURES = (  # key of a stroke, words, promise
    ("ratio", "path / straight line", "median <= 1.10, 95 % <= 1.35"),
    ("peak_to_mean", "peak / mean speed", "1.6 to 2.0"),
    ("peak_time", "time of the peak, of the whole", "0.35 to 0.55"),
    ("duration", "duration, s", "0.6 to 1.3 for 0.2 to 0.8 m"),
    ("peak_speed", "peak speed, m/s", ""),
    ("deviation", "deviation / straight line", ""),
    ("rise", "rise / straight line", ""),
    ("log_jerk", "ln of jerk", ""),
)
SHORTEST = 0.1  # metres: shorter reaches have no shape worth a figure


def rows(cases: Cases) -> list[Row]:
    found: list[Row] = []
    found += _holds(cases)
    found += _clearances(cases)
    found += _paths(cases)
    found += _times(cases)
    found += _postures(cases)
    found.append(("milliseconds a task, median / 95 %", "<= 10", "", _three(_costs(cases), (0.5, 0.95), ".1f")))
    return found


def _holds(cases: Cases) -> list[Row]:
    found: list[Row] = []
    for words, chosen in (
        ("holds", lambda hold: hold["all_done"]),
        ("holds, a task adjusted or missed", lambda hold: not hold["all_done"]),
    ):
        holds = [hold for case in cases for hold in case["holds"] if chosen(hold)]
        if holds:
            found.append((f"{words}: kept in every frame", "all", "", _share(hold["kept"] for hold in holds)))
            worst = _three([hold["millimetres"] for hold in holds], (0.5, 0.95, 1.0), ".1f")
            found.append((f"{words}: drift, mm, median / 95 % / most", "<= 1", "", worst))
            turned = _three([hold["degrees"] for hold in holds], (0.5, 0.95, 1.0), ".1f")
            found.append((f"{words}: turn, degrees, median / 95 % / most", "<= 1", "", turned))
    regrips = [hold for case in cases if case["category"] == "regrip" for hold in case["holds"]]
    in_air = _share(hold["degrees_in_air"] <= 1.0 for hold in regrips)
    found.append(("another grip: none changed in the air", "all", "", in_air))
    alone = sum(bool(case["without_hand"]) for case in cases)
    found.append(("cases in which a thing moves without a hand", "0", "", str(alone)))
    return found


def _clearances(cases: Cases) -> list[Row]:
    found: list[Row] = []
    for status in ("done", "adjusted", "missed"):
        tasks = [task for case in cases for task in case["tasks"] if task["status"] == status]
        if tasks:
            clear = _share(task["millimetres"] == 0.0 for task in tasks)
            found.append(
                (f"tasks {status} with nothing through anything", "all" if status == "done" else "", "", clear)
            )
    for category in dict.fromkeys(case["category"] for case in cases):
        own_tasks = [task for case in cases if case["category"] == category for task in case["tasks"]]
        clear = _share(task["millimetres"] == 0.0 for task in own_tasks if task["status"] == "done")
        found.append((f"{category}: the same, of tasks done", "all", "", clear))
    kinds = sorted({overlap["kind"] for case in cases for overlap in case["overlaps"]})
    ranked: list[tuple[float, Row]] = []
    for kind in kinds:
        own = [(overlap, case) for case in cases for overlap in case["overlaps"] if overlap["kind"] == kind]
        overlap, case = max(own, key=lambda pair: float(pair[0]["millimetres"]))
        places = _share_of(len({other["case"] for _, other in own}), cases)
        words = f"{overlap['millimetres']:.0f} mm, {case['case']}, frame {overlap['frame']}; in {places} of cases"
        ranked.append((-overlap["millimetres"], (f"through: {kind}", "<= 2 mm", "", words)))
    resting = sorted({kind for case in cases for kind in case["rest_overlaps"]})
    at_rest = [f"{kind} {max(case['rest_overlaps'].get(kind, 0.0) for case in cases):.0f} mm" for kind in resting]
    found.append(("not counted, because it is so before anything happens", "", "", ", ".join(at_rest) or "nothing"))
    return found + [row for _, row in sorted(ranked)]


def done_reaches(cases: Cases, chosen: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Reaches that were done, and have a shape."""
    return [
        reach
        for case in cases
        for reach in case["reaches"]
        if reach["status"] == "done" and reach["stroke"] and reach["stroke"]["distance"] >= SHORTEST and chosen(reach)
    ]


def _aloft(reach: Mapping[str, Any]) -> bool:
    """Whether a reach leads into the air, with nothing near, as those of the recorded people."""
    return reach["category"] in STANDING


GROUPS: tuple[tuple[str, Callable[[dict[str, Any]], bool]], ...] = (
    ("free", lambda reach: reach["alone"] and reach["free"] and not reach["carries"] and not _aloft(reach)),
    ("into the air", lambda reach: _aloft(reach)),
    ("obstructed", lambda reach: reach["alone"] and not reach["free"] and not reach["carries"]),
    ("beside another task or a hold", lambda reach: not reach["alone"] and not reach["carries"]),
    ("carrying", lambda reach: reach["carries"]),
)


def _paths(cases: Cases) -> list[Row]:
    found: list[Row] = []
    for words, chosen in GROUPS:
        own = done_reaches(cases, chosen)
        if not own:
            continue
        free = words in ("free", "into the air")
        found.append((f"{words} reaches", "", "", str(len(own))))
        one = _share(reach["stroke"]["peaks"] == 1 for reach in own)
        found.append((f"{words}: one speed peak", "95 %" if free else "", PEOPLE["peaks"] if free else "", one))
        for key, figure, promise in FIGURES:
            values = [reach["stroke"][key] for reach in own]
            people = PEOPLE.get(key, "") if free else ""
            found.append((f"{words}: {figure}", promise if free else "", people, _three(values)))
        if words == "obstructed":
            values = [reach["detour"] for reach in own if reach["detour"] is not None]
            if values:
                found.append(
                    ("obstructed: length / shortest way", "median <= 1.25", "", f"{_three(values)}, of {len(values)}")
                )
    return found


def free_reaches(cases: Cases) -> list[dict[str, Any]]:
    """Those that are compared with people's."""
    return done_reaches(cases, GROUPS[0][1])


def people_rows(cases: Cases, people: Mapping[str, Sequence[Stroke]]) -> list[Row]:
    """Figures of recorded strokes, and whether a classifier can tell the puppet's from them."""
    strokes = [stroke.figures for own in people.values() for stroke in own]
    if not strokes:
        return []
    found: list[Row] = [("recorded strokes", "", str(len(strokes)), "")]
    for key, words, _ in FIGURES:
        found.append((f"recorded: {words}", "", _three([stroke[key] for stroke in strokes]), ""))
    own = [reach for reach in free_reaches(cases) if DISTANCES[0] <= reach["stroke"]["distance"] <= DISTANCES[1]]
    aloft = [
        reach for reach in done_reaches(cases, _aloft)
        if DISTANCES[0] <= reach["stroke"]["distance"] <= DISTANCES[1] and reach["stroke"]["peaks"] == 1
    ]  # fmt: skip
    for words, promise, reaches in (
        ("classifier's AUC on strokes that it has not seen, into the air as the recorded ones", "<= 0.65", aloft),
        ("the same, at a table", "", own),
        ("the same, there, not even what is left or taken in the way", "", [reach for reach in own if reach["clear"]]),
    ):
        mean, spread = auc([reach["stroke"] for reach in reaches], strokes)
        found.append((words, promise, "0.5", f"{mean:.2f} +- {spread:.2f}, {len(reaches)} strokes"))
    return found


def _times(cases: Cases) -> list[Row]:
    own = done_reaches(cases, lambda reach: True)
    pairs = [(reach["stroke"]["distance"], reach["seconds"]) for reach in own]
    found: list[Row] = []
    for low, high in ((0.1, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 2.0)):
        seconds = [second for distance, second in pairs if low <= distance < high]
        if seconds:
            promise = "0.6 to 1.3" if 0.2 <= low < 0.8 else ""
            found.append(
                (f"seconds of tasks for {low} to {high} m", promise, "", f"{_three(seconds)}, of {len(seconds)}")
            )
    seams = [case["largest_seam_step"] for case in cases]
    found.append(
        (
            "velocity step at a seam, degrees/s, median of cases / 95 % / most",
            "<= 60",
            "none",
            _three(seams, (0.5, 0.95, 1.0), ".0f"),
        )
    )
    fastest = [case["largest_speed"] for case in cases]
    words = "largest speed of a wrist, m/s, median of cases / 95 % / most"
    found.append((words, "", "about 2", _three(fastest, (0.5, 0.95, 1.0))))
    steps = [case["largest_step"] for case in cases]
    found.append(
        ("velocity step in any frame, degrees/s, the same", "", "none", _three(steps, (0.5, 0.95, 1.0), ".0f"))
    )
    return found


def _postures(cases: Cases) -> list[Row]:
    found: list[Row] = []
    for body in sorted({case["body"] for case in cases}):
        done = [r for case in cases if case["body"] == body for r in case["reaches"] if r["status"] == "done"]
        free = free_reaches([case for case in cases if case["body"] == body])
        ratios = f"{_three([reach['stroke']['ratio'] for reach in free])}, of {len(free)}"
        found.append((f"{body}: free: path / straight line", "median <= 1.10, 95 % <= 1.35", PEOPLE["ratio"], ratios))
        ends = _share(reach["wrist_end_excess"] <= 0.5 for reach in done)
        found.append((f"{body}: wrists within people's in the end", "all", "", ends))
        way = _share(reach["wrist_way_excess"] <= 0.5 for reach in done)
        found.append((f"{body}: wrists within people's on the way", "all", "", way))
        for n, words, promise, people in (
            (0, "flexion (+), extension (-)", "-60 to 70", ""),
            (1, "ulnar (+), radial (-)", "-20 to 40", PEOPLE["ulnar"]),
        ):
            values = [reach["wrist_end"][n] for reach in done]
            found.append(
                (
                    f"{body}: wrist in the end, {words}",
                    promise,
                    people,
                    _three(values, (0.0, 0.05, 0.5, 0.95, 1.0), ".0f"),
                )
            )
        near = [reach["lean"] for reach in done if reach["alone"] and reach["goal_distance"] < 0.8]
        if near:
            words = f"{_three(near, (0.5, 0.95, 1.0), '.1f')}, of {len(near)}"
            found.append(
                (f"{body}: lean for near things, degrees, median / 95 % / most", "<= 5", PEOPLE["lean"], words)
            )
        seen = [reach for reach in done if reach["alone"] and reach["gaze_at_share"] == reach["gaze_at_share"]]
        if seen:
            on = _share(reach["gaze_at_share"] <= 10.0 for reach in seen)
            within = _share(reach["gaze_at_share"] <= 25.0 for reach in seen)
            found.append(
                (f"{body}: gaze within 10 / 25 degrees of the goal at 30 %", "all", PEOPLE["gaze"], f"{on} / {within}")
            )
            arrivals = _three([reach["gaze_arrival"] for reach in seen])
            found.append(
                (f"{body}: gaze stays within 10 degrees, share of the time", "<= 0.3", PEOPLE["gaze"], arrivals)
            )
        shared = [reach["gaze_nearest"] for reach in done if not reach["alone"] and reach["gaze_nearest"] >= 0.0]
        if shared:
            looked = _share(angle <= 10.0 for angle in shared)
            found.append((f"{body}: goals of tasks beside others that are looked at", "all", "", looked))
    return found


def _costs(cases: Cases) -> list[float]:
    return [case["milliseconds"] / max(1, len(case["statuses"])) for case in cases]


def text(found: Iterable[Row]) -> str:
    """Columns side by side."""
    listed = [("", "promised", "people", "measured"), *found]
    widths = [max(len(row[n]) for row in listed) for n in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in listed
    )


def _three(values: list[float], shares: tuple[float, ...] = (0.05, 0.5, 0.95), form: str = ".2f") -> str:
    return " / ".join(format(value, form) for value in quantiles(values, shares))


def _share(values: Iterable[bool]) -> str:
    listed = list(values)
    return f"{100.0 * sum(listed) / len(listed):.1f} % of {len(listed)}" if listed else "none measured"


def _share_of(count: int, cases: Cases) -> str:
    return f"{100.0 * count / max(1, len(cases)):.0f} %"
