"""Compiled inner loops: plain functions on plain arrays. Only `loader`, `model` and `figure_model` are imported from
outside."""
