"""A file of tracks in (poses, pins and physics over time), a performance out."""
