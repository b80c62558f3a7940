"""How the kernels of the dynamics filter read contacts: the columns of their tables. Nothing here is compiled.

Lengths are the body's own, its mass is 1, time is in seconds.
"""

from __future__ import annotations

# Columns of points (points, 5): the joint whose segment has the point, where on it, and the radius of a ball around it
# whose lowest point is meant.
POINT_JOINT, POINT_AT, POINT_RADIUS = 0, 1, 4
POINT_COLUMNS = 5
# Columns of a plan (frames, points, 5): what a point does from a frame to the next one; for a plane its normal and its
# height along it, for a grip the place that is held, for a rope where it hangs from and its length.
DOES, NORMAL, LEVEL = 0, 1, 4
PLAN_COLUMNS = 5
FREE, TOUCHES, GRIPS, SLIDES, HANGS = 0.0, 1.0, 2.0, 3.0, 4.0
# Columns of the state of a point: whether it is fixed (1), or along one direction only (2), whether it may bear a
# force, where it is fixed, the force, where it is, its velocity.
FIXED, BEARS, ANCHOR, FORCE, PLACE, VELOCITY = 0, 1, 2, 5, 8, 11
STATE_COLUMNS = 14
# Columns of the motion of links (joints, 12): angular velocity, velocity of the joint's centre, and their derivatives.
TURN, SPEED, TURN_RATE, SPEED_RATE = 0, 3, 6, 9
MOTION_COLUMNS = 12
# Columns of settings: seconds of a substep, gravity, friction, the body's height; in an animation space also how fast
# the redundant rest comes to rest, a second, and which part of that draws it back to its reference.
STEP, GRAVITY, FRICTION, TALL, CALM, DRAWN = 0, 1, 2, 3, 4, 5
EDGES = 4  # of a friction cone; a grip has six, what slides and a rope one
MOST_EDGES = 6
EASE = 1e-5  # how much forces are preferred that are small and evenly shared
SPACE_EASE = 1e-9  # in an animation space, where small bodies are heavy: nothing may sag
EXPLAINING_EASE = 1e-8
