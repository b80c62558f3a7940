"""Pins, drags and other tasks for a whole body in, the posture that satisfies them best out."""

from __future__ import annotations

from puppet.solver.courses import PartCourse, follow_courses
from puppet.solver.features import AngularMomentum, CentreOfMass, Feature, Function, Inertia
from puppet.solver.figure import Figure
from puppet.solver.model import figure_model, figure_tables
from puppet.solver.refine import refine
from puppet.solver.task import Residual, task_row

__all__ = [
    "AngularMomentum",
    "CentreOfMass",
    "Feature",
    "Figure",
    "Function",
    "Inertia",
    "PartCourse",
    "Residual",
    "figure_model",
    "figure_tables",
    "follow_courses",
    "refine",
    "task_row",
]
