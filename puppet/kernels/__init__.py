"""Compiled inner loops: plain functions on plain arrays. Only their loader is imported from outside."""
