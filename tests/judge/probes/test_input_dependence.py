"""Which parts of the inputs reach the output: the search alone, and kernels wrong on purpose."""

import pytest
import torch
from course_answers import wrong_program
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from judging import first_code, judged

from tutor.base import paths
from tutor.judge.probes.input_dependence import (
    InputPart,
    describe_finding,
    find_dependence,
    format_slice,
)

ROOT = paths.course_root() / "kernels"


# --- the search, with functions in the place of kernels -----------------------------------------------


@pytest.fixture
def judge(probing):
    return probing


def product(start=0, stop=None):
    """a @ b in float32, summed over the given part of the inner dimension only."""

    def function(values):
        a, b = values
        return (a[:, start:stop] @ b[start:stop]).double()

    return function


def truth(values):
    a, b = values
    return a.double() @ b.double()


def softmax(values):
    return values[0].double().softmax(-1)


def said(true, function, *shapes):
    tensors = [torch.zeros(shape) for shape in shapes]
    found = find_dependence(true, function, tensors)
    return describe_finding(found, "abcd", shapes, "here") if found else ""


@pytest.mark.slow
@settings(max_examples=50)
@given(m=st.integers(1, 9), k=st.integers(2, 300), n=st.integers(1, 9), data=st.data())
def test_the_part_of_a_sum_that_is_left_out_is_named(m, k, n, data):
    kept = data.draw(st.integers(1, k - 1))
    at_the_end = data.draw(st.booleans())
    function = product(0, kept) if at_the_end else product(k - kept, k)
    found = find_dependence(truth, function, [torch.zeros(m, k), torch.zeros(k, n)])
    assert found is not None
    left = (kept, k) if at_the_end else (0, k - kept)
    assert found.part == InputPart(0, 1, *left)
    assert found.change.changes_nothing


@pytest.mark.slow
@settings(max_examples=50)
@given(m=st.integers(1, 40), k=st.integers(1, 40), n=st.integers(1, 40))
def test_wrong_values_of_what_belongs_there_are_no_finding(m, k, n):
    assert said(truth, lambda v: 3 * product()(v) ** 2 + 1, (m, k), (k, n)) == ""
    assert said(softmax, lambda v: 2 * v[0].softmax(-1).double(), (m, k)) == ""
    assert (
        said(lambda v: v[0].double().amax(-1), lambda v: v[0].amax(-1).double() + 1, (m, k)) == ""
    )


@given(shape=st.lists(st.integers(1, 7), min_size=1, max_size=3), data=st.data())
def test_an_index_reads_back_as_the_part_it_names(shape, data):
    ranges = []
    for size in shape:
        start = data.draw(st.integers(0, size - 1))
        ranges.append((start, data.draw(st.integers(start + 1, size))))
    here = torch.zeros(shape)
    here[tuple(slice(*each) for each in ranges)] = 1
    name = format_slice("x", ranges, shape)
    again = torch.zeros(shape)
    assume(name != "x")
    exec(name + " = 1", {"x": again})
    assert torch.equal(here, again)


def test_what_is_found_in_words():
    rows = (5, 8)
    assert said(truth, product(0, 6), (4, 8), (8, 3)) == (
        "Other numbers in `a[:, 6:]` (case “here”) change nothing in the output, as if that part of "
        "`a` were left out."
    )
    assert said(softmax, lambda v: v[0].double().flatten().softmax(-1).reshape(rows), rows) == (
        "Other numbers in `a[2]` (case “here”) change everything but `output[2]`, and should not."
    )
    assert said(lambda v: v[0].double(), lambda v: v[0].double().T, (6, 6)) == (
        "Other numbers in `a[3]` (case “here”) change `output[:, 3]`; they should change `output[3]`."
    )

    def first_column_alone(values):
        out = softmax(values)
        out[:, 0] = 1.0
        return out

    assert said(softmax, first_column_alone, rows) == (
        "Other numbers in `a` (case “here”) should change `output[:, 0]`, and do not."
    )


def test_an_output_that_changes_by_itself_is_no_evidence():
    noise = torch.Generator().manual_seed(1)

    def restless(values):
        return truth(values) + torch.randn(4, 3, generator=noise, dtype=torch.float64)

    assert said(truth, restless, (4, 8), (8, 3)) == ""


def test_a_bound_on_calls_and_no_output_end_the_search():
    calls = 0

    def counted(values):
        nonlocal calls
        calls += 1
        return sums(values) + 1

    def sums(values):
        return sum(each.double() for each in values).sum((2, 3))

    assert said(sums, counted, *[(3, 4, 5, 6)] * 4) == ""
    assert calls == 16
    assert said(truth, lambda values: None, (4, 8), (8, 3)) == ""
    assert said(lambda values: None, product(), (4, 8), (8, 3)) == ""
    assert said(truth, lambda values: product()(values) * float("nan"), (4, 8), (8, 3)) == ""


