"""Pins, drags and other tasks for a whole body in, the posture that satisfies them best out."""

from __future__ import annotations

from puppet.solver.features import AngularMomentum, CentreOfMass, Feature, Function, Inertia
from puppet.solver.figure import Figure, Residual
from puppet.solver.refine import refine

__all__ = [
    "AngularMomentum",
    "CentreOfMass",
    "Feature",
    "Figure",
    "Function",
    "Inertia",
    "Residual",
    "refine",
]
