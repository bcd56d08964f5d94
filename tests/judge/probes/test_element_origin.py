"""Where a wrong output's elements come from: kernels that are wrong on purpose, and what is said."""

import pytest
from course_answers import wrong_program
from judging import first_code, judged

from tutor.base import paths

ROOT = paths.course_root() / "kernels"


@pytest.fixture
def judge(probing):
    return probing


def changed(slug: str, before: str, after: str) -> str:
    """The exercise's solution with one piece of it replaced."""
    text = (ROOT / slug / "solution.py").read_text()
    assert text.count(before) == 1
    return text.replace(before, after)


def transposed(columns: str, rows: str) -> str:
    return changed(
        "transpose",
        "x_ptr + rows[:, None] * row_stride + columns[None, :] * column_stride",
        f"x_ptr + {rows} * row_stride + {columns} * column_stride",
    )


LOAD_X = "tl.load(x_ptr + offsets, mask=mask)"
NEXT_X = "tl.load(x_ptr + offsets + 1, mask=offsets + 1 < n)"
MASK = "mask=column < columns,"


@pytest.mark.parametrize(
    ("slug", "source", "code", "said"),
    [
        (
            "vector_add",
            changed("vector_add", LOAD_X, NEXT_X),
            "wrong-values",
            "output [0] holds input [1]; [0] belongs there: each output element",
        ),
        (
            "vector_add",
            changed("vector_add", LOAD_X, "tl.load(x_ptr + offsets * 0, mask=mask)"),
            "wrong-values",
            "output [1] holds input [0]; [1] belongs there: every element comes from",
        ),
        (
            "transpose",
            transposed("columns[None, :]", "(rows * 0)[:, None]"),
            "wrong-values",
            "everything comes from row 0",
        ),
        (
            "transpose",
            wrong_program("transpose", "copied_as_it_stands"),
            "wrong-stride",
            "output [0, 1] holds input [0, 1]; [1, 0] belongs there: the elements stand",
        ),
        (
            "row_sum",
            changed("row_sum", MASK, "mask=column < columns - 1,"),
            "wrong-values",
            "the last column, 2002, is not counted",
        ),
        # Rows of three columns come out right: a number stands in the code, and from 6 on it shows.
        (
            "row_sum",
            changed("row_sum", MASK, "mask=(column < columns) & (column != 5),"),
            "hard-coded-size",
            "With a single 1, in column 5 of each row",
        ),
        (
            "row_sum",
            changed("row_sum", MASK, "mask=(column < columns) & (column % 2 == 0),"),
            "wrong-values",
            "each sum is 1002 and not 2003",
        ),
        (
            "row_sum",
            wrong_program("row_sum", "first_block_only"),
            "hard-coded-size",
            "columns from 1024 on are not counted",
        ),
    ],
)
def test_the_cause_names_where_elements_come_from(judge, slug, source, code, said):
    verdict = judged(judge, source, slug)
    assert first_code(verdict) == code
    assert said in verdict.diagnosis[0].message


def test_a_formula_that_computes_is_not_asked(judge):
    """A sum that is twice the right one neither moves elements nor leaves columns out."""
    source = changed("row_sum", "tl.sum(partial, axis=0)", "2 * tl.sum(partial, axis=0)")
    verdict = judged(judge, source, "row_sum")
    assert first_code(verdict) == "wrong-values"
    assert "With " not in verdict.diagnosis[0].message


@pytest.mark.parametrize("formula", ["2 * x + y", "x * x + y", "x + y + (x > 0)", "x + y + row"])
def test_a_formula_that_gives_numbers_of_elements_moves_none(judge, formula):
    """For an input that holds its own numbers 2 * x holds such numbers as well."""
    source = changed("vector_add", "x + y, mask=mask)", f"{formula}, mask=mask)")
    source = source.replace("row,", "tl.arange(0, BLOCK),")
    verdict = judged(judge, source)
    assert verdict.diagnosis
    assert "holds input" not in verdict.diagnosis[0].message


@pytest.mark.parametrize(
    "formula",
    [
        "tl.max(partial, axis=0)",
        "tl.sum(partial, axis=0) - row - 1",
        "tl.sqrt(tl.abs(tl.sum(partial, axis=0)))",
    ],
)
def test_what_is_no_sum_leaves_no_columns_out(judge, formula):
    verdict = judged(judge, changed("row_sum", "tl.sum(partial, axis=0)", formula), "row_sum")
    assert first_code(verdict) == "wrong-values"
    assert "column" not in verdict.diagnosis[0].message


def test_a_proof_is_not_drowned_in_a_probe(judge):
    source = wrong_program("vector_add", "no_mask")
    verdict = judged(judge, source)
    assert first_code(verdict) == "missing-mask"
    assert "its own number" not in verdict.diagnosis[0].message


# --- what the numbers look like, of whole kernels -----------------------------------------------------

SUM = "x + y, mask=mask)"
ROW = "tl.sum(partial, axis=0)"
LAST = "e / tl.sum(e, axis=0), mask=mask)"


@pytest.mark.parametrize(
    ("slug", "source", "said"),
    [
        (
            "vector_add",
            changed("vector_add", SUM, "x + y + 1, mask=mask)"),
            "What you return is 1 more than what belongs there",
        ),
        (
            "vector_add",
            changed("vector_add", SUM, "2 * (x + y), mask=mask)"),
            "What you return is twice what belongs there",
        ),
        ("row_sum", changed("row_sum", ROW, f"2 * {ROW}"), "What you return is twice"),
        ("row_sum", changed("row_sum", ROW, f"{ROW} - 1"), "What you return is 1 less"),
        (
            "row_sum",
            changed("row_sum", ROW, f"{ROW} / columns"),
            "What you return is 0.142857 times what belongs there",
        ),
        (
            "vector_add",
            changed(
                "vector_add", SUM, "tl.where(tl.program_id(0) % 2 == 0, x + y, x - y), mask=mask)"
            ),
            "19529 of 40009 elements are wrong: every 2nd block of 1024 elements from 1024",
        ),
        (
            "vector_add",
            changed("vector_add", SUM, "tl.where(offsets % 7 == 3, x - y, x + y), mask=mask)"),
            "every 7th element from 3",
        ),
        (
            "vector_add",
            changed("vector_add", SUM, "(x + y) * 0 + 1.5, mask=mask)"),
            "The output holds the same number everywhere, 1.5, in",
        ),
        (
            "row_softmax",
            changed(
                "row_softmax",
                LAST,
                "tl.where(column == 3, 0.5, 1.0) * e / tl.sum(e, axis=0), mask=mask)",
            ),
            "cases of different sizes: every element of column 3",
        ),
        (
            "transpose",
            changed("transpose", "tile, mask=mask)", "tile + 0.0, mask=mask)"),
            "The sign of zero is lost",
        ),
    ],
)
def test_the_first_cause_is_what_was_changed(judge, slug, source, said):
    verdict = judged(judge, source, slug)
    assert first_code(verdict) == "wrong-values"
    assert said in verdict.diagnosis[0].message
    assert "holds input" not in verdict.diagnosis[0].message
