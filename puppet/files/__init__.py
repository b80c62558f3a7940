"""File names in, contents out: text, strict YAML, the files shipped with puppet, and atomic writes."""
