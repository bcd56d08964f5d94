"""For all tests: the machine is shared, so Hypothesis must not time its examples."""

import os

from hypothesis import settings

settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")

# In a new home Inductor compiles a program for each instruction set of the processor, to see whether
# the compiler knows it: ten seconds, and every test with a home of its own would pay them.
os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")
