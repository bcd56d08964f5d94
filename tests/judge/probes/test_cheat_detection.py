"""One submission, at least, for each known way to cheat a judge of kernels (`cheats/`), and its code.

Each file names its code, its exercise, its row of the catalogue and how it cheats: T are attacks on the
timing, V on the verdict and the harness, S on the meaning of the task. T13 is a timer that
forgets to flush the cache: its file is a right kernel that would gain by that.
What a file does to the processes and channels of the judge is in `test_hostile_code.py`.

At the end the opposite: what honest kernels do that looks like the above and must pass.
"""

from collections import Counter
from pathlib import Path

import pytest
import torch
from judging import KERNEL, RIGHT, entry, first_code, judged

from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import Verdict
from tutor.judge.sampling import l2_cache
from tutor.judge.timing import checks

pytestmark = pytest.mark.slow

CHEATS = {path.stem: path for path in sorted(Path(__file__).parents[1].glob("cheats/*.py"))}
ROWS = [
    *(f"T{n}" for n in range(1, 16)),
    *(f"V{n}" for n in range(1, 8)),
    *(f"S{n}" for n in range(1, 14)),
]

# Only a GPU run shows these: here they are right, and their kernel computes the output in every call.
NEEDS_GPU = {
    "t01_side_stream": "there are no streams in the interpreter",
    "t06_kept_by_content": "a memory keyed on content is right; only a time would be too good",
    "t11_honest_in_the_interpreter": "it differs only where the kernel is compiled",
    "t12_persisting_cache": "there is no cache to pin in the interpreter",
    "t13_warm_cache": "there is no cache to flush in the interpreter",
}
# Nothing can be done here; where that changes, the test fails and asks to be moved.
NOT_CAUGHT = {
    "v02_blinds_the_watch": (
        "accesses are watched in the learner's own process, and who looks for the watch can blind it; "
        "numbers and origin of the output are still judged outside"
    ),
    "t13_warm_cache": (
        "hints on what a cache keeps are honest, and there is nothing to refuse: a timer that flushes "
        "gives them no gain. Only a GPU shows that: `test_what_only_a_gpu_shows_gains_nothing_there` "
        "and `test_the_flush_is_larger_than_the_cache`"
    ),
}
# NumPy reads no tensor of a GPU.
BY_NUMPY = ("s12_halves_by_numpy", "s12_numpy_in_a_graph", "s12_numpy_writes_in_place")
TIMED = ("t05_slow_clock", "t14_no_time_at_all")
PRIVATE = ("v04_edits_the_reference",)  # writes into its course, so it gets one of its own


def header(path: Path) -> tuple[str, str, str]:
    """Expected code, exercise, row."""
    code, exercise, how = path.read_text("utf-8").splitlines()[:3]
    return (
        code.removeprefix("# expect: "),
        exercise.removeprefix("# exercise: "),
        how.removeprefix("# ").partition(":")[0],
    )


def verdict_on(judge, name: str, **options) -> Verdict:
    path = CHEATS[name]
    if name in BY_NUMPY:
        options["device"] = "cpu"
    return judged(judge, path.read_text("utf-8"), header(path)[1], **options)


def timed(judge, source: str, exercise: str) -> Verdict:
    last = None
    for event in judge.submit(Submission(exercise, source, f"{exercise}.py", timing=True)):
        last = event
    assert isinstance(last, Verdict)
    return last


def expected(name: str):
    reason = NOT_CAUGHT.get(name)
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(name, marks=marks, id=name)


def test_every_row_of_the_catalogue_has_a_submission():
    """T1 to T15, V1 to V7, S1 to S13, each by a file that is named after its row."""
    assert len(ROWS) == 15 + 7 + 13
    found = Counter(header(path)[2] for path in CHEATS.values())
    assert [row for row in ROWS if not found[row]] == []
    assert sorted(set(found) - set(ROWS)) == []
    for name, path in CHEATS.items():
        row = header(path)[2]
        assert name.startswith(f"{row[0].lower()}{int(row[1:]):02}_"), name


def test_every_submission_is_judged_by_a_test():
    """None is left out by a name that no longer exists; what is not caught is tried all the same."""
    assert {*NEEDS_GPU, *NOT_CAUGHT, *TIMED, *PRIVATE} <= set(CHEATS)
    assert set(NOT_CAUGHT) <= set(PLAINLY)


