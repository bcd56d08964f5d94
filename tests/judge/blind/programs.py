"""Programs that were written from the tasks alone, without sight of rules, solutions or wrong answers.

Each exercise has a file. A program of kind "right" is right in a style of its own. One of kind "idea"
gives right numbers without what the task is about, or breaks a sentence of it that the numbers do not
show. One of kind "slip" has one mistake, as learners make it. `what` says what is wrong, `lines` where;
an idea that is a program of its own may have none.
`first` is the judge's answer when the program was first judged, before anybody had seen it: at a first
trial, for the 180 ideas and 180 slips of the last names with a p at a second, and for names with a t, u
and v at a third, fourth and fifth. Names with a w are those of one who tried a new exercise before it
was published. Names with an x are those of a sixth trial, 529 programs. It was judged in two parts, the
second with torch 2.11 and Triton 3.6, and nothing was tuned to them before both were at an end. Names
with a y are those of a seventh, 455 programs, and ten for an exercise that is newer than it. Names with
a z are those of an eighth, 72 programs for nine exercises that were new. Names with a q are those of
people who tried six exercises of Week 7 before these were published, names with an r and an s those of
people who tried the exercises of Weeks 8 to 10. Names with an n are those of a trial of 102
exercises after all had been tried with their sources open, names with a k those of a trial of all
exercises that need no extra.

`python -m tests.judge.blind.programs [SLUG …]` judges them all and prints a table (some half an hour).
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from tutor.base import paths
from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import Verdict

FOLDER = Path(__file__).parent
KINDS = ("right", "idea", "slip")
# Judged otherwise than the author of the program asks, with the reason.
ARGUED = {
    (
        "running_total",
        "v02",
    ): "meant to be right; the task did not say yet that a number is loaded once",
    ("pipeline_walk", "v03"): "the newest file is this one, unless another compiles meanwhile",
    ("autotune", "u00"): "meant to be right, and its configurations are slower than the limit asks",
    ("legal_schedule", "u05"): "a pair of tensors is a pair, and the task says so now",
    ("constant_folding", "p02"): "symbolic_trace fetches each weight once, so no graph shows it",
    ("custom_op", "p05"): "x is float32 on the CPU, and so are new tensors by default",
    ("custom_lowering", "p02"): "Inductor fuses what is realized back into one kernel",
    ("fix_graph_breaks", "p01"): "one graph is captured, and eager mode is not asked about",
    ("flash_fp16", "p05"): "exp2 is advice, and other right answers use exp",
    ("fold_layer_norm", "p01"): "the layer is asked for, not how its numbers are found",
    ("gemm_fp16", "p01"): "the size of a tile is advice",
    ("index_2d", "p01"): "another right answer has a flat grid",
    ("outer_sum", "p00"): "a tile may be one row",
    ("strided_copy", "p02"): "which lane copies which element is not judged",
    ("transpose_naive", "p01"): "a row in one block is one way to walk it",
    ("transpose_naive", "p03"): "a twist asks for this program",
    ("vector_add", "p00"): "copies of inputs by PyTorch count as honest work",
    ("add_ten", "p07"): "the starter launches one program; that more do it is no fault",
    ("add_ten_blocks", "p04"): "the block is the one of the starter, not a demand",
    ("batched_dot", "n00"): "the task: a program for each product is a good start, no demand",
    ("occupancy", "n01"): "the task: only the answers of the part by hand are judged",
    ("batched_dot", "p06"): "one tl.dot is what is enough",
    ("dead_code", "p08"): "a rule of your own beside what eliminate_dead_code leaves is right too",
    ("dependence_vectors", "p09"): "how it is found is not asked; the reference enumerates too",
    ("fp16_accumulate", "p03"): "float16 in memory is asked for, and a twist has it too",
    ("gemm_tf32", "p04"): "the size of a tile is advice",
    ("graph_surgery", "p09"): "the task: changes it and returns it, or returns a new one",
    ("grouped_order", "p09"): "the steps along K are not asked about",
    ("index_2d", "p07"): "a grid of one axis is right too (first trial)",
    ("legal_schedule", "p07"): "how it is found is not asked",
    ("matmul_naive", "p07"): "a loop is what was needed on Day 3; nothing forbids one block",
    ("matmul_naive", "p09"): "another right answer has a row a program",
    ("outer_sum", "p07"): "copies of inputs by PyTorch count as honest work, as in vector_add p00",
    ("outer_sum", "p09"): "the task: another way to share the output out is right too",
    ("pipeline_walk", "p06"): "the newest file is this one, unless another compiles meanwhile",
    ("fused_chain", "p02"): "a function that is compiled already may be compiled again",
    ("fold_pass", "t03"): "a second batch norm after a folded one may be folded too, says the task",
    ("tiled_matmul", "x05"): "tiles of 16 by 16 move 4.2 times the matrices, and 14 are allowed",
    (
        "dynamic_shapes",
        "x07",
    ): "torch.compile takes `disable` off what it is given, and compiles it",
    (
        "row_softmax",
        "x07",
    ): "meant to be right; it loads a row's first number twice, and the task forbids it plainly now",
    ("algebra", "y04"): "inplace=False says what holds anyway, and no number shows it",
    ("tiled_matmul", "y04"): "tiles of 16 by 16 move 4.2 times the matrices, and 14 are allowed",
    ("bias_gelu", "y03"): "PyTorch's own GELU becomes infinite for such numbers too",
    (
        "read_a_trace_of_tuning",
        "z02",
    ): "an annotation counts before EnterPostproc, and the task says so now",
    (
        "read_a_trace_of_tuning",
        "z08",
    ): "there is no TVM where it was judged, so it reads the trace itself",
    ("tune_matmul", "z07"): "`tuned` is the learner's aid: the judge asks `tune`",
    ("sketch_space", "k01"): "its logarithms are exact for as many ways as a tile has here",
    ("sketch_space", "z06"): "it writes down the tiles of a loop, and no program",
    (
        "int8_matmul",
        "z07",
    ): "two products of int8 tiles are a way too, and the task forbids it no more",
    ("autotune", "k02"): "meant to be right, and its configurations are slower than the limit asks",
    ("gptq", "k02"): "meant to be right; its result is not contiguous, and the task asks for that",
    (
        "pass_tests",
        "k03",
    ): "no wrong build errs between 1.2 and 1.44 times as much as rounding does",
    ("ring_allreduce", "k02"): "parts of other sizes send no more bytes, in as many calls",
    (
        "gemm_grouped",
        "k01",
    ): "its order stands in a table; what is loaded beside a and b is not judged",
    ("autotune", "x01"): "meant to be right, and its configurations are slower than the limit asks",
}
ARGUED |= {
    (
        "capture_five_ways",
        name,
    ): "the task did not say yet that a dtype counts, and it raises on two"
    for name in ("p06", "p08")
}
ARGUED |= {
    ("fold_layer_norm", "o08"): "the layer is asked for, not how its numbers are found",
    ("pack_int4", "m01"): "meant to be right; the task asks for a contiguous tensor",
    ("tiled_matmul", "m08"): "small tiles move 4.2 times the matrices, and 14 are allowed",
    ("pass_tests", "s01"): "its networks hide what a build with scales a quarter too large does",
    ("pass_whole", "s04"): "feedback for the last call alone keeps the 85 % that the task asks",
}
ARGUED |= {
    ("dead_code", name): "the task did not say yet that a name with two `_` at its end is no write"
    for name in ("t00", "u00", "u01", "v00", "x01", "x02")
}


@dataclass(frozen=True)
class BlindProgram:
    """A program, and what its author says of it."""

    slug: str
    name: str
    kind: str
    what: str
    lines: tuple[int, ...]
    first: str
    code: str


def read_programs(slug: str) -> list[BlindProgram]:
    """Return the programs of an exercise. An edit replaces a text that stands once in its base."""
    rows = tomli.loads((FOLDER / f"{slug}.toml").read_text("utf-8"))["program"]
    codes: dict[str, str] = {row["name"]: row["code"] for row in rows if "code" in row}
    return [_program(slug, row, codes) for row in rows]


def _program(slug: str, row: dict[str, Any], codes: dict[str, str]) -> BlindProgram:
    code = row.get("code") or codes[row["base"]]
    for edit in row.get("edit", ()):
        if code.count(edit["replace"]) != 1:
            raise ValueError(f"{slug} {row['name']}: {edit['replace']!r} does not stand once")
        code = code.replace(edit["replace"], edit["with"])
    fixed = (row["name"], row["kind"], row["what"], tuple(row["lines"]), row["first"])
    return BlindProgram(slug, *fixed, code)


def slugs() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def judge_program(judge: Judge, program: BlindProgram, seed: int = 11) -> Verdict:
    """Judge a program as `tutor check` does, without timing and without a search for a repair."""
    file = f"{program.slug}.py"
    submission = Submission(program.slug, program.code, file, timing=False, seed=seed)
    last: object = None
    for event in judge.submit(submission):
        last = event
    assert isinstance(last, Verdict)
    return last


def is_as_asked(program: BlindProgram, passed: bool) -> bool:
    """Return True if a right program is accepted or a wrong one refused, but for those of `ARGUED`."""
    return passed == ((program.kind == "right") != ((program.slug, program.name) in ARGUED))


def trial(names: list[str]) -> Iterator[tuple[BlindProgram, Verdict]]:
    with Judge(paths.course_root()) as judge:
        for slug in names or slugs():
            for program in read_programs(slug):
                yield program, judge_program(judge, program)


def main() -> None:
    counts: Counter[tuple[str, bool]] = Counter()
    for program, verdict in trial(sys.argv[1:]):
        counts[program.kind, verdict.passed] += 1
        if not is_as_asked(program, verdict.passed):
            answer = "accepted" if verdict.passed else "refused"
            print(f"{answer}: {program.slug} {program.name} ({program.kind}): {program.what}")
    for kind in KINDS:
        accepted, refused = counts[kind, True], counts[kind, False]
        print(f"{kind}: {accepted} accepted, {refused} refused of {accepted + refused}")


if __name__ == "__main__":
    main()
