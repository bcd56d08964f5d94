import itertools

import torch

from tutor.judge.spec import Case, Work


def counted(values, machine, *, change=""):
    """The five counts by comparisons of whole numbers. The option names a mistake."""
    shared, registers, threads = machine
    rows = []
    for m, n, k, warps, stages in itertools.product(*values):
        large = m > 64 if change == "above" else m >= 64 or change == "buffers"
        buffers = stages if large else stages - 1
        size = 4 if change == "bytes" else 2
        tiles = m * n if change == "product" else m + n
        spare = 0 if change == "spare" else 32
        lanes = warps if change == "lanes" else 32 * warps
        need = buffers * tiles * k * size
        rows.append(
            (lanes <= threads, m * n <= lanes * (registers - spare),
             need < shared if change == "strict" else need <= shared)
        )  # fmt: skip
    each = [sum(row[i] for row in rows) for i in range(3)]
    return [len(rows), *each, min(each) if change == "least" else sum(map(all, rows))]


def reference(values, machine):
    return torch.tensor(counted(values, machine))


eager = reference


def by_mistake(change):
    return lambda values, machine: torch.tensor(counted(values, machine, change=change))


NEAR_MISSES = (
    ("every configuration has `num_stages` buffers", by_mistake("buffers")),
    ("a tile of exactly 64 rows has one buffer less", by_mistake("above")),
    ("a number in shared memory has 4 bytes, not 2", by_mistake("bytes")),
    ("the tile of sums lies in shared memory, not in registers", by_mistake("product")),
    ("the 32 registers for all else are missing", by_mistake("spare")),
    ("a warp counts as one thread", by_mistake("lanes")),
    ("a configuration that needs all of the shared memory does not fit", by_mistake("strict")),
    ("the last number is the smallest of the three before it", by_mistake("least")),
)


def work(values, machine):
    return Work(bytes=8 * sum(map(len, values)), flops=0)


H200 = [232448, 255, 1024]


def fixed(*values, machine=H200):
    return lambda g: ([list(each) for each in values], list(machine))


def by_dice(g):
    def draw(low, high):
        return int(torch.randint(low, high, (1,), generator=g, device=g.device))

    blocks = [[2 ** draw(4, 9) for _ in range(draw(1, 5))] for _ in "mn"]
    steps, warps = [2 ** draw(4, 8) for _ in "kkk"], [2 ** draw(0, 6) for _ in "ww"]
    stages = [draw(2, 7) for _ in "ss"]
    return [*blocks, steps, warps, stages], [1024 * draw(40, 228), draw(100, 256), 2 ** draw(7, 11)]


CASES = (
    Case("one configuration", fixed([128], [256], [64], [8], [4])),
    Case("exactly the shared memory", fixed(
        [64], [64], [64], [4], [2, 3], machine=[32768, 255, 1024])),
    Case("exactly the registers", fixed(
        [64, 128], [128], [32], [4, 8], [2], machine=[232448, 96, 1024])),
    Case("a part of a register too many", fixed(
        [16], [16], [32], [8, 16], [2], machine=[232448, 32, 1024])),
    Case("exactly the threads", fixed([64], [64], [32], [4, 8, 16], [2], machine=[232448, 255, 256])),
    Case("few rows", fixed([16, 32], [256], [128], [4], [2, 3, 4])),
    Case("few rows, one pair of tiles", fixed(
        [16], [64], [128], [4], [2, 3], machine=[20480, 255, 1024])),
    Case("the recorded space", fixed(
        [32, 64, 128, 256], [64, 128, 256], [32, 64, 128], [4, 8], [2, 3, 4])),
    Case("nothing fits", fixed([512], [512], [128], [1], [8])),
    Case("a small GPU", fixed(
        [32, 64, 128], [32, 64, 128], [32, 64], [2, 4, 8], [2, 3], machine=[49152, 128, 128])),
    Case("a GPU of another age", fixed(
        [64, 128, 256], [256, 512], [64], [8, 32, 64], [2, 3, 4], machine=[1 << 20, 512, 2048])),
    Case("written by dice", by_dice),
    Case("written by dice again", by_dice),
)  # fmt: skip
