"""A GPU that torch believes in on a machine without one; no compiling."""