# A GPU's are judged there; those that nothing refuses are expected to fail here.
PLAINLY = [n for n in CHEATS if n in NOT_CAUGHT or n not in {*NEEDS_GPU, *TIMED, *PRIVATE}]


@pytest.mark.parametrize("name", [expected(n) for n in PLAINLY])
def test_a_cheat_fails_with_its_code(judge, name):
    verdict = verdict_on(judge, name)
    assert not verdict.passed
    assert first_code(verdict) == header(CHEATS[name])[0], verdict.diagnosis
    assert verdict.diagnosis[0].message.endswith((".", "?"))


def test_a_reference_that_is_rewritten_is_not_the_one_that_judges(strict_course):
    """It was loaded before; the course here is a copy, and is put back. The command line of a judge for
    one caller names the course."""
    path = strict_course / "kernels" / "vector_add" / "reference.py"
    before = path.read_bytes()
    try:
        with Judge(strict_course, cold=True) as own:
            assert judged(own, RIGHT).passed
            verdict = verdict_on(own, "v04_edits_the_reference")
        assert path.read_bytes() != before  # it did what it is here for
    finally:
        path.write_bytes(before)
    assert first_code(verdict) == "wrong-values"


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("s12_torch_does_most", "`torch.exp`, `torch.sum`"),
        ("s12_two_halves", "`torch.div`"),
        ("s12_product_in_torch", "`torch.mul`"),
        ("s12_halves_by_numpy", "`torch.Tensor.numpy`"),
        ("s12_numpy_writes_in_place", "`torch.Tensor.numpy`"),
        ("s12_looks_for_withheld_stores", "`torch.add`"),
    ],
)
def test_the_operations_that_pytorch_did_are_named(judge, name: str, operation: str):
    assert verdict_on(judge, name).diagnosis[0].message.startswith(f"{operation} did a part")


ATOMIC_DECOYS = {
    "atomic_add": "tl.atomic_add(out_ptr + at, 1.0)",
    "atomic_max": "tl.atomic_max(out_ptr + at, 1.0)",
    "atomic_cas": "tl.atomic_cas(out_ptr.to(tl.pointer_type(tl.int32)), 0, 1)",
}


@pytest.mark.parametrize("store", ATOMIC_DECOYS.values(), ids=ATOMIC_DECOYS.keys())
def test_atomic_operations_are_withheld_like_stores(judge, store):
    """The launch goes through without them: an error in it would look like work."""
    kernel = (
        "@triton.jit\ndef touch(out_ptr, B: tl.constexpr):\n    at = tl.arange(0, B)\n"
        f"    {store}\n\n"
    )
    decoy = entry("touch[(1,)](torch.zeros(8, device=x.device), B=8)\nreturn x + y", kernel)
    verdict = judged(judge, decoy)
    assert first_code(verdict) == "did-not-launch", verdict.diagnosis
    # What it added to is what it returns: without the additions that is wrong, as it should be.
    used = entry("out = x + y\nout -= 1\ntouch[(1,)](out[:8], B=8)\nreturn out + 1", kernel)
    assert first_code(judged(judge, used)) != "did-not-launch"


