"""Judges of motion: holds, clearances, paths, wrists, trunk and gaze of a performance, beside people's.

`python -m benchmarks.motion` measures random scenes; the tests hold the promises on fewer of them.
"""
