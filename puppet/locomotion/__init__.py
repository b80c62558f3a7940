"""Where a whole body shall go in, courses of its feet, its mass and its trunk frame by frame out: footsteps around what
stands there (`route`, `footsteps`, `soles`), walking (`walking`), standing up, sitting down and crouching (`rising`),
jumping (`jumping`, `flight`), swinging from a bar (`swinging`), stopping on the way (`stopping`); and postures in which
the whole-body solver follows them (`course`)."""

from __future__ import annotations

from puppet.locomotion.course import LOOSE, BodyCourse, FootCourse, follow_body, mass_centres, running_mean
from puppet.locomotion.footsteps import Footstep, plan_footsteps, tread, walk_steps
from puppet.locomotion.jumping import jump_problem, jumping_course, pushes_off, soles_over_floor
from puppet.locomotion.landings import Landing, landings
from puppet.locomotion.legs import Foot, Legs, foot_contacts, legs_of, measured, moved_by, standing_upright
from puppet.locomotion.planting import plant_feet
from puppet.locomotion.rising import crouching_course, rising_course
from puppet.locomotion.route import (
    before_shelf,
    find_route,
    in_the_way,
    room_to_bend,
    stance_before,
    stance_before_floor,
)
from puppet.locomotion.stepping import ON_TOES, plan_stepping, rolled
from puppet.locomotion.stopping import last_steps, sampled, taken_over, turning_back
from puppet.locomotion.swinging import swing_problem, swinging_course, turns_left
from puppet.locomotion.walking import walking_course

__all__ = [
    "LOOSE",
    "ON_TOES",
    "BodyCourse",
    "Foot",
    "FootCourse",
    "Footstep",
    "Landing",
    "Legs",
    "before_shelf",
    "crouching_course",
    "find_route",
    "follow_body",
    "foot_contacts",
    "in_the_way",
    "jump_problem",
    "jumping_course",
    "landings",
    "last_steps",
    "legs_of",
    "mass_centres",
    "measured",
    "moved_by",
    "plan_footsteps",
    "plan_stepping",
    "plant_feet",
    "pushes_off",
    "rising_course",
    "rolled",
    "room_to_bend",
    "running_mean",
    "sampled",
    "soles_over_floor",
    "stance_before",
    "stance_before_floor",
    "standing_upright",
    "swing_problem",
    "swinging_course",
    "taken_over",
    "tread",
    "turning_back",
    "turns_left",
    "walk_steps",
    "walking_course",
]
