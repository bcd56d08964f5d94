import random
import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
SCRIPTS = list(PROBE["scripts"]())


def rows(blocks, size, script):
    counts = PROBE["Counts"](blocks, size)
    return [[*counts.play(line), -1, -1] for line in script]


def reference(blocks, size, script):
    return torch.tensor(rows(blocks, size, script))


eager = reference


def work(blocks, size, script):
    return Work(bytes=sum(map(len, script)) + 16, flops=0)


def scale(blocks, size, script):
    return 0.0


def explain_wrong(got, blocks, size, script):
    return fault_of(got.tolist(), blocks, size, script)


def check_found(found):
    """(code, sentence) for the first drawn script on which the manager is wrong, else None."""
    for got, script in zip(found["rows"], SCRIPTS, strict=True):
        if fault := fault_of(got, *script):
            return "wrong-values", f"On a longer script, {fault[0].lower()}{fault[1:]}"
    if not found["beside"]:
        return "wrong-values", "Two managers have something in common: what one does changes the other."
    return None


def fault_of(got, blocks, size, script):
    """Return a sentence on the first line after which something is wrong, else None."""
    for step, (row, want, line) in enumerate(
        zip(got, rows(blocks, size, script), script, strict=True)
    ):
        if row == want:
            continue
        done, free, copies, sequence, token = row
        where = f"After line {step}, `{line}` ({blocks} blocks of {size})"
        if done != want[0]:
            says, right = ("no room", "there is room") if want[0] else ("done", "there is no room")
            return f"{where}: the manager says {says}, and {right}."
        if sequence >= 0:
            return f"{where}: s{sequence} does not find its token {token} where its table leads."
        if copies != want[2]:
            asked = {0: "no copy", 1: "one copy"}.get(copies, f"{copies} copies")
            return f"{where}: the list has {asked}, and {('no', 'one')[want[2]]} copy is needed."
        return f"{where}: {free} blocks are free, and it should be {want[1]}."
    return None


def fixed(blocks, size, text):
    lines = [line.strip() for line in text.strip().splitlines()]
    return lambda g: (blocks, size, list(lines))


def by_dice(g):
    dice = random.Random(int(torch.randint(0, 2**31, (1,), generator=g, device=g.device)))
    size, blocks = dice.choice((2, 3, 5, 8)), dice.randint(5, 16)
    return blocks, size, PROBE["drawn"](dice, blocks, size, 60)


CASES = (
    Case("one sequence", fixed(4, 4, """
        allocate s0 1
        append s0
        append s0
        append s0
        append s0
        release s0""")),
    Case("lengths that are multiples", fixed(6, 4, """
        allocate s0 4
        allocate s1 8
        append s1
        append s0
        release s1
        allocate s2 12""")),
    Case("no room", fixed(3, 2, """
        allocate s0 4
        allocate s1 3
        allocate s2 1
        append s0
        append s2
        append s2
        release s0
        append s2
        allocate s3 2
        append s3""")),
    Case("a fork writes first", fixed(6, 4, """
        allocate s0 6
        fork s0 s1
        append s1
        append s0
        append s1
        append s0
        append s0
        release s0
        append s1
        release s1""")),
    Case("the first one writes first", fixed(6, 4, """
        allocate s0 6
        fork s0 s1
        append s0
        append s1
        append s0
        release s1
        append s0
        allocate s2 8""")),
    Case("a full block is shared", fixed(5, 4, """
        allocate s0 8
        fork s0 s1
        append s1
        append s0
        append s1
        release s0
        append s1""")),
    Case("three of one prompt, and too few blocks", fixed(4, 4, """
        allocate s0 6
        fork s0 s1
        fork s1 s2
        append s2
        append s0
        append s1
        release s2
        append s1
        append s1
        append s1
        release s0
        append s1""")),
    Case("it ends before its fork writes", fixed(3, 4, """
        allocate s0 7
        fork s0 s1
        release s0
        append s1
        append s1
        allocate s2 1
        append s1
        release s1
        allocate s3 8""")),
    Case("drawn", by_dice),
    Case("drawn again", by_dice),
)
