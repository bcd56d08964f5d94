"""Triton's interpreter with checks of memory accesses and with the arithmetic of a GPU."""
