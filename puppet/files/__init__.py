"""Files and names in, contents out: strict YAML, shipped files by name, writing whole or not at all."""
