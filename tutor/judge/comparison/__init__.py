"""Comparison of an output with the truth, and facts about the wrong elements. Names no cause."""
