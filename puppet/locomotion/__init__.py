"""Where a whole body shall go in, courses of its feet, its mass and its trunk frame by frame out: footsteps around what
stands there (`route`, `footsteps`), walking (`walking`), standing up, sitting down and crouching (`rising`), jumping
(`jumping`), swinging from a bar (`swinging`)."""
