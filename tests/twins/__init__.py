"""Readable twins of kernels, in plain NumPy and from the equations: slow, short, and held against what is compiled."""
