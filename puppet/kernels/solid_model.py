"""How the kernels read solid things: the columns of their tables. Nothing here is compiled."""

from __future__ import annotations

# Columns of solids: what it is, its joint (-1: it stands still), whether it is looked after, two ends or centre and
# three radii, radii of the ends.
SOLID_KIND, SOLID_JOINT, MOVES, P, Q, R0, R1 = 0, 1, 2, 3, 6, 9, 10
SOLID_COLUMNS = 11
CONE, ELLIPSOID = 0.0, 1.0
# Columns of pairs: the two solids, boxes counted behind the solids; their distance; the point of the first that is
# nearest; the direction in which it leaves the other; the joints that move the two, -1 for none.
PAIR_FIRST, SECOND, DISTANCE, PAIR_POINT, PAIR_NORMAL, FIRST_JOINT, SECOND_JOINT = 0, 1, 2, 3, 6, 9, 10
PAIR_COLUMNS = 11
# Columns of places: both ends in the world, then the middle and the radius of a ball around all of it. Solids of one
# joint in turn are a group: in the row of its first, where the group ends, and a ball around it.
BALL_MIDDLE, BALL_RADIUS, GROUP_END, GROUP_MIDDLE, GROUP_RADIUS = 6, 9, 10, 11, 14
PLACE_COLUMNS = 15
SLOPE = 0.5  # how much clearance grows with the way from the ends of a path
