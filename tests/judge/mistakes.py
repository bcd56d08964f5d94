"""Slips of the hand in right kernels of other styles: does the judge find them, and name them first?

    python tests/judge/mistakes.py [--count 240] [--seed 1] [--list]

The kernels are those of `kernels/*/right`, which the rules were not written for. Each slip is one
edit of the text, with the codes that name it; some were added after a look at seed 1. Some edits change
no result (a mask where all lanes exist, a clamp that never clamps): those pass, and are counted apart.
Prints a row for each slip, and the share named first among the rejected; with --list each that was
named otherwise.
"""

import argparse
import ast
import contextlib
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from judging import first_code, judged

from tutor.base import paths
from tutor.judge.client import Judge
from tutor.judge.model.verdict import Verdict

OUT = ("missing-mask", "out-of-bounds-load", "out-of-bounds-store")
UNWRITTEN = ("output-not-written", "too-few-programs", "wrong-program-id")
LEFT_OUT = ("wrong-values", *UNWRITTEN)  # of a sum: "the last, partial block is left out"
ONE_PROGRAM = (*UNWRITTEN, "race", "hard-coded-size")  # "one block is taken for the whole"
RAISED = ("compile-error", "crash", "wrong-shape")
VALUES = ("wrong-values", "unstable-numerics", "nan-handling")
NUMBER = r"(?<=[a-z\])])"  # what stands before an operator


@dataclass(frozen=True)
class Slip:
    """An edit: a pattern, what replaces one of its places, and the codes that name it."""

    name: str
    pattern: str
    replacement: str
    codes: tuple[str, ...]


SLIPS = (
    Slip("load without a mask", r"(tl\.load\([^\n()]*), mask=[^\n()]*\)", r"\1)", OUT),
    Slip("store without a mask", r"(tl\.store\([^\n]*?), mask=[^\n]*\)(?=\n)", r"\1)", OUT),
    Slip("<= for < in a bound", r"(?<= )< (?=[a-zA-Z_]+\b)", "<= ", (*OUT, "wrong-values")),
    Slip("grid rounded down", r"triton\.cdiv\(([^,()]+), ([^()]+?)\)", r"(\1 // \2)", LEFT_OUT),
    Slip("first program only", r"tl\.program_id\((?:axis=)?0\)(?!\.)", "0", ONE_PROGRAM),
    Slip("axis 1 for 0", r"tl\.program_id\((?:axis=)?0\)", "tl.program_id(1)", ONE_PROGRAM),
    Slip(
        "minus for plus",
        NUMBER + r" \+ (?=[a-z(])",
        " - ",
        ("wrong-values", "output-not-written", *OUT),
    ),
    Slip(
        "plus for times",
        NUMBER + r" \* (?=[a-z(])",
        " + ",
        ("wrong-values", "race", "wrong-stride", *UNWRITTEN, *OUT, *RAISED),
    ),
    Slip("minimum for maximum", r"tl\.max(imum)?\(", r"tl.min\1(", VALUES),
    Slip("other axis", r"axis=1", "axis=0", ("wrong-values", "wrong-stride", *RAISED)),
    Slip("zero for infinity", r"""-?float\(["']-?inf["']\)""", "0.0", ("missing-mask", *VALUES)),
    Slip(
        "one in masked lanes", r"other=0(?:\.0)?\b", "other=1.0", ("missing-mask", "wrong-values")
    ),
    Slip(
        "store for atomic add",
        r"tl\.atomic_add\(",
        "tl.store(",
        ("race", "wrong-values", "output-not-written", "crash"),
    ),
    Slip(
        "kernel not launched",
        r"^( +)\w+\[[^\n]*\]\([^\n]*\)$",
        r"\1pass",
        ("did-not-launch", "output-not-written"),
    ),
    Slip(
        "result in half precision",
        r"(torch\.empty\w*\([^\n]*)\)(?=\n)",
        r"\1).half()",
        ("wrong-dtype", "low-precision", "crash", "did-not-launch"),
    ),
    Slip(
        "nothing returned",
        r"^( +)return (\w+)$",
        r"\1\2",
        ("crash", "wrong-dtype", "wrong-shape", "wrong-signature"),
    ),
    Slip(
        "one element further",
        r"tl\.arange\(0, (\w+)\)",
        r"(1 + tl.arange(0, \1))",
        ("wrong-values", "output-not-written", *OUT),
    ),
    Slip(
        "step of half a block",
        r"range\(([^,()]+), ([^,()]+), (\w+)\)",
        r"range(\1, \2, \3 // 2)",
        ("wrong-values", "race", "hard-coded-size", *OUT),
    ),  # "the step from one block to the next"
    Slip("function left out", r"tl\.(?:sqrt|rsqrt|exp|log)\(", "(", VALUES),
)


@dataclass(frozen=True)
class Mistake:
    slug: str
    style: str
    slip: Slip
    source: str


def mistakes() -> list[Mistake]:
    """Each slip at each place of each kernel where what comes out is Python."""
    found = []
    for path in sorted(paths.course_root().glob("kernels/*/right/*.py")):
        text = path.read_text("utf-8")
        if "@triton.jit" not in text:
            continue
        for slip in SLIPS:
            for place in re.finditer(slip.pattern, text, re.MULTILINE):
                edited = (
                    text[: place.start()] + place.expand(slip.replacement) + text[place.end() :]
                )
                with contextlib.suppress(SyntaxError):
                    ast.parse(edited)
                    found.append(Mistake(path.parent.parent.name, path.stem, slip, edited))
    return found


def chosen(count: int, seed: int) -> list[Mistake]:
    """As many of each slip as there are, in turn, until there are `count`."""
    by_slip = defaultdict(list)
    for mistake in mistakes():
        by_slip[mistake.slip.name].append(mistake)
    dice = random.Random(seed)
    for each in by_slip.values():
        dice.shuffle(each)
    found: list[Mistake] = []
    while len(found) < count and any(by_slip.values()):
        found += [each.pop() for each in by_slip.values() if each]
    return found[:count]


def outcome(mistake: Mistake, verdict: Verdict) -> str:
    """Return "passed", "named" if an accepted code comes first, or "other"."""
    if verdict.passed:
        return "passed"
    return "named" if first_code(verdict) in mistake.slip.codes else "other"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with Judge(paths.course_root()) as judge:
        for mistake in chosen(options.count, options.seed):
            verdict = judged(judge, mistake.source, mistake.slug)
            kind = outcome(mistake, verdict)
            counts[mistake.slip.name][kind] += 1
            if options.list and kind != "named":
                where = f"{mistake.slug}/{mistake.style}"
                print(f"{kind} {mistake.slip.name}: {where} {first_code(verdict)}", flush=True)
    for name, count in counts.items():
        print(
            f"{name:28} named {count['named']:3} other {count['other']:3} passed {count['passed']:3}"
        )
    total = sum(counts.values(), Counter())
    rejected = total["named"] + total["other"]
    print(
        f"{rejected} rejected, {total['named']} named first: {total['named'] / rejected:.1%}; "
        f"{total['passed']} pass"
    )


if __name__ == "__main__":
    main()
