"""Other people's solvers, one a file, built from the same body data and given the same problems."""
