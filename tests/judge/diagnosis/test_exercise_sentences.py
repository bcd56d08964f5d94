"""What exercises say of wrong answers that were once told something false: only what is seen."""

import json
from pathlib import Path

import pytest
import torch
from course_answers import wrong_program
from judging import judged

from tutor.judge.cases import training
from tutor.judge.cases.fx_graphs import trace_text
from tutor.judge.cases.int4_pass import FIELDS
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


def said_of(slug: str, name: str, change) -> str:
    """What the exercise says where `change` makes an output of the right one and the arguments."""
    known = reference(slug)
    args = arguments(known, name)
    want = known.want(args)
    return known.mistake(change(want.clone(), *args), args)


def near_half(x: torch.Tensor) -> torch.Tensor:
    """The first 16 of 32 partial sums, off by more than rounding explains."""
    whole = torch.nn.functional.pad(x, (0, -x.numel() % 8192)).view(-1, 32, 256).sum((0, 2))
    return whole[:16].sum() + 5e-5 * x.abs().sum()


def put(want: torch.Tensor, at, number: float) -> torch.Tensor:
    want[at] = number
    return want


@pytest.mark.parametrize(
    ("slug", "case", "change", "false"),
    [
        # The answer is anti everywhere, and there is no anti that could be called flow.
        ("dependence_vectors", "a running sum", lambda w, *_: put(w, (0, 0), 2), "each anti flow"),
        ("dependence_vectors", "a running sum", lambda w, *_: put(w, (0, 0), -1), "you say anti"),
        # A row has room for k + 2 tokens: more may have been written.
        (
            "engine_core",
            "one request",
            lambda w, *args: put(w, (0, 0, slice(int((w[0, 0] >= 0).sum()) - 1, args[5] + 2)), 1),
            "new tokens, and",
        ),
        # Rounding alone: the graph has no product.
        ("graph_surgery", "a function", lambda w, *_: w.float() + 9e-6, "clamped"),
        # What is left is right: that is no failure.
        ("minimise", "drawn, two of 100", lambda w, *_: w * 0, "another report"),
        # No request of this case has a full block.
        ("prefix_hash", "less than a block", lambda w, *_: put(w, (0, 1), 7), "another hash"),
        # All times are 0, as they should be.
        ("read_a_trace", "no GPU at all", lambda w, *_: put(w, 0, 1), "thousandth"),
        # A time in seconds would be small, but not 0.
        ("roofline_place", "small kernels", lambda w, *_: put(w, (slice(None), 1), 0), "seconds"),
        # There is one run, so nothing is called arithmetic.
        (
            "roofline_place",
            "a large product in FP16",
            lambda w, *_: put(w, (slice(None), 3), 0),
            "exchanged",
        ),
        # More than rounding lies between the result and the sum of some partial sums.
        ("two_stage_sum", "many steps and a tail", lambda w, x: w * 0 + near_half(x), "partial"),
        # The others are off by more than rounding.
        (
            "ring_allreduce",
            "2 ranks, 5 numbers, float64",
            lambda w, *_: put(w, 0, 9) + 1e-9,
            "others right",
        ),
        # A share of time has no bytes, 4 are more than 2, one rank sends and shares nothing, and
        # nobody promises collectives with a 0.
        ("trainer_plan", "four stages in a row", lambda w, *_: put(w, 1, w[1] / 2), "8 bytes"),
        (
            "trainer_plan",
            "fewer microbatches than stages",
            lambda w, *_: put(w, 2, 4),
            "one too few",
        ),
        (
            "trainer_plan",
            "one rank",
            lambda w, _, __, m, tokens, width, *___: put(w, 6, 8 * m * tokens * width),
            "forward and back",
        ),
        ("trainer_plan", "one rank", lambda w, *args: put(w, 7, 16 * args[5][0]), "share"),
        ("trainer_plan", "four stages in a row", lambda w, *_: put(w, 9, 0), "alone"),
        # A block may be longer than 32 columns.
        (
            "online_max",
            "one past the block",
            lambda w, x: torch.stack((x[:, -1], w[:, 1]), 1).float(),
            "of 32 columns",
        ),
    ],
)
def test_what_is_not_so_is_not_said(slug, case, change, false):
    assert false not in said_of(slug, case, change)


