"""What exercises say of wrong answers that were once told something false: only what is seen."""

from pathlib import Path

import pytest
import torch
from course_answers import wrong_program
from judging import judged

from tutor.judge.cases.reference import Reference, load_reference, make_inputs

KERNELS = Path(__file__).parents[3] / "kernels"


def reference(slug: str) -> Reference:
    return load_reference(KERNELS / slug / "reference.py")


def arguments(known: Reference, name: str) -> tuple:
    (case,) = [case for case in known.cases if case.name == name]
    return make_inputs(case, 3)


def found(slug: str, values: dict) -> str:
    known = reference(slug)
    assert known.check_found
    fault = known.check_found(values)
    assert fault
    return fault[1]


def test_tiles_that_straddle_a_line_are_not_said_to_fit():
    misses = {"a": 875, "b": 896, "c": 865}  # T = 9: a row of 9 numbers lies in two lines
    right = {"right": True, "misses": misses, "read": 2 * 32**3, "at once": []}
    said = found("tile_the_loops", {"counts": [right, right]})
    assert "`b` lies in 128 lines, and each of them is fetched 7.0 times." in said
    assert "fit" not in said


def test_a_ridge_of_another_peak_is_not_an_exchange():
    known = reference("roofline_place")
    args = arguments(known, "a chain of 300 operations")
    runs, peaks, bandwidth, _ = args
    got = known.truth(*args).clone()
    fastest = max(value for _, value in peaks)
    got[0, 3] = float(runs[0][1] / fastest >= runs[0][2] / bandwidth)
    assert got[0, 3] != known.truth(*args)[0, 3]
    assert "exchanged" not in known.mistake(got, args)


@pytest.mark.parametrize(
    ("case", "at", "change", "words"),
    [
        ("a copy near the roof", 2, lambda n: n * 64, "64 times what belongs there"),
        (
            "both near, arithmetic nearer",
            4,
            lambda n: 1 - n,
            "larger of the two per cents is arith",
        ),
        ("both the same", 4, lambda n: 1 - n, "the two per cents are equal"),
    ],
)
def test_a_profile_read_wrongly_is_told_the_number_that_is_wrong(case, at, change, words):
    known = reference("read_profile")
    args = arguments(known, case)
    got = known.truth(*args).clone()
    got[at] = change(got[at])
    assert words in known.mistake(got, args)


def test_limits_of_occupancy_are_named_and_not_counted_as_elements():
    known = reference("occupancy")
    args = arguments(known, "blocks of one warp")
    got = known.truth(*args).clone()
    right, got[2] = int(got[2]), 21
    assert known.mistake(got, args) == (
        f"By registers you allow 21 blocks (element 2); it is {right}."
    )


def test_counts_of_both_passes_in_one_list_are_told_as_that():
    known = reference("op_counter")
    args = arguments(known, "a product and a sum")
    got = known.truth(*args).clone()
    got[:, 0] += got[:, 1]
    assert known.mistake(got, args).startswith("Column 0 holds the counts of both passes")
    nothing = known.mistake(torch.zeros_like(got), args)
    assert "is a text" in nothing


def test_an_operator_that_never_arrives_is_named():
    known = reference("op_counter")
    args = arguments(known, "a product and a sum")
    got = known.truth(*args).clone()
    row = args[1].split().index("aten.exp.default")
    got[row, 1] = 2
    assert known.mistake(got, args) == (
        "`aten.exp.default` never arrives backwards, and you counted 2."
    )


def test_a_negative_stride_is_named_where_the_kind_is_wrong():
    known = reference("dependence_vectors")
    args = arguments(known, "an index that runs backwards")
    got = known.truth(*args).clone()
    row = int(got[:, 0].nonzero()[0])
    got[row, 0] = 3 - got[row, 0]
    said = known.mistake(got, args)
    assert said.endswith("A stride is negative here.")
    assert "decides" not in said


def test_a_gradient_that_branches_on_a_number_is_told_as_that():
    tests = [
        ["test_aot_dispatch_dynamic", "Could not guard on data-dependent expression Eq(u0, 1)"]
    ]
    row = [[5, 3], [[5], "torch.float32"], [[5], "torch.float32"]]
    values = {
        "registered": True,
        "asked": 1,
        "graphs": 1,
        "operators": ["tutor::row_norm"],
        "called": True,
        "kept": True,
        "returned": True,
        "called_for_gradient": True,
        "fakes": [row],
        "gradient": "there",
        "zero_row": False,
        "slope_right": True,
        "failed": tests,
    }
    assert "Python asks for a number of a tensor, as `if` does" in found("custom_op", values)


@pytest.mark.slow
def test_a_key_of_an_autotuner_that_is_no_argument_is_named(judge):
    source = (KERNELS / "autotuned" / "solution.py").read_text("utf-8")
    other = source.replace('key=["M", "N", "K"]', 'key=["m", "n", "k"]')
    assert other != source
    (first, *_) = judged(judge, other, "autotuned", device="cpu").diagnosis
    assert first.message.startswith("`key` of `@triton.autotune` names `m`, which is no argument")


def test_one_fault_of_peak_memory_has_no_three_names(judge):
    """A name that is bound again drops what it named before, though a view still looks at it."""
    source = wrong_program("peak_memory", "sizes_by_name")
    for seed in (1, 2, 3):
        verdict = judged(judge, source, "peak_memory", device="cpu", seed=seed)
        assert not verdict.passed
        assert "comes out if" not in verdict.diagnosis[0].message
