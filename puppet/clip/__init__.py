"""A BVH file of any program in, a body and a clip out: edited by scripts, retargeted to other bodies, and saved."""

from __future__ import annotations

from puppet.clip.clip import Clip
from puppet.clip.contacts import GroundContact
from puppet.clip.session import EditSession

__all__ = ["Clip", "EditSession", "GroundContact"]
