"""Where a whole body shall go in, courses of its feet, its mass and its trunk frame by frame out: footsteps around what
stands there (`route`, `footsteps`), walking (`walking`), standing up, sitting down and crouching (`rising`), jumping
(`jumping`, `flight`), swinging from a bar (`swinging`); and postures in which the whole-body solver follows them
(`course`)."""

from __future__ import annotations

from puppet.locomotion.course import BodyCourse, FootCourse, follow_body, mass_centres
from puppet.locomotion.footsteps import Footstep, plan_footsteps, tread
from puppet.locomotion.jumping import jump_problem, jumping_course
from puppet.locomotion.landings import Landing, landings
from puppet.locomotion.legs import Foot, Legs, legs_of, measured, moved_by, standing_upright
from puppet.locomotion.planting import plant_feet
from puppet.locomotion.rising import crouching_course, rising_course
from puppet.locomotion.route import find_route, in_the_way, stance_before
from puppet.locomotion.stepping import rolled
from puppet.locomotion.swinging import swing_problem, swinging_course
from puppet.locomotion.walking import walking_course

__all__ = [
    "BodyCourse",
    "Foot",
    "FootCourse",
    "Footstep",
    "Landing",
    "Legs",
    "crouching_course",
    "find_route",
    "follow_body",
    "in_the_way",
    "jump_problem",
    "jumping_course",
    "landings",
    "legs_of",
    "mass_centres",
    "measured",
    "moved_by",
    "plan_footsteps",
    "plant_feet",
    "rising_course",
    "rolled",
    "stance_before",
    "standing_upright",
    "swing_problem",
    "swinging_course",
    "tread",
    "walking_course",
]
