"""Compiled inner loops: plain functions on plain arrays. Only `loader`, `model`, `figure_model` and `solid_model` are
imported from outside."""
