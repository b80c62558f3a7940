"""Compiled inner loops: plain functions on plain arrays. Only `loader`, `model`, `figure_model`, `solid_model` and
`dynamics_model` are imported from outside."""
