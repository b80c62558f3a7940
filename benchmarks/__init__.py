"""Measurements: our posture solver and other people's on the same problems."""
