"""The packages that exercises need beside PyTorch and Triton, and whether this machine has them.

Imports none of them. What an exercise needs of the machine (a GPU, a compiler) is asked elsewhere.
"""

from collections.abc import Iterable
from importlib.util import find_spec

from tutor.xray.model.compiler import find_missing

_XDSL = "xDSL is not installed here: python -m pip install 'xdsl==0.75.0'"


def say_missing(needs: Iterable[str]) -> str:
    """Return the sentence on the first package of `needs` that is missing, with the line that installs
    it; "" if none is."""
    needs = tuple(needs)
    if missing := find_missing(needs):
        return missing.say_missing()
    return _XDSL if "xdsl" in needs and find_spec("xdsl") is None else ""
