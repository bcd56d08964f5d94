"""What a program is written with, what the interpreter saw of it, and what a review makes of it."""

from pathlib import Path

import numpy as np
import pytest
from judging import judged

from tutor.base.paths import course_root
from tutor.course.model import Exercise, TwistPromise
from tutor.judge.diagnosis.evidence import CaseFacts
from tutor.judge.interpreter.launch_sketch import SketchRecorder
from tutor.judge.model.verdict import TwistFinding, Verdict, to_json
from tutor.judge.processes.worker_messages.kernel_report import (
    KernelReport,
    LaunchSketch,
    SketchedTile,
)
from tutor.judge.twists.asked import find_missed_twist, hold_to_twist
from tutor.judge.twists.promises import judge_twists

NAMES = "import triton.language as tl\nfrom torch import fx as graphs\nfrom numpy import sort\n"


def judge_with(source: str, *facts: CaseFacts, **demands: object) -> TwistFinding:
    """The finding on a program of a kernel exercise with one promise."""
    exercise = Exercise(
        "any", "", 1, "kernel", "f(x)", 1, (), "", (), Path(), twists=("Otherwise.",),
        twist_promises=(TwistPromise(1, **demands),),  # type: ignore[arg-type]
    )  # fmt: skip
    (finding,) = judge_twists(exercise, source, facts)
    return finding


