"""Random drags with random pins, to try whether anything breaks."""

from __future__ import annotations

import numpy as np

from puppet import Body, CentreOfMass, Figure
from puppet.types import Floats


def random_drag(body: Body, seed: int, steps: int = 12) -> Floats:
    """The frames (steps + 1, dofs) of a drag of any part, to anywhere, with none to five pins of any kind; sometimes
    with the centre of mass held, sometimes of a part that is pinned itself."""
    random = np.random.default_rng(seed)
    figure = Figure(body)
    names = body.joint_names
    for part in random.permutation(len(names))[: random.integers(0, 6)]:
        gain = float(random.choice([1.0, 1.0, 0.5, random.uniform(0.0, 1.0)]))
        point = random.uniform(-0.1, 0.1, 3) * (random.random() < 0.5)
        figure.pin(names[part], point=point, orientation=bool(random.integers(2)), gain=gain)
    if random.random() < 0.2 and any(joint.mass > 0.0 for joint in body.joints):
        figure.hold("balance", CentreOfMass(x=float(figure.centre_of_mass[0]), z=float(figure.centre_of_mass[2])))
    frames = [figure.angles]
    part = names[int(random.integers(len(names)))]
    by = random.normal(size=3) * random.choice([0.05, 0.2, 1.0])
    return np.concatenate([frames, figure.drag(part, by=by, steps=steps)])