# --- timing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NEEDS_GPU)
def test_what_only_a_gpu_shows_is_right_without_one(judge, name):
    """The correctness half: none of these is refused for a reason that it does not have."""
    verdict = verdict_on(judge, name, device="cpu")
    assert verdict.passed, verdict.diagnosis


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
@pytest.mark.parametrize("name", NEEDS_GPU)
def test_what_only_a_gpu_shows_gains_nothing_there(judge, name):
    """It fails with its code, or its time is not believed, or is no better than an honest one.

    A driver that does not let a program change the cache ends the process.
    """
    code, exercise, _ = header(CHEATS[name])
    verdict = timed(judge, CHEATS[name].read_text("utf-8"), exercise)
    if not verdict.passed:
        assert first_code(verdict) in (code, "crash"), verdict.diagnosis
        return
    honest = timed(judge, RIGHT, exercise)
    assert honest.timing is not None, honest.diagnosis
    assert verdict.timing is not None, verdict.diagnosis
    doubted = not verdict.timing.believed
    assert doubted or verdict.timing.learner.median_ms > 0.9 * honest.timing.learner.median_ms


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_the_flush_is_larger_than_the_cache():
    """T13: samples of a kernel whose inputs are still in the L2 cache say nothing of memory."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    assert l2_cache.flush_buffer().nbytes >= 2 * cache


CLOCKS = {
    "honest": ([(19.0, 20.0), (18.5, 19.0)], False),
    "quick calls, slow messages": ([(0.1, 1.2), (0.1, 0.9)], False),
    "a busy machine": ([(2.0, 60.0), (2.0, 4.0), (2.0, 35.0)], False),
    "a hundredth": ([(0.2, 20.0), (0.19, 19.0)], True),
    "none at all": ([(0.0, 20.0), (0.0, 19.0)], True),
    "no number": ([(float("nan"), 20.0)], True),
}


@pytest.mark.parametrize(("rounds", "refused"), CLOCKS.values(), ids=CLOCKS.keys())
def test_the_learners_clock_is_held_against_the_judges(rounds, refused):
    if not refused:
        checks.check_clock(rounds)
        return
    with pytest.raises(checks.Failed) as failed:
        checks.check_clock(rounds)
    assert failed.value.finding.code == "tampering"


@pytest.mark.parametrize("name", TIMED)
def test_a_clock_that_was_changed_is_noticed(judge, name):
    code, exercise, _ = header(CHEATS[name])
    verdict = timed(judge, CHEATS[name].read_text("utf-8"), exercise)
    if verdict.device.startswith("cuda"):
        pytest.skip("on a GPU no clock of the process is read: its events are")
    if verdict.timing is None and not verdict.diagnosis:
        pytest.skip("needs g++")
    assert not verdict.passed
    assert first_code(verdict) == code, verdict.diagnosis


# --- what is not cheating -----------------------------------------------------------------------------

SUMS = """\
import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(x_ptr, out_ptr, columns, blocks, BLOCK: tl.constexpr):
    row, block = tl.program_id(0), tl.program_id(1)
    column = block * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + column, mask=column < columns, other=0.0)
    tl.store(out_ptr + row * blocks + block, tl.sum(x, 0))


@triton.jit
def atomic_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * columns + column, mask=column < columns, other=0.0)
    tl.atomic_add(out_ptr + tl.program_id(0), tl.sum(x, 0))


scratch = {}


