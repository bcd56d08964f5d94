"""A soak outside the suite: more than 100 submissions that misbehave, a right answer after each.

    python tests/judge/hostile_files.py [NAME …]

They exhaust, stop, kill and lie (`hostile_files.toml`): run it in a machine that may be thrown away.
Each must get a verdict, no wrong one may pass, and the right answer after it must be right. Exits with
1 if one did otherwise.
"""

import sys
import tempfile
import time
from pathlib import Path

import tomli
from judging import KERNEL, RIGHT, first_code, judged, small_course

from tutor.judge.client import Judge

FILES = tomli.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["file"]
# Too long, or of characters that a table cannot hold.
LONG = {
    "10 000 brackets": "x = " + "(" * 10_000 + ")" * 10_000 + "\n" + RIGHT,
    "100 000 signs": "x = " + "-" * 100_000 + "1\n" + RIGHT,
    "50 000 attributes": "def q(a):\n    return a" + ".b" * 50_000 + "\n" + RIGHT,
    "60 000 terms": "def q(a):\n    return " + "+".join(["a"] * 60_000) + "\n" + RIGHT,
    "5 000 branches": "def q(a):\n    if a == 0: pass\n"
    + "".join(f"    elif a == {n}: pass\n" for n in range(5_000))
    + RIGHT,
    "a NUL": RIGHT + "# \0\n",
    "CR line ends": RIGHT.replace("\n", "\r"),
    "a line of 900 kB": f"X = '{'x' * 900_000}'\n" + RIGHT,
    "turned text": "# \u202e evil \u2066\n" + RIGHT,
    "20 000 functions": "".join(f"def f{n}(): pass\n" for n in range(20_000)) + RIGHT,
    "half a character": f"X = {chr(0xD800)!r}\n" + RIGHT,
}
WRONG = ("builtins lie", "function mode zeros", "patches add for the next")  # if they pass
SLOW = 30.0  # seconds for the right answer after one; usually it is one


def texts() -> dict[str, str]:
    found = {
        file["name"]: file["text"].replace("{RIGHT}", RIGHT).replace("{KERNEL}", KERNEL)
        for file in FILES
    }
    return found | LONG


def main() -> int:
    bad, given = 0, texts()
    names = sys.argv[1:] or list(given)
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(small_course(Path(folder), seconds=5, memory_gib=2), cold=True)
        for name in names:
            fault = ""
            try:
                verdict = judged(judge, given[name])
                fault = "it passed" if verdict.passed and name in WRONG else ""
                said = "passed" if verdict.passed else first_code(verdict)
            except Exception as error:
                fault = said = f"{type(error).__name__}: {error}"
            begun = time.monotonic()
            try:
                after = judged(judge, RIGHT)
                if not after.passed:
                    fault = f"the right answer after it: {first_code(after)}"
                elif time.monotonic() - begun > SLOW:
                    fault = f"the right answer after it took {time.monotonic() - begun:.0f} s"
            except Exception as error:
                fault = f"after it: {type(error).__name__}: {error}"
            bad += bool(fault)
            print(f"{'BAD' if fault else 'ok ':3} {name}: {said} {fault}"[:200], flush=True)
        judge.close()
    print(f"{len(names)} files, {bad} bad")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
