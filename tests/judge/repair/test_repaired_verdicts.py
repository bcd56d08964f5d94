"""A refused program's verdict names the place of the smallest change that makes every case right."""

import json

import pytest
from judging import judged

from tests.judge.blind.programs import read_programs
from tutor.course.catalog.course import open_course
from tutor.course.reading.wrong_answers import wrong_answer
from tutor.judge.client import Provisional, Submission
from tutor.judge.model.verdict import Repair, Verdict, hide_change, to_json, verdict_from_json
from tutor.judge.reports.report import Report
from tutor.judge.reports.verdict_document import write_document
from tutor.judge.reports.verdict_text import draw_lines

OWN_SUM = """
import torch
import triton
import triton.language as tl


@triton.jit
def add_rows(src, dst, width, to_next_row, to_next, SIZE: tl.constexpr):
    which = tl.program_id(0)
    acc = tl.zeros([SIZE], dtype=tl.float32)
    for first in range(0, width, SIZE):
        at = first + tl.arange(0, SIZE)
        acc += tl.load(src + which * to_next_row + at * to_next, mask=at < width, other=0.0)
    tl.store(dst + which, tl.sum(acc, axis=0))


def row_sum(x):
    result = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
    add_rows[(x.shape[0],)](x, result, x.shape[1], *x.stride(), SIZE=1024)
    return result
"""

# The tile is square, so shapes fit along either axis.
SUM_OF_TILES = """
import torch
import triton
import triton.language as tl


@triton.jit
def add_tiles(src, dst, to_next_row, to_next, width, height, SIZE: tl.constexpr):
    rows = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    acc = tl.zeros([SIZE], tl.float32)
    for first in range(0, width, SIZE):
        at = first + tl.arange(0, SIZE)
        inside = (rows[:, None] < height) & (at[None, :] < width)
        tile = tl.load(src + rows[:, None] * to_next_row + at[None, :] * to_next, inside, 0.0)
        acc += tl.sum(tile, axis=1)
    tl.store(dst + rows, acc, mask=rows < height)


def row_sum(x):
    result = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(x.shape[0], 16),)
    add_tiles[grid](x, result, *x.stride(), x.shape[1], x.shape[0], SIZE=16)
    return result
"""


def repaired(judge, source: str, exercise: str = "row_sum") -> tuple[Verdict, Repair]:
    verdict = judged(judge, source, exercise, seed=5, explain=True)
    assert verdict.repair is not None, verdict.diagnosis
    return verdict, verdict.repair


@pytest.mark.slow
def test_the_place_stands_first_and_is_proven(judge) -> None:
    wrong = OWN_SUM.replace("acc += tl.load", "acc = tl.load")
    verdict, repair = repaired(judge, wrong)
    line = wrong.split("\n").index(next(r for r in wrong.split("\n") if "acc = tl.load" in r)) + 1
    first = verdict.diagnosis[0]
    assert (first.line, first.proof, repair.lines) == (line, "proven", (line,))
    assert first.message == f"A change in line {line} makes all cases right."
    assert repair.kind == f"Line {line}: the statement forgets what was there before."
    assert "+        acc += tl.load" in repair.change
    assert not verdict.passed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong", "part"),
    [
        ("mask=at < width", "mask=at <= width", "the mask of the load"),
        ("tl.program_id(0)", "tl.program_id(1)", "how `which` is computed"),
        ("at * to_next,", "at * to_next_row,", "the address of the load"),
        ("range(0, width, SIZE)", "range(0, width - SIZE, SIZE)", "the bounds of the loop"),
    ],
)
def test_the_part_is_named_by_the_learners_own_names(
    judge, right: str, wrong: str, part: str
) -> None:
    assert right in OWN_SUM
    verdict, repair = repaired(judge, OWN_SUM.replace(right, wrong))
    assert verdict.diagnosis[0].message.endswith(f": {part}.")
    for text in (verdict.diagnosis[0].message, repair.kind):
        assert "row_ptr" not in text
        assert "partial" not in text


@pytest.mark.slow
def test_a_sum_along_the_other_axis_of_a_square_tile_is_named_as_that(judge) -> None:
    verdict, repair = repaired(judge, SUM_OF_TILES.replace("axis=1", "axis=0"))
    assert repair.lines == (SUM_OF_TILES[: SUM_OF_TILES.index("axis=1")].count("\n") + 1,)
    assert verdict.diagnosis[0].message.endswith("makes all cases right: the axis of the sum.")
    assert not any("left out" in cause.message for cause in verdict.diagnosis)


@pytest.mark.slow
def test_a_condition_that_is_one_too_many_is_one_change(judge) -> None:
    program = next(p for p in read_programs("subclass_logger") if p.name == "x05")
    verdict, repair = repaired(judge, program.code, "subclass_logger")
    assert repair.lines == (35,)
    assert verdict.diagnosis[0].message == "A change in line 35 makes it right."
    assert repair.kind == "Line 35: the condition is one too many."


