"""The picture of a wrong output and the sentence beside it."""

import json

import pytest
import torch
from course_answers import wrong_program
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import judged

from tutor.judge.comparison import wrong_region
from tutor.judge.model.verdict import CaseResult, Mismatch, Verdict, to_json, verdict_from_json
from tutor.judge.reports import verdict_document, verdict_text

_SHAPES = st.lists(st.integers(1, 90), min_size=1, max_size=3).map(tuple)


@pytest.mark.slow
@settings(deadline=None)
@given(_SHAPES, st.integers(0, 2**31 - 1), st.sampled_from([0.02, 0.5, 0.98]))
def test_cells_hold_every_wrong_element_once(shape, seed, share):
    wrong = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < share
    drawn = wrong_region.make_wrong_map(wrong)
    if drawn is None:
        assert wrong.numel() < 16 or int(wrong.sum()) < 2
        return
    assert sum(map(sum, drawn.counts)) == int(wrong.sum())
    assert len(drawn.counts) <= wrong_region.ROWS
    assert all(len(row) <= wrong_region.COLUMNS for row in drawn.counts)
    grid = verdict_document.grid_of(drawn)
    flat = wrong.reshape(-1).nonzero().reshape(-1).tolist()
    assert [list(row) for row in drawn.counts] == grid.counts((i, 1, 1, 1) for i in flat)


def _mask(shape, *boxes):
    wrong = torch.zeros(shape, dtype=torch.bool)
    for box in boxes:
        wrong[box] = True
    return wrong


def _blocks(size, length, period, start):
    """Stretches of `length` true elements, `period` from the start of one to the start of the next."""
    at = torch.arange(size) - start
    return (at >= 0) & (at % period < length)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (_mask((1025,), slice(1024, None)), ""),
        (_mask((1030,), slice(1024, None)), "elements 1024 to 1029"),
        (_mask((9,), slice(1, None, 2)), "every 2nd element from 1"),
        (_mask((90,), 3, 10), "elements 3 and 10"),
        (_mask((90,), 3, 10, 17), "every 7th element from 3 to 17"),
        (_mask((90,), 3, 10, 18), ""),
        (_blocks(96, 8, 16, 0), "every 2nd block of 8 elements from 0"),
        (_blocks(100, 8, 24, 8), "every 3rd block of 8 elements from 8"),
        (
            _blocks(94, 8, 16, 8),
            "every 2nd block of 8 elements from 8",
        ),  # the last one is cut short
        (_blocks(96, 3, 16, 5), "3 elements out of every 16 from 5"),
        (_blocks(30, 8, 16, 2), "elements 2 to 9 and 18 to 25"),
        (
            _blocks(96, 8, 16, 0)[:, None].expand(96, 5),
            "every element of every 2nd block of 8 rows from 0",
        ),
        (
            _blocks(96, 8, 16, 0)[None, :, None].expand(2, 96, 3),
            "every element of every 2nd block of 8 along index 1 from 0",
        ),
        (_mask((8, 128), (slice(None), slice(96, 128))), "every element of columns 96 to 127"),
        (_mask((8, 128), (3, slice(None))), "every element of row 3"),
        (_mask((8, 128), (3, slice(5, 9))), "every element of row 3 in columns 5 to 8"),
        (
            ~_mask((40, 50), (slice(32), slice(32))),
            "everything but rows 0 to 31 in columns 0 to 31",
        ),
        (~_mask((8, 8), (5, 6)), ""),  # one that is right by chance
        (~_mask((8, 8), (0, 0)), "everything but row 0 in column 0"),
        (~_mask((8, 8), (5, slice(None))), "everything but row 5"),
        (~_mask((90,), 89), "elements 0 to 88"),
        (
            _mask((4, 5, 2), ([0, 2, 3], 3, slice(None))),
            "every element of all but index 0 = 1, index 1 = 3",
        ),
        (
            _mask((8, 6), *enumerate((0, 1, 2, 3, 5, 0, 1, 2))),
            "all outside column 4",
        ),
        (~torch.eye(7, dtype=torch.bool), "every element off the diagonal"),
        (torch.ones(9, 9, dtype=torch.bool).triu(1), "every element above the diagonal"),
        (torch.ones(9, 5, dtype=torch.bool), "every element"),
        (_mask((2, 33, 16), (1, 32)), "every element of index 0 = 1, index 1 = 32"),
        (_mask((30, 40), (3, 5), (3, 7), (4, 20)), "all in rows 3 to 4"),
        (_mask((30, 40), (3, 5), (17, 7), (4, 20)), ""),
    ],
)
def test_the_sentence_says_which_elements_are_wrong(wrong, said):
    assert wrong_region.describe_wrong_region(wrong) == said


