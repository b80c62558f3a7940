"""When a peer has arrived: a little inside what the judge allows, so that rounding never decides."""

import math

from benchmarks.judge import ORIENTATION_TOLERANCE, POSITION_TOLERANCE

POSITION_STOP = 0.98 * POSITION_TOLERANCE
ORIENTATION_STOP = 0.98 * math.radians(ORIENTATION_TOLERANCE)
