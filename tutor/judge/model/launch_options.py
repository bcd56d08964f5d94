"""Values that say how the interpreter runs a case. Needs neither torch nor Triton."""

BACKWARDS = 0  # as an order of programs: the last one first; any other number is a seed

# Values of a masked lane that has no `other`: no right answer depends on them. NaN alone is not enough,
# because a maximum ignores it (`tl.max` with propagate_nan off).
POISONS = ("huge", "nan", "-huge")