# --- kernels ------------------------------------------------------------------------------------------


def changed(slug: str, *pieces: tuple[str, str]) -> str:
    """The exercise's solution with these pieces of it replaced."""
    text = (ROOT / slug / "solution.py").read_text()
    for before, after in pieces:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


ABOVE = "tl.exp((x - tl.max(x, axis=0)) * tl.load(x_ptr + (row - (row > 0)) * row_stride))"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "source", "code", "said"),
    [
        (
            "tiled_matmul",
            wrong_program("tiled_matmul", "one_step_along_k"),
            "hard-coded-size",
            "Other numbers in `a[:, 32]` (case “one past 32”) change nothing",
        ),
        (
            "tiled_matmul",
            wrong_program("tiled_matmul", "sum_starts_again_at_each_step"),
            "hard-coded-size",
            "Other numbers in `a[:, :32]` (case “one past 32”) change nothing",
        ),
        (
            "tiled_matmul",
            wrong_program("tiled_matmul", "result_transposed"),
            "wrong-stride",
            "change `output[:, 15]`; they should change `output[15]`.",
        ),
        (
            "row_softmax",
            changed(
                "row_softmax",
                ("x = tl.load(\n", "seen = mask & (column < 1000)\n    x = tl.load(\n"),
                ("        mask=mask,\n", "        mask=seen,\n"),
            ),
            "hard-coded-size",
            "Other numbers in `x[:, 1000:]`",
        ),
        (
            "row_softmax",
            changed("row_softmax", ("tl.exp(x - tl.max(x, axis=0))", ABOVE)),
            "wrong-values",
            ", and should not.",
        ),
        (
            "layer_norm",
            wrong_program("layer_norm", "no_bias"),
            "wrong-values",
            "change nothing in the output, as if `bias` were left out.",
        ),
        (
            "layer_norm",
            wrong_program("layer_norm", "a_thousand_columns"),
            "hard-coded-size",
            "Other numbers in `x[:, 1024]`",
        ),
        (
            "bias_gelu",
            wrong_program("bias_gelu", "bias_of_the_lane"),
            "hard-coded-size",
            "they should change `output[",
        ),
        (
            "flash_attention",
            wrong_program("flash_attention", "does_not_see_itself"),
            "wrong-values",
            "Other numbers in `k[:, 2]` (case “three tokens, causal”) change nothing",
        ),
        (
            "flash_attention",
            wrong_program("flash_attention", "only_its_own_block_of_keys"),
            "hard-coded-size",
            "Other numbers in `v[:, :32]` (case “one past 32, causal”) should change "
            "`output[:, 32]`, and do not.",
        ),
        (
            "flash_attention",
            wrong_program("flash_attention", "looks_into_the_future"),
            "wrong-values",
            "Other numbers in `k[:, 2]` (case “three tokens, causal”) change "
            "`output[:, :2]`, and should not.",
        ),
    ],
)
def test_the_cause_names_the_part(judge, slug, source, code, said):
    verdict = judged(judge, source, slug, seed=0)
    assert first_code(verdict) == code
    assert said in verdict.diagnosis[0].message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "name"),
    [
        ("flash_attention", "scale_forgotten"),
        ("flash_attention", "not_divided_by_the_sum"),
        ("row_softmax", "sum_without_the_maximum"),
        ("layer_norm", "root_forgotten"),
    ],
)
def test_wrong_values_of_the_right_parts_say_nothing(judge, slug, name):
    verdict = judged(judge, wrong_program(slug, name), slug, seed=0)
    assert first_code(verdict) == "wrong-values"
    assert "Other numbers" not in verdict.diagnosis[0].message


@pytest.mark.slow
def test_a_function_that_behaves_otherwise_when_asked_again_keeps_its_verdict(judge):
    """Raising, or returning something else, once all cases have been seen."""
    plain = wrong_program("tiled_matmul", "one_step_along_k").replace("def matmul(", "def plain(")
    for odd in (
        "raise RuntimeError('no more')",
        "return out.half()",
        "return out[:1]",
        "return None",
    ):
        source = (
            f"{plain}\n\ncalls = []\n\n\ndef matmul(a, b):\n    calls.append(0)\n    out = plain(a, b)\n"
            f"    if len(calls) > 20:\n        {odd}\n    return out\n"
        )
        verdict = judged(judge, source, "tiled_matmul", seed=0)
        assert first_code(verdict) == "hard-coded-size"
        assert "Other numbers" not in verdict.diagnosis[0].message