@pytest.mark.parametrize(
    ("slug", "case", "change", "words"),
    [
        (
            "arithmetic_intensity",
            "sums of long rows",
            lambda w, op, sizes, size, *_: put(w, 1, sizes[0] * sizes[1] * size),
            "these are the bytes that are read. The result is written, too.",
        ),
        (
            "occupancy",
            "blocks of one warp",
            lambda w, *_: put(w, 4, 64),
            "Element 4 is 64: so many warps fit without the limit of 32 blocks.",
        ),
        ("bands", "no step fits", lambda w, *_: put(w, 1, 5), "No step fits, so all three numbers"),
        (
            "prefix_hash",
            "less than a block",
            lambda w, *_: put(w, (0, 1), 7),
            "it has no full block, so 0 belongs there, and you return 7.",
        ),
        (
            "online_max",
            "nothing but negative numbers",
            lambda w, *_: put(w, (slice(None), 0), 0).float(),
            "Where all numbers of a row are below 0, your maximum is 0.",
        ),
        (
            "graph_surgery",
            "a product",
            lambda w, x, source: trace_text(source)(x),
            "a graph in which a product that is a function (`call_function`) is not clamped.",
        ),
        (
            "pipeline_1f1b",
            "4 stages, 8 microbatches",
            lambda w, *_: w.float().double(),
            "is 0.27272727, and you return 0.27272728.",
        ),
        (
            "pipeline_1f1b",
            "4 stages, 8 microbatches",
            lambda w, *_: put(w, (0, 0), torch.nan),
            "and you return nan.",
        ),
        (
            "roofline_place",
            "a large product in FP16",
            lambda w, *_: put(w, (slice(None), 3), 0),
            "Column 3 is 0 where the arithmetic limits; that is 1.",
        ),
        (
            "seeded_dropout",
            "100 elements",
            lambda w, *_: torch.where(w == 0, w, w + 1).float(),
            "among the others some are not `x / (1 - p)`.",
        ),
        (
            "trainer_core",
            "two stages, four microbatches",
            lambda w, *_: torch.cat((4 * w[:, : training.FOLDED], w[:, training.FOLDED :]), 1),
            "is 4 times the mean: that is the sum over the 4 microbatches.",
        ),
        (
            "sensitivity",
            "the draft model",
            lambda w, *_: put(w, (0, 1), 2.5),
            "bits is 2.5 here; ",
        ),
    ],
)
def test_a_number_is_said_to_be_what_it_is(slug, case, change, words):
    assert words in said_of(slug, case, change)


def test_counts_of_one_pass_are_not_those_of_both():
    known = reference("op_counter")
    args = (
        "def step():\n    return (torch.ones(2, requires_grad=True) * 2).sum()",
        "aten.sum.default",
    )
    assert known.want(args).tolist() == [[1, 0]]
    said = known.mistake(torch.tensor([[1, 3]]), args)
    assert said == "`aten.sum.default` never arrives backwards, and you counted 3."


def test_no_time_is_not_that_of_operators_that_do_not_run():
    call = {"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "ts": 0, "dur": 5}
    trace = json.dumps({"traceEvents": [call | {"args": {"correlation": 0}}]})
    said = reference("read_a_trace").mistake(torch.zeros(6, dtype=torch.float64), (trace,))
    assert said == "Element 4, the waiting time, is 0, not 5."


def test_sums_over_as_many_microbatches_as_replicas_are_not_told_apart():
    known = reference("trainer_whole")
    args = arguments(known, "one stage, two replicas")  # and two microbatches
    _, stages, codes = args
    batches = [codes[:, step].flatten(0, 2) for step in range(codes.shape[1])]
    ((_, weights),) = training.train_alone(stages, batches, 2, True)
    got = known.want(args)
    got[:, : training.FOLDED] = training.fold(weights)
    said = known.mistake(got, args)
    assert said.endswith("summed over the replicas, or over the microbatches.")


def test_a_result_that_is_right_is_not_one_of_another_formula():
    known = reference("triton_backend")
    args = torch.ones(3), torch.full((3,), 1e-6), "torch.add(x, y, alpha=3)"
    assert known.mistake(put(known.want(args).float(), slice(1, 3), 0), args) == ""


def test_losses_that_nearly_agree_are_told_with_the_digits_that_differ():
    known = reference("mixed_bits")
    args = torch.tensor([[4, 4]]), torch.tensor([[10.0, 10 + 2.0**-20]], dtype=torch.float64), 4
    said = known.mistake(torch.tensor([1]), args)
    assert said == "Your choice loses 10.00000095; 10 is possible, with 4 bytes."


def test_an_error_above_a_bound_is_told_as_that():
    """`measure` says whether an error is above a bound, and not why."""
    for slug in ("pass_whole", "pass_ablate"):
        known = reference(slug)
        args = make_inputs(known.cases[0], 3)
        want = known.want(args)
        worse, wrong = want.clone(), want.clone()
        worse.view(-1, worse.shape[-1])[0, FIELDS.index("no better")] = 1
        wrong.view(-1, wrong.shape[-1])[0, FIELDS.index("wrong")] = 1
        assert "more than 85 % of that of" in known.mistake(worse, args)
        assert "or nearly none, or a row's result depends" in known.mistake(wrong, args)


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
