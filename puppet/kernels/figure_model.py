"""How the whole-body solver's kernels read a body: the columns of their tables. Nothing here is compiled.

A figure's posture is `angles` (dofs,) as the body has them, and `local` (joints, 9), each joint's rotation from its
parent, row by row. Joints with a range of directions, and a free root, are ball joints here: `local` is the truth about
them, and they move by angular velocities about their own three axes. All other joints are turned by their angles one
after the other. So there are as many velocities as angles, but those of a ball joint are not the derivatives of its
angles.
"""

from __future__ import annotations

from typing import NamedTuple

from puppet.types import Floats, Ints

# Columns of joints, whole numbers.
JOINT_PARENT, COUNT, BALL, JOINT_FIRST, JOINT_AXES, CORNER, CORNERS = 0, 1, 2, 3, 4, 7, 8  # JOINT_AXES takes three
FIGURE_JOINT_COLUMNS = 9
# Columns of links, floats: offset from the parent, mass, mass centre, inertia about it row by row, range, and the
# frames that it is seen from, two quaternions; cosine and sine of half the least upper bound of its twist, and of half
# the largest lower one.
LINK_OFFSET, MASS, CENTRE, INERTIA, BONE, BONE_SIGN, RANGE_CENTRE, RANGE_CENTRE_TWIST = 0, 3, 4, 7, 16, 17, 18, 20
PARENT_FRAME, OWN_FRAME = 22, 26
INNER_TWIST = 30  # takes four
LINK_COLUMNS = 34
# Columns of corners: the half-plane n1 a1 + n2 a2 <= c of the side from each corner on, the corner, bounds of its
# twist.
PLANE, CORNER_POINT, CORNER_TWIST = 0, 3, 5
CORNER_COLUMNS = 7
# Columns of velocities: the inverse of the metric when all joints serve, limits of the angle, the same when wide, which
# one's bend widens them, its joint, its angle's place in `angles`.
(
    MOBILITY,
    VELOCITY_LOWER,
    VELOCITY_UPPER,
    VELOCITY_WIDE_LOWER,
    VELOCITY_WIDE_UPPER,
    VELOCITY_WIDENS_WITH,
    VELOCITY_JOINT,
    ANGLE,
) = 0, 1, 2, 3, 4, 5, 6, 7
VELOCITY_COLUMNS = 8
# Columns of tasks: what is asked for, of which joint, at which point of its segment; the target, a place and a rotation
# row by row; which of its axes count; how firmly; how large an error counts in one step; the pull of the last step.
TASK_KIND, LINK, AT, TARGET, TARGET_TURN, COUNTS, SOFT, GIVING, LARGEST, PRIORITY = 0, 1, 2, 5, 8, 17, 20, 21, 22, 23
PULL = 24  # takes three
TASK_COLUMNS = 27
POSITION, ORIENTATION, MASS_CENTRE, MOMENT, MOMENTUM = 0, 1, 2, 3, 4  # kinds
STUCK = 5.0  # how much more a task of the first priority gives where it is out of reach than where it is followed
LARGEST_STEP = 0.2  # radians that a joint turns by in one step of a frame at most


class FigureModel(NamedTuple):
    joints: Ints  # (joints, FIGURE_JOINT_COLUMNS)
    links: Floats  # (joints, LINK_COLUMNS)
    corners: Floats  # (corners of all ranges, CORNER_COLUMNS)
    velocities: Floats  # (velocities, VELOCITY_COLUMNS)
    chains: Ints  # (joints, velocities + 1): how many velocities move a joint, then which, from the root on