"""
HONEST = {
    "scratch memory kept from call to call, in two launches": (
        "row_sum",
        SUMS + "def row_sum(x):\n"
        "    rows, columns = x.shape\n    blocks = triton.cdiv(columns, 1024)\n"
        "    key = (rows, blocks, x.device)\n"
        "    if key not in scratch:\n        scratch[key] = torch.empty(rows, blocks, device=x.device)\n"
        "    parts, out = scratch[key], torch.empty(rows, device=x.device)\n"
        "    partial_kernel[(rows, blocks)](x.contiguous(), parts, columns, blocks, BLOCK=1024)\n"
        "    wide = triton.next_power_of_2(blocks)\n"
        "    partial_kernel[(rows, 1)](parts, out, blocks, 1, BLOCK=wide)\n    return out\n",
    ),
    "atomic additions into zeros": (
        "row_sum",
        SUMS + "def row_sum(x):\n    rows, columns = x.shape\n"
        "    out = torch.zeros(rows, device=x.device)\n"
        "    grid = (rows, triton.cdiv(columns, 1024))\n"
        "    atomic_kernel[grid](x.contiguous(), out, columns, BLOCK=1024)\n    return out\n",
    ),
    "settings kept by shape, calls counted": (
        "vector_add",
        entry(
            "global calls\ncalls += 1\nassert block(x.numel()) >= 1\nreturn launched(x, y)",
            "import functools\n\ncalls = 0\n\n\n@functools.lru_cache\ndef block(n):\n"
            "    return min(1024, triton.next_power_of_2(n))\n",
        ),
    ),
    "a try whose other way is a kernel too": (
        "vector_add",
        entry(
            "try:\n    return launched(x.view(1025), y.view(1025)).view(x.shape)\n"
            "except RuntimeError:\n    return launched(x, y)"
        ),
    ),
    "a kernel that adds to a copy of the input, in place": (
        "vector_add",
        entry(
            "out = x.clone(memory_format=torch.contiguous_format)\nn = out.numel()\n"
            "add_kernel[(triton.cdiv(n, BLOCK),)](out, y.contiguous(), out, n, BLOCK=BLOCK)\n"
            "return out"
        ),
    ),
    "torch looks at what it was given and at what came out": (
        "vector_add",
        entry(
            "assert x.shape == y.shape and x.dtype == torch.float32\n"
            "largest = torch.maximum(x.abs().max(), y.abs().max())\n"
            "out = launched(x, y)\nprint(float(largest), float(out.sum()))\nreturn out"
        ),
    ),
    "a view of a larger tensor": (
        "vector_add",
        entry(
            "n = x.numel()\nroom = torch.empty(n + 64, device=x.device)\n"
            "out = room[:n].view(x.shape)\nx, y = x.contiguous(), y.contiguous()\n"
            "add_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK=BLOCK)\nreturn out"
        ),
    ),
    "inputs flattened and padded by torch, the result cut and shaped": (
        "vector_add",
        entry(
            "n = x.numel()\nmore = -n % BLOCK\npad = torch.nn.functional.pad\n"
            "out = launched(pad(x.reshape(-1), (0, more)), pad(y.reshape(-1), (0, more)))\n"
            "return out[:n].reshape(x.shape)"
        ),
    ),
    "attributes on what is returned": (
        "vector_add",
        entry("out = launched(x, y)\nout.made_by = 'me'\nreturn out"),
    ),
    "deterministic algorithms turned off and on": (
        "vector_add",
        entry(
            "torch.use_deterministic_algorithms(False)\nout = launched(x, y)\n"
            "torch.use_deterministic_algorithms(True)\nreturn out"
        ),
    ),
    "a thread that has ended": (
        "vector_add",
        entry(
            "with ThreadPoolExecutor(1) as pool:\n    pool.submit(print, 'hello').result()\n"
            "return launched(x, y)",
            "from concurrent.futures import ThreadPoolExecutor\n",
        ),
    ),
}


@pytest.mark.parametrize(("exercise", "source"), HONEST.values(), ids=HONEST.keys())
def test_what_honest_kernels_do_is_not_called_cheating(judge, exercise, source):
    verdict = judged(judge, source, exercise)
    assert verdict.passed, verdict.diagnosis


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_seed_draws_a_case_that_speaks_against_a_right_kernel(judge, seed):
    assert judged(judge, RIGHT, seed=seed).passed
    assert first_code(judged(judge, entry("launched(x, y)\nreturn x + y"), seed=seed)) == (
        "did-not-launch"
    )


def test_a_kept_output_is_found_where_a_case_of_drawn_sizes_is_drawn(judge):
    """This seed draws the case “drawn”, which comes in other sizes when it is asked for again."""
    folder = Path(__file__).parents[3] / "kernels" / "two_four_sparse_mask"
    new = "torch.empty((rows, columns), dtype=torch.int8, device=w.device)"
    source = (folder / "solution.py").read_text("utf-8")
    assert new in source
    kept = source.replace(new, f"KEPT.setdefault(w.shape, {new})") + "\n\nKEPT = {}\n"
    verdict = judged(judge, kept, "two_four_sparse_mask", seed=5)
    assert first_code(verdict) == "stale-output", verdict.diagnosis


@pytest.mark.parametrize("seed", [9, 11])
def test_an_output_of_nan_alone_speaks_against_no_kernel(judge, seed):
    """These seeds draw the case “a NaN” of a sum: new memory holds what is right there."""
    folder = Path(__file__).parents[3] / "kernels" / "two_stage_sum"
    source = (folder / "solution.py").read_text("utf-8")
    assert judged(judge, source, "two_stage_sum", seed=seed).passed


def test_poison_is_laid_again_where_the_file_has_turned_it_off(judge):
    """Set once at import it would last; set in a call, the next call finds the poison again."""
    off = "torch.use_deterministic_algorithms(False)\n"
    half = (
        "out = torch.empty(x.shape, device=x.device)\nn = out.numel()\n"
        "add_kernel[(max(1, n // BLOCK),)](x.contiguous(), y.contiguous(), out, n, BLOCK=BLOCK)\n"
        "return out"
    )
    assert KERNEL in entry(half, off)
    verdict = judged(judge, entry(half, off))
    assert first_code(verdict) == "output-not-written", verdict.diagnosis