@pytest.mark.slow
def test_an_object_of_which_nobody_sees_the_making_names_no_line(judge) -> None:
    program = next(p for p in read_programs("subclass_logger") if p.name == "x06")
    first = judged(judge, program.code, "subclass_logger", seed=5).diagnosis[0]
    assert (first.code, first.line) == ("crash", None)
    assert "A Logged has no `held` (seen in line 38)" in first.message


@pytest.mark.slow
def test_an_error_of_python_s_own_is_repaired_too(judge) -> None:
    verdict, repair = repaired(judge, OWN_SUM.replace("x.shape[1], *x", "x.shape[2], *x"))
    assert repair.lines == (19,)
    assert [finding.code for finding in verdict.diagnosis[1:]] == ["crash"]


def test_an_author_s_edit_has_the_author_s_code_and_sentence(judge) -> None:
    wrong = OWN_SUM.replace("tl.sum(acc, axis=0)", "tl.sum(acc, axis=0) / width")
    verdict, repair = repaired(judge, wrong)
    known = wrong_answer(open_course().exercise("row_sum").folder, "mean")
    assert known.says
    assert repair.says == known.says
    assert verdict.diagnosis[0].code == known.expect


def test_nothing_is_sought_unless_it_is_asked_for(judge) -> None:
    wrong = OWN_SUM.replace("acc += tl.load", "acc = tl.load")
    verdict = judged(judge, wrong, "row_sum", seed=5)
    assert verdict.repair is None
    assert all("makes all cases right" not in cause.message for cause in verdict.diagnosis)


@pytest.mark.slow
def test_the_verdict_so_far_is_sent_before_the_search(judge) -> None:
    wrong = OWN_SUM.replace("acc += tl.load", "acc = tl.load")
    asked = Submission("row_sum", wrong, "row_sum.py", timing=False, explain=True)
    events = list(judge.submit(asked))
    (at,) = [i for i, event in enumerate(events) if isinstance(event, Provisional)]
    so_far, final = events[at].verdict, events[-1]
    assert so_far.repair is None
    assert so_far.cases == final.cases
    assert so_far.diagnosis == final.diagnosis[1:]
    report = Report(wrong).after(events[at]).after(events[at + 1])
    lines = "\n".join(draw_lines(write_document(report), plain=True, verbose=False))
    assert "✗" in lines
    assert "looking for a small change" in lines


@pytest.mark.slow
def test_a_cancelled_search_leaves_the_verdict_as_it_was(judge) -> None:
    wrong = OWN_SUM.replace("acc += tl.load", "acc = tl.load")
    last = None
    for last in judge.submit(Submission("row_sum", wrong, "row_sum.py", explain=True)):
        if isinstance(last, Provisional):
            judge.cancel()
    assert isinstance(last, Verdict)
    assert last.repair is None
    assert not last.passed
    assert last.diagnosis[0].code != "cancelled"
    assert judged(judge, OWN_SUM, "row_sum").passed, "the next submission is judged as ever"


def test_a_right_answer_is_not_searched(judge) -> None:
    events = list(judge.submit(Submission("row_sum", OWN_SUM, "row_sum.py", explain=True)))
    assert events[-1].passed
    assert events[-1].repair is None
    assert not any(isinstance(e, Provisional) and not e.verdict.passed for e in events)


def test_an_untouched_starter_is_not_searched(judge) -> None:
    starter = open_course().exercise("row_sum").starter.read_text()
    events = list(judge.submit(Submission("row_sum", starter, "row_sum.py", explain=True)))
    assert not any(isinstance(event, Provisional) for event in events)


@pytest.mark.slow
def test_a_candidate_that_never_ends_costs_its_limit_and_no_more(judge) -> None:
    """Among the changes of a `while` are some without an end; the search goes on after them."""
    loop = """    first = 0
    while first < width:
        at = first + tl.arange(0, SIZE)
        acc += tl.load(src + which * to_next_row + at * to_next, mask=at < width, other=0.0)
        first += SIZE
"""
    start = OWN_SUM.index("    for first")
    wrong = OWN_SUM[:start] + loop + OWN_SUM[OWN_SUM.index("    tl.store") :]
    assert judged(judge, wrong, "row_sum").passed
    judged(judge, wrong.replace("axis=0)", "axis=0) + 1"), "row_sum", explain=True)
    assert judged(judge, OWN_SUM, "row_sum").passed


@pytest.mark.slow
def test_the_change_is_kept_in_the_record_and_hidden_from_json(judge) -> None:
    verdict, repair = repaired(judge, OWN_SUM.replace("acc += tl.load", "acc = tl.load"))
    kept = verdict_from_json(json.loads(json.dumps(to_json(verdict))))
    assert kept.repair == repair
    assert to_json(hide_change(verdict))["repair"]["change"] == ""
