"""Probes: further calls of a learner's function that show why an output is wrong or not its own."""
