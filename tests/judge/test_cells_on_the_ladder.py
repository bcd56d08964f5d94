"""Cells and questions that ask what their code becomes: read, run, proved, and refused with reasons."""

from pathlib import Path

import pytest

from tutor.authoring import proof as prove
from tutor.course.catalog.course import open_course
from tutor.course.model import AskedQuestion, Look
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.lesson import read_lesson
from tutor.judge import live_cells
from tutor.judge.computed_answers import compute
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Failure, Request, Stage

pytestmark = pytest.mark.slow

LESSON = """\
+++
day = 1
title = "One"
minutes = 10
objectives = ["Look"]
+++

```python run
import torch, triton
import triton.language as tl

x = torch.arange(8.0)

@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)

out = torch.empty_like(x)
double[(1,)](x, out, 8, BLOCK=8)
print(out.sum().item())
```
expect: 56.0

```predict
id = "d01-loads"
kind = "number"
prompt = "How many loads does a thread do?"
answer_from = "ptx.global_loads"
explanation = "Count them."
```

```python run xray=ptx name=double input=f32[4096] input=f32[4096] input=4096 input=BLOCK=512
n = 3
```
expect: ld.global.v4
expect: /global_loads \\d/
"""


def lesson(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "day-01-one.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_cell_shows_a_stage_and_a_prediction_asks_for_its_count(judge, tmp_path):
    proofs = list(prove.prove_cells(judge, read_lesson(lesson(tmp_path, LESSON)), gpu=False))
    assert [proof.kind for proof in proofs] == ["cell", "cell", "question"]
    assert not [proof.fault for proof in proofs if proof.fault]


@pytest.mark.parametrize(
    ("there", "instead", "fault"),
    [
        ("expect: ld.global.v4", "expect: ld.global.v8", "expected 'ld.global.v8'"),
        ("input=4096 ", "", "double"),
        ("target=sm_90", "target=sm_9", "sm_9"),
    ],
)
def test_what_cannot_be_shown_is_a_fault(judge, tmp_path, there, instead, fault):
    text = LESSON.replace("xray=ptx", "xray=ptx target=sm_90").replace(there, instead)
    proofs = list(prove.prove_cells(judge, read_lesson(lesson(tmp_path, text)), gpu=False))
    assert fault in proofs[1].fault


@pytest.mark.parametrize(
    "words", ["xray=ptz", "target=sm_90", "xray=", "xray=ptx xray=sass", "xray=ptx outputs=3"]
)
def test_a_mistyped_fence_is_named(tmp_path, words):
    first = LESSON.index("```python run xray")
    text = LESSON[:first] + LESSON[first:].replace("xray=ptx name=double", words, 1)
    with pytest.raises(CourseFault) as caught:
        read_lesson(lesson(tmp_path, text))
    assert [(fault.line, fault.field) for fault in caught.value.faults] == [(33, "fence")]


def test_a_question_may_ask_for_a_count(judge):
    code = LESSON.split("```python run\n")[1].split("\nout = ")[0]
    look = Look(("f32[8]", "f32[8]", "8", "BLOCK=8"), stage="ttir")
    question = AskedQuestion(
        "d01-loads",
        "predict",
        "How many?",
        "One.",
        1,
        code=code,
        answer_from="loads",
        as_kind="number",
        xray=look,
    )
    assert compute(judge, question) == 1


def test_a_function_shows_the_kernels_it_launches(judge):
    exercise = open_course().exercise("vector_add")
    source = exercise.solution.read_text()
    inputs = judge.inputs("vector_add")
    events = list(
        judge.xray(Request("a.py", "add", parse_inputs(inputs), "sm_90", "ptx", False, source))
    )
    stages = [event for event in events if isinstance(event, Stage)]
    names = [stage.name for stage in stages]
    assert names == ["source", "bytecode", "triton", "ttir", "ttgir", "llir", "ptx"]
    assert "ld.global.v4" in stages[-1].text
    assert not [event for event in events if isinstance(event, Failure)]


def test_only_what_a_cell_defines_is_lowered():
    source = (
        "import a, tl\nx = f()\ny: int = 3\nz = tl.constexpr(2)\n@g\ndef h(): pass\nh()\nk[1](2)\n"
    )
    kept = live_cells.definitions(source).split("\n")
    assert kept == [
        "import a, tl",
        "",
        "y: int = 3",
        "z = tl.constexpr(2)",
        "@g",
        "def h(): pass",
        "",
        "",
        "",
    ]


def test_an_assignment_that_needs_what_is_not_kept_is_left_out():
    source = "import a\na.depth = 3\nlib = a.load()\nlib.types = [a.b] * 2\nalias = lib\nn = len\n"
    kept = live_cells.definitions(source).split("\n")
    assert kept == ["import a", "a.depth = 3", "", "", "", "n = len", ""]
