"""The packages that exercises need beside PyTorch and Triton, and whether this machine has them.

Imports none of them. What an exercise needs of the machine (a GPU, a compiler) is asked elsewhere.
"""

from collections.abc import Iterable
from importlib.util import find_spec

from tutor.xray.model.compiler import find_missing

# Packages that are no compiler of the ladder: the module's name, and what pip installs.
_PACKAGES = {"xdsl": ("xDSL", "xdsl==0.75.0"), "torchao": ("torchao", "torchao==0.18.0")}


def say_missing(needs: Iterable[str]) -> str:
    """Return the sentence on the first package of `needs` that is missing, with the line that installs
    it; "" if none is."""
    needs = tuple(needs)
    if missing := find_missing(needs):
        return missing.say_missing()
    for name, (title, package) in _PACKAGES.items():
        if name in needs and find_spec(name) is None:
            return f"{title} is not installed here: python -m pip install '{package}'"
    return ""
