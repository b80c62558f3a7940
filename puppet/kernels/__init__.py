"""Compiled inner loops: plain functions on plain arrays. Nothing outside puppet.compiled imports them."""
