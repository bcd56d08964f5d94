"""Data of the ladder: stages and their links, differences, folding, comparison; no screen."""
