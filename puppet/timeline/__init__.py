"""A report in, a timeline out, as text, SVG or PNG: which task owned which body segments in which frames."""
