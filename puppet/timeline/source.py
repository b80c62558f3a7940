"""The timeline of a performance."""

from __future__ import annotations

from puppet.performance import Performance
from puppet.timeline.model import Timeline, build_timeline


def timeline_of(performance: Performance, title: str = "") -> Timeline:
    body = performance.body
    if "tracks" in performance.report:  # each track is a row of its own
        return build_timeline(performance.report, performance.report["tracks"], {}, {}, title)
    names = body.joint_names
    groups = {name: [names[joint] for joint in members] for name, members in body.groups.items()}
    hands = {name: body.limb(name).words for name in body.hands}
    return build_timeline(performance.report, names, groups, hands, title)
