"""How precise a verdict's time is, on a CUDA GPU (`tutor.bench.timing_precision`): status 1 where
a bound is passed. To be run by hand:

    python tests/judge/timing/timing_against_cupti.py [REPEATS]
"""

import sys

from tutor.bench import timing_precision
from tutor.course.catalog.course import open_course


def main() -> int:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    holds = True
    for found in timing_precision.measure(open_course(), repeats=repeats):
        print(found.line(), flush=True)
        holds = holds and found.holds
    return int(not holds)


if __name__ == "__main__":
    sys.exit(main())
