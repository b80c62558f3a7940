"""How the kernels read solid things: the columns of their tables. Nothing here is compiled."""

from __future__ import annotations

# Columns of solids: what it is, its joint (-1: it stands still), whether it is looked after, two ends or centre and
# three radii, radii of the ends. Solids of one joint in turn are a group, and are looked after together: in the row of
# its first, where the group ends, and the middle and the radius of a ball around all of it.
SOLID_KIND, SOLID_JOINT, MOVES, P, Q, R0, R1, GROUP_END, GROUP_BALL, GROUP_RADIUS = 0, 1, 2, 3, 6, 9, 10, 11, 12, 15
SOLID_COLUMNS = 16
CONE, ELLIPSOID = 0.0, 1.0
# Columns of pairs: the two solids, boxes counted behind the solids; their distance; the point of the first that is
# nearest; the direction in which it leaves the other; the joints that move the two, -1 for none.
PAIR_FIRST, SECOND, DISTANCE, PAIR_POINT, PAIR_NORMAL, FIRST_JOINT, SECOND_JOINT = 0, 1, 2, 3, 6, 9, 10
PAIR_COLUMNS = 11
# Columns of places: both ends in the world, then the middle and the radius of a ball around all of it; in the row of a
# group's first, the middle of the ball around the group, whether its solids are placed, and how many of them are near
# enough; then, in the rows of a group in turn, which ones; last, in the first rows, the groups that have any.
BALL_MIDDLE, BALL_RADIUS, GROUP_MIDDLE, PLACED, NEAR, NEAR_SOLID, NEAR_GROUP = 6, 9, 10, 13, 14, 15, 16
PLACE_COLUMNS = 17
# Columns of candidates: the two solids, and the clearance that they need: its margin, and at both ends of a path; and
# their distance when they were found.
MARGIN, LEFT_BEHIND, REACHED, DISTANCE_THEN = 2, 3, 4, 5
CANDIDATE_COLUMNS = 6
GROUPS_APART = 2  # of two groups, where nothing of the one has to do with anything of the other
PAIR_SLACK = 0.02  # twice how far anything may move before pairs that were near are looked for anew
DEPTH_SLOPE = 0.1  # how much less deep solids may be than at an end of a path, with the way from there
SLOPE = 0.5  # how much clearance grows with the way from the ends of a path
PARTS = 3  # of an arm: upper arm, forearm, hand with what it carries
