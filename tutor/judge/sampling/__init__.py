"""Samples of a function's time on a CPU or a GPU, and their medians. Judges no time."""