# words that a promise uses or avoids, a program that has them, and one that has not
WORDS = [
    ("tl.exp2", "def f(x):\n    return tl.exp2(x)", "def f(x):\n    return tl.exp(x)"),
    ("tl.exp2", "from triton.language.math import exp2 as p\ny = p(1)", "exp2 = 1\ny = exp2"),
    ("tl.exp2", "two = tl.math.exp2\ny = two(1)", "# tl.exp2(x)\ny = 'tl.exp2'"),
    ("fx.Transformer", "class T(graphs.Transformer): pass", "from torch.fx import Transformer"),
    (".sort", "y = sort(x)", "def sort(x): return sorted(x)"),
    ("mask=", "y = tl.load(p, mask=m)", "mask = 1"),
    ("'key'", "y = x['key']", "key = 1"),
    ("def forward", "class A:\n    def forward(self): pass", "y = x.forward"),
    ("while", "while x: pass", "for _ in x: pass"),
    ("str", "y = str(x)", "def f(x: str) -> str: return x"),
    ("//", "x //= 2", "y = x / 2"),
    ("recursion", "def f(x): return g(x)\ndef g(x): return f(x)", "def f(x): return g(x)"),
    ("recursion", "class A:\n    def f(self): return self.f()", "class A:\n    def f(self): return f()"),
    ("tl.exp2", "@triton.jit\ndef f(x): return x.exp2()", "def f(x): return x.exp2()"),
    ("recursion", "class A:\n  def f(self): return A.f(self)", "class A:\n  def f(self): return f(1)"),
    (".cat", "y = torch.concat(x)", "y = torch.stack(x)"),
    ("^", "import operator\ny = operator.xor(x, 1)", "y = operator"),
    ("//", "y = divmod(x, 2)", "divmod = 2"),
    ("mask=", "y = tl.load(p, m)", "y = tl.load(p, *m)"),
    ("[None]", "y = x[:, None]", "y = x[:, 0]"),
    ("nest", "y = [i for j in x for i in j]", "y = [i for i in sorted(j for j in x)]"),
    ("nest", "for i in x:\n    while i: pass", "for i in [j for j in x]: pass\nfor j in x: pass"),
    ("nest", "for i in x:\n    for j in [k for k in i]: pass", "for i in x: pass"),
    ("mask= of tl.load", "y = tl.load(p, m)", "tl.store(p, x, mask=m)"),
    ("mask= of tl.load", "y = tl.load(p, mask=m)", "y = tl.load(p, cache=m)"),
    ("argument 2 of f", "def f(x, y): return g(y)", "def f(x, y): return g(x)\nz = y"),
    ("step= of range", "y = range(0, 8, 2)", "y = range(0, 8)"),
    ("comparison", "while x + 1 <= y: pass", "x = y == 1"),
    (
        "helper",
        "@triton.jit\ndef g(x): return x\n@triton.jit\ndef f(x): return g(x)",
        "def g(x): return x\n@triton.jit\ndef f(x): return g(x)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("word", "has", "lacks"), WORDS)
def test_words_of_a_program(word: str, has: str, lacks: str) -> None:
    assert judge_with(NAMES + has, uses=(word,)).kept
    assert not judge_with(NAMES + lacks, uses=(word,)).kept
    assert not judge_with(NAMES + has, avoids=(word,)).kept
    assert judge_with(NAMES + lacks, avoids=(word,)).kept


def test_the_sentence_says_what_was_seen() -> None:
    exp = f"{NAMES}def f(x):\n    return tl.exp(x)\n"
    found = judge_with(exp, uses=("tl.exp2 or .pow",))
    assert found.message == (
        "Right, but not by the twist: neither `tl.exp2` nor `.pow` is in your kernel."
    )
    found = judge_with(exp, avoids=("tl.exp",))
    assert (found.message, found.line) == ("Right, but not by the twist: line 5 has `tl.exp`.", 5)
    # Only there, and not in another function.
    assert judge_with(exp + "def g(x):\n    return x\n", avoids=("tl.exp",), within="g").kept
    for g in ("g = lambda x: f(x)\n", "def g(x):\n    return f(x)\n"):
        assert not judge_with(exp + g, avoids=("tl.exp",), within="g").kept
    assert judge_with(exp, avoids=("tl.exp",), within="@triton.jit").kept
    load = f"{NAMES}def f(p, m):\n    return tl.load(p, mask=m)\n"
    found = judge_with(load, avoids=("mask= of tl.load",))
    assert found.message == "Right, but not by the twist: line 5 has `mask=` of `tl.load`."
    found = judge_with(load, avoids=("argument 2 of f",))
    assert found.message == "Right, but not by the twist: line 5 has argument 2 of `f`."
    found = judge_with(exp, uses=("//",), within="@triton.jit")
    assert found.message == "Right, but not by the twist: a `//` is not in your kernel."


def seen(sizes: dict[str, int] | None = None, launches: int = 1, **fields: object) -> CaseFacts:
    sketch = LaunchSketch("kernel", 9, **{"grid": (1, 1, 1), **fields})  # type: ignore[arg-type]
    report = KernelReport(launches=launches, sketches=(sketch,))
    return CaseFacts("one", passed=True, sizes=sizes or {}, seen=report)


def tile(*shape: int) -> dict[str, object]:
    return {"tiles": (SketchedTile("store", shape, 3),)}


# a demand, what was seen where it is kept, what was seen where it is not, and words on that
SEEN = [
    ({"axes": 1}, {"grid": (8, 1, 1)}, {"grid": (8, 2, 1)}, "the grid has 2 axes (case “one”)"),
    ({"axes": 2}, {"grid": (1, 2, 1)}, {"grid": (8, 1, 1)}, "the grid has 1 axis."),
    ({"programs": 3}, {"grid": (3, 1, 1)}, {"grid": (1, 1, 1)}, "`kernel` runs in 1 program "),
    (
        {"programs": "x.shape[0]"},
        {"grid": (4, 1, 1), "sizes": {"x.shape[0]": 4}},
        {"grid": (8, 1, 1), "sizes": {"x.shape[0]": 4}},
        "runs in 8 programs (case “one”), `x.shape[0]` is 4.",
    ),
    ({"most_programs": 8}, {"grid": (4, 2, 1)}, {"grid": (9, 1, 1)}, "runs in 9 programs"),
    ({"launches": 3}, {"launches": 3}, {"launches": 2}, "2 kernels are launched in a call"),
    ({"tile": (16, 64)}, tile(16, 1, 64), tile(64, 16), "a tile of 16 × 64."),
    ({"tile": (2, 0)}, tile(2, 512), tile(512), "a tile of 2 × any number."),
    ({"stored": (16, 64)}, tile(16, 64), tile(64, 16), "no tile of 16 × 64 is stored."),
    (
        {"interleaved": True},
        {"interleaved": True, "steps": 2},
        {"steps": 2},
        "no program goes on behind where a later one begins.",
    ),
    (
        {"turned": True},
        {"turned": ("load",)},
        {},
        "no tile is loaded with its rows along the columns",
    ),
    (
        {"straight": True},
        {},
        {"turned": ("store",)},
        "a tile is stored with its rows along the col",
    ),
    ({"width": 4}, tile(16, 64), tile(64, 64), "the tiles that are stored are 64 × 64."),
    ({"steps": 2}, {"steps": 2}, {"steps": 1}, "a program loads from each tensor once."),
    ({"backwards": "loads"}, {"backwards": ("loads",)}, {}, "no program loads from the last block"),
]


@pytest.mark.parametrize(("demand", "kept", "broken", "words"), SEEN)
def test_what_the_interpreter_saw(
    demand: dict[str, object], kept: dict[str, object], broken: dict[str, object], words: str
) -> None:
    assert judge_with("", seen(**kept), **demand).kept  # type: ignore[arg-type]
    found = judge_with("", seen(**broken), **demand)  # type: ignore[arg-type]
    assert not found.kept
    assert words in found.message
    assert judge_with("", **demand).kept  # nobody saw it


def sketch(*accesses: tuple[int, str, list[int]]) -> dict[str, object]:
    recorder = SketchRecorder("kernel", 1)
    for program, kind, index in accesses:
        recorder.note(program, kind, "x", (len(index),), np.array(index), 1)
    return recorder.close([2, 1, 1])


def test_programs_take_turns_or_have_a_stretch_each() -> None:
    turns = [(1, "load", [2, 3]), (1, "load", [6, 7]), (0, "load", [0, 1]), (0, "load", [4, 5])]
    stretches = [(0, "load", [0, 1]), (0, "load", [2, 3]), (1, "load", [4, 5]), (1, "load", [6, 7])]
    assert sketch(*turns)["interleaved"]
    assert not sketch(*stretches)["interleaved"]


@pytest.mark.parametrize(
    ("shape", "index", "turned"),
    [
        ((2, 3), [0, 1, 2, 8, 9, 10], False),
        ((2, 3), [0, 8, 16, 1, 9, 17], True),
        ((6,), [0, 8, 16, 1, 9, 17], False),
        ((2, 3), [10, 9, 8, 2, 1, 0], False),
    ],
)
def test_a_tile_is_loaded_turned(shape: tuple[int, ...], index: list[int], turned: bool) -> None:
    recorder = SketchRecorder("kernel", 1)
    recorder.note(0, "load", "x", shape, np.array(index), 1)
    assert recorder.close([1, 1, 1])["turned"] == ["load"] * turned


@pytest.mark.parametrize(
    ("accesses", "backwards", "steps"),
    [
        ([(0, "load", [0, 1]), (0, "load", [2, 3]), (1, "load", [4, 5])], [], 2),
        ([(0, "load", [2, 3]), (0, "load", [0, 1])], ["loads"], 2),
        ([(0, "load", [1, 0]), (1, "load", [3, 2])], ["lanes"], 1),
        ([(1, "store", [0, 1]), (0, "store", [2, 3])], ["programs"], 0),
        ([(0, "store", [2, 3]), (0, "store", [0, 1]), (1, "store", [4])], ["stores"], 0),
    ],
)
def test_the_outline_of_a_launch(
    accesses: list[tuple[int, str, list[int]]], backwards: list[str], steps: int
) -> None:
    found = sketch(*accesses)
    assert (found["backwards"], found["steps"]) == (backwards, steps)


def test_a_review_does_not_pass_what_is_not_the_twist() -> None:
    broken = TwistFinding(2, kept=False, message="Right, but not by the twist: …", line=4)
    verdict = Verdict("any", True, "cpu", twists=(TwistFinding(1, kept=True), broken))
    held = hold_to_twist(verdict, 2)
    assert not held.passed
    assert [(d.code, d.line) for d in held.diagnosis] == [("not-the-twist", 4)]
    assert find_missed_twist(to_json(held)) == broken.message
    assert hold_to_twist(verdict, 1) == hold_to_twist(verdict, 0) == verdict
    assert find_missed_twist(to_json(verdict)) == find_missed_twist({}) == ""


@pytest.mark.slow
def test_the_judge_says_of_a_right_program_which_twists_it_keeps(judge) -> None:
    folder = course_root() / "kernels" / "vector_add"
    for file, kept in (("solution.py", [False, False]), ("twists/1.py", [True, False])):
        verdict = judged(judge, (folder / file).read_text("utf-8"))
        assert verdict.passed
        assert [finding.kept for finding in verdict.twists] == kept
