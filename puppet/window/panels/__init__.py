"""The panels of the window: each shows a few values, and calls back when it is pressed."""
