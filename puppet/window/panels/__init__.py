"""The panels of the window: each shows a few values, and knows whom to tell when it is pressed."""
