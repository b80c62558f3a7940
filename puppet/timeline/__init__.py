"""The timeline of a performance: who owned which body segments from which frame to which."""