@pytest.mark.slow
@settings(deadline=None)
@given(_SHAPES, st.integers(0, 2**31 - 1), st.sampled_from([0.02, 0.5, 0.98]))
def test_any_output_has_a_sentence_or_none(shape, seed, share):
    wrong = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < share
    assert "\n" not in wrong_region.describe_wrong_region(wrong)


def test_a_drawing_tells_right_partly_and_wrong_apart():
    wrong = _mask((16, 64), (slice(None), slice(33, None)))
    drawn = wrong_region.make_wrong_map(wrong)
    assert drawn is not None
    lines = verdict_document.draw_wrong(drawn)
    assert lines[1].split() == ["0–1", "·" * 16 + "▒" + "█" * 15]
    assert lines[-2:] == ["· right   ▒ partly   █ wrong", "one mark: 2 rows × 2 columns"]


def test_it_survives_being_kept_in_the_record():
    mismatch = Mismatch(
        (0, 1),
        1.0,
        2.0,
        3,
        40,
        "all in row 0",
        wrong_region.make_wrong_map(_mask((4, 10), (0, slice(1, 4)))),
    )
    case = CaseResult("a case", "f32[4,10]", False, mismatch=mismatch)
    verdict = Verdict("vector_add", False, "cpu", (case,))
    assert verdict_from_json(json.loads(json.dumps(to_json(verdict)))) == verdict


def test_the_verdict_on_a_short_grid_shows_the_tail(judge):
    source = wrong_program("transpose", "grid_rounded_down")
    verdict = judged(judge, source, "transpose")
    wrong = {case.name: case.mismatch for case in verdict.cases if case.mismatch}
    assert wrong["two primes"].where == "everything but rows 0 to 31 in columns 0 to 1023"
    drawn = [name for name, mismatch in wrong.items() if mismatch.map]
    assert drawn == ["one row"]  # the first with something to see, and no other
    text = "\n".join(verdict_text.format_verdict(verdict))
    assert "Where “one row” is wrong:" in text
    assert text.index("Part of the output is never written") < text.index("█")


def test_an_infinite_error_is_printed(judge):
    source = wrong_program("transpose", "grid_rounded_down")
    verdict = judged(judge, source, "transpose")
    assert any("error inf" in line for line in verdict_text.format_verdict(verdict, verbose=True))


@pytest.mark.parametrize(
    ("wrong", "repeats"),
    [
        (_blocks(96, 8, 16, 8), True),
        (_blocks(30, 8, 16, 2), False),  # twice is no rule
        (_mask((7,), slice(1, None, 2)), False),  # nor is a handful
        (_mask((9,), slice(1, None, 2)), True),
        (_mask((40, 50), (slice(None), slice(3, None, 7))), True),
        (_mask((40, 50), (slice(3, 30), slice(5, 9))), False),
        (_blocks(96, 8, 16, 8) ^ _mask((96,), 1), False),
        (torch.ones(96, dtype=torch.bool), False),
        (torch.zeros(96, dtype=torch.bool), False),
    ],
)
def test_what_repeats(wrong, repeats):
    assert wrong_region.is_periodic(wrong) == repeats
