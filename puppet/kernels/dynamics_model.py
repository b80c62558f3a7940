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
DOES, PLAN_NORMAL, LEVEL = 0, 1, 4
PLAN_COLUMNS = 5
IN_THE_AIR, TOUCHES, GRIPPING, SLIDES, HANGS = 0.0, 1.0, 2.0, 3.0, 4.0
# Columns of the state of a point: whether it is fixed (1), or along one direction only (2), whether it may bear a
# force, where it is fixed, the force, where it is, its velocity, whether a step has lifted it, how many seconds
# it still bears that touched before its plan said so, whether it is to touch though its plan has it in the air, and
# in how many seconds it comes to the ground if it slows down before.
POINT_FIXED, BEARS, ANCHOR, FORCE, PLACE, VELOCITY, LIFTED, EARLY, CALLED, AHEAD = 0, 1, 2, 5, 8, 11, 14, 15, 16, 17
STATE_COLUMNS = 18
# Columns of feet: whether it is held, by how much it is beside its place in the reference when it landed, along x and
# z, and how long ago; the time in a step that is under way, whether that one catches a fall, and where it was lifted;
# whether nothing of it has touched yet that touches in the reference, too.
HELD, FOOT_OFFSET, SINCE, CLOCK, REACTS, LIFTED_FROM, UNMATCHED = 0, 1, 3, 4, 5, 6, 8
FOOT_COLUMNS = 9
NO_STEP, LONG_AGO = -100.0, 1e3  # seconds: of a foot that takes no step, and since it landed, at the beginning
# What is carried from frame to frame: centre of mass and velocity as expected, whether it has begun, and by how much
# the reference is shifted, with velocity and acceleration.
EXPECTED, BEGUN, SHIFT = 0, 6, 7
CARRIED_COLUMNS = 16
# Columns of the motion of links (joints, 12): angular velocity, velocity of the joint's centre, and their derivatives.
LINK_TURN, SPEED, TURN_RATE, SPEED_RATE = 0, 3, 6, 9
MOTION_COLUMNS = 12
# Columns of settings: seconds of a substep, gravity, friction, the body's height.
SETTING_STEP, GRAVITY, FRICTION, TALL = 0, 1, 2, 3
# Then in an animation space how fast the redundant rest comes to rest, a second, and which part of that draws it back
# to its reference.
SPACE_CALM, DRAWN = 4, 5
# And in the filter, see puppet.dynamics.gains, the frequencies of feedback of joints, limbs in the air, centre of mass
# and upper body, how soft the rows of the latter three are, and in the last push before a flight those of velocity
# upwards, along the ground, and of spin; the time and the height of a step, how far beyond the feet it begins; how far
# it may sink and go astray until the balance is lost.
JOINTS, LIMB, BALANCE, KEEP_UPRIGHT, SOFT_LIMB, SOFT_BALANCE, SOFT_UPRIGHT = 4, 5, 6, 7, 8, 9, 10
SOFT_UPWARDS, SOFT_ALONG, SOFT_SPIN, SWING, LIFT, BEYOND, SUNK, ASTRAY = 11, 12, 13, 14, 15, 16, 17, 18
EDGES = 4  # of a friction cone; a grip has six, what slides and a rope one
MOST_EDGES = 6
EASE = 1e-5  # how much forces are preferred that are small and evenly shared
SPACE_EASE = 1e-9  # in an animation space, where small bodies are heavy: nothing may sag
EXPLAINING_EASE = 1e-8
