"""Pictures of puppets: cameras and models are plain arrays, only context, renderer and what they use know OpenGL."""
