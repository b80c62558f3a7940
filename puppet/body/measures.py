"""Measures of the world that a body lives in, in metres and seconds."""

from __future__ import annotations

EARTH_GRAVITY = 9.81  # metres a second squared
METRES = 1.75  # how tall a body is of which nothing is said
