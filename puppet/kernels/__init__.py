"""Compiled inner loops: plain functions on plain arrays. From outside only `loader` and `model` are imported."""
