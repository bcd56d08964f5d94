"""The home of this run of the tests, and how a home of a test's own shares its warm judge."""

import os
from pathlib import Path

RUNTIME = (
    "TUTOR_TEST_RUNTIME"  # the variable that holds the run's folder; `tests/conftest.py` sets it
)
_SHARED = ("judge", "triton", "triton-own", "inductor", "inductor-own")  # folders of `cache`


def run_home() -> Path:
    return Path(os.environ[RUNTIME]) / "home"


def share_judge(home: Path) -> Path:
    """Let a home have the run's warm judge, and what Triton and Inductor compiled for it. Return it.

    A home of its own has a judge of its own, which imports torch; Inductor first precompiles C++ headers
    for it, seven seconds of processor time; and the solution of an exercise is compiled anew. A judge
    belongs to the folder in which it writes, so links are all that it takes. Outside a run of the tests
    nothing is shared.
    """
    if RUNTIME in os.environ:
        (home / "cache").mkdir(parents=True, exist_ok=True)
        for name in _SHARED:
            (run_home() / "cache" / name).mkdir(parents=True, exist_ok=True)
            if not (home / "cache" / name).exists():
                (home / "cache" / name).symlink_to(run_home() / "cache" / name)
    return home
