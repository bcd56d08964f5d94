"""What k and c of `tutor.judge.comparison.compare.BOUNDS` must be: errors of right and of known
low-precision implementations, over the exercises' cases and many seeds. A script, not a test:

    python tests/judge/calibrate.py [--seeds 5] [--seconds 150] [--only tiled_matmul]

With a CUDA GPU all columns are filled; without one the kernels run in Triton's interpreter, which has
no TF32, so that row stays empty. For each call and each k it computes the c that the call needs,

    max over elements of (|got − want| − k · err(eager)) / (eps · scale),

and prints, by arithmetic and exercise, the median and the largest over right implementations; for the
wrong ones the largest over a submission's cases, which is what must exceed c for it to be found, and
of that the smallest over seeds. The proposal is the smallest power of two that is at least twice what
right ones need.
"""

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

ON_GPU = torch.cuda.is_available()
if not ON_GPU:
    os.environ["TRITON_INTERPRET"] = "1"  # read where @triton.jit decorates

from tutor.base import paths  # noqa: E402
from tutor.course.catalog.course import open_course  # noqa: E402
from tutor.course.model import Exercise  # noqa: E402
from tutor.course.reading.wrong_answers import read_wrong_answers  # noqa: E402
from tutor.judge.cases import reference  # noqa: E402
from tutor.judge.cases.reference import Args, Reference  # noqa: E402
from tutor.judge.comparison.compare import BOUNDS  # noqa: E402
from tutor.judge.processes import learner_module  # noqa: E402

KS = (0.0, 1.0, 2.0, 4.0)
DEVICE = "cuda" if ON_GPU else "cpu"
DTYPES = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "tf32": torch.float32,
}
_COARSER = {"float32": "float16", "float16": "bfloat16", "bfloat16": "float8_e4m3fn"}


@dataclass(frozen=True)
class Implementation:
    name: str
    right: bool
    call: Callable[..., torch.Tensor]


@dataclass(frozen=True)
class Need:
    """What c one call needs, by k."""

    implementation: str
    right: bool
    seed: int
    case: str
    by_k: tuple[float, ...]


def implementations(
    exercise: Exercise, known: Reference, arithmetic: str
) -> Iterator[Implementation]:
    tf32 = arithmetic == "tf32"
    text = exercise.solution.read_text("utf-8")
    if tf32:
        if '"ieee"' not in text or not ON_GPU:
            return  # no tensor core would be used
        text = text.replace('"ieee"', '"tf32"')
        yield Implementation("solution in tf32", True, _entry(exercise, text, "solution"))
        yield Implementation("eager in tf32", True, _with_tf32(known.eager))
        coarse = text.replace("tl.dot(x, y,", "tl.dot(x.to(tl.bfloat16), y.to(tl.bfloat16),")
        if coarse != text:
            yield Implementation("bfloat16 tiles", False, _entry(exercise, coarse, "coarse"))
        return
    yield Implementation("solution", True, _entry(exercise, text, "solution"))
    for path in exercise.right:
        yield Implementation(path.stem, True, _entry(exercise, path.read_text("utf-8"), path.stem))
    if coarser := _COARSER.get(arithmetic):
        yield Implementation(f"eager through {coarser}", False, _through(known.eager, coarser))
    for wrong in read_wrong_answers(exercise.folder) if arithmetic == "float32" else ():
        if wrong.expect == "low-precision":
            yield Implementation(wrong.name, False, _entry(exercise, wrong.code, wrong.name))
    if arithmetic == "float32" and ON_GPU:
        yield Implementation("compiled", True, torch.compile(known.eager, dynamic=True))


def _entry(exercise: Exercise, text: str, name: str) -> Callable[..., torch.Tensor]:
    found = learner_module.load_module(
        text, f"{exercise.slug}-{name}.py", f"{exercise.slug}_{name}"
    )
    return learner_module.find_entry(found, exercise.entry)


def _through(eager: Callable[..., torch.Tensor], coarser: str) -> Callable[..., torch.Tensor]:
    def run(*args: Any) -> torch.Tensor:
        exact = eager(*args)
        return exact.to(getattr(torch, coarser)).to(exact.dtype)

    return run


def _with_tf32(eager: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def run(*args: Any) -> torch.Tensor:
        torch.backends.cuda.matmul.allow_tf32 = True
        try:
            return eager(*args)
        finally:
            torch.backends.cuda.matmul.allow_tf32 = False

    return run


def need(known: Reference, args: Args, got: torch.Tensor, eps: float) -> tuple[float, ...] | None:
    """None where the call says nothing: no float, no element, or nothing finite."""
    eager = known.eager(*_copies(args))
    want = known.want(args)
    if not eager.is_floating_point() or got.dtype != eager.dtype or got.shape != want.shape:
        return None
    finite = torch.isfinite(want.to(got.dtype)) & torch.isfinite(got) & torch.isfinite(eager)
    scale = torch.as_tensor(known.magnitude(args, want, got.dtype), dtype=torch.float64)
    unit = (eps * scale.to(want.device)).expand(want.shape)
    finite &= unit > 0
    if not finite.any():
        return None
    eager_error = float((eager.double() - want).abs()[finite].max())
    error, unit = (got.double() - want).abs()[finite], unit[finite]
    return tuple(float(((error - k * eager_error) / unit).max()) for k in KS)


def _copies(args: Args) -> Args:
    return tuple(a.clone() if isinstance(a, torch.Tensor) else a for a in args)


def _in_dtype(args: Args, dtype: torch.dtype) -> Args:
    return tuple(
        a.to(dtype) if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in args
    )


def measured(exercise: Exercise, arithmetic: str, seeds: int, until: float) -> Iterator[Need]:
    known = reference.load_reference(exercise.reference)
    eps, dtype = BOUNDS[arithmetic].eps, DTYPES[arithmetic]
    for each in implementations(exercise, known, arithmetic):
        for seed in range(1, seeds + 1):
            for index, case in enumerate(known.cases):
                if time.monotonic() > until:
                    return
                args = _in_dtype(reference.make_inputs(case, seed + index, DEVICE), dtype)
                try:
                    by_k = need(known, args, each.call(*_copies(args)), eps)
                except Exception as error:
                    if arithmetic == "float32":
                        print(f"  {exercise.slug} {each.name}, {case.name}: {_first(error)}")
                    break  # made for float32 alone, or not for this machine
                if by_k is not None:
                    yield Need(each.name, each.right, seed, case.name, by_k)


def _first(error: BaseException) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"


def found_by(needs: list[Need], at: int) -> dict[str, float]:
    """For each wrong implementation the c that finds it at every seed."""
    most: dict[tuple[str, int], float] = defaultdict(lambda: float("-inf"))
    for each in needs:
        if not each.right:
            key = each.implementation, each.seed
            most[key] = max(most[key], each.by_k[at])
    return {name: min(v for (n, _), v in most.items() if n == name) for name, _ in most}


def report(arithmetic: str, by_exercise: dict[str, list[Need]]) -> None:
    bound = BOUNDS[arithmetic]
    print(f"\n{arithmetic}: now k = {bound.k:g}, c = {bound.c:g}, eps = {bound.eps:.3g}")
    header = "".join(f"{f'c at k={k:g}: median, most':>28}" for k in KS)
    print(f"  {'right':24}{'calls':>6}{header}")
    worst = [0.0] * len(KS)
    for slug, needs in by_exercise.items():
        right = [each for each in needs if each.right]
        row = ""
        for at in range(len(KS)):
            values = [max(0.0, each.by_k[at]) for each in right] or [0.0]
            worst[at] = max(worst[at], *values)
            row += f"{statistics.median(values):>18.3g}{max(values):>10.3g}"
        print(f"  {slug:24}{len(right):>6}{row}")
        top = max(right, key=lambda each: each.by_k[-1], default=None)
        if top and top.by_k[-1] > 0:
            print(
                f"  {'':24}most at k={KS[-1]:g}: {top.implementation}, “{top.case}”, seed {top.seed}"
            )
    print("  wrong: found where c is below")
    for slug, needs in by_exercise.items():
        for name in found_by(needs, 0):
            row = "".join(f"{found_by(needs, at)[name]:>28.4g}" for at in range(len(KS)))
            print(f"    {f'{slug}/{name}':44.44}{row[16:]}")
    for at, k in enumerate(KS):
        c = 1.0
        while c < 2 * worst[at]:
            c *= 2
        lowest = min(
            (v for needs in by_exercise.values() for v in found_by(needs, at).values()),
            default=float("inf"),
        )
        gap = f"wrong ones from {lowest:.3g}" if lowest < float("inf") else "no wrong one here"
        fits = "" if c < lowest else "  NO GAP"
        print(f"  k = {k:g}: right ones need {worst[at]:.3g}, propose c = {c:g}; {gap}{fits}")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("--seconds", type=float, default=150.0)
    options.add_argument("--only", default="", help="one exercise")
    options.add_argument("--arithmetic", choices=tuple(DTYPES), default=None)
    chosen = options.parse_args()
    if not ON_GPU:
        from tutor.judge.interpreter.hooks import InterpreterHooks
        from tutor.judge.worker import main as worker

        worker.warm_interpreter()
        InterpreterHooks("").install()  # autotuners without a device, truths as arguments
        torch.set_num_threads(1)
    import triton

    device = torch.cuda.get_device_name(0) if ON_GPU else "CPU, Triton's interpreter"
    print(f"{device}; torch {torch.__version__}, triton {triton.__version__}; {chosen.seeds} seeds")
    until = time.monotonic() + chosen.seconds
    course = open_course(paths.course_root())
    exercises = [
        each
        for each in course.exercises().values()
        if each.right and chosen.only in ("", each.slug)
    ]
    for arithmetic in [chosen.arithmetic] if chosen.arithmetic else list(DTYPES):
        needs = {
            each.slug: list(measured(each, arithmetic, chosen.seeds, until)) for each in exercises
        }
        report(arithmetic, {slug: found for slug, found in needs.items() if found})
    if time.monotonic() > until:
        print("\nStopped by --seconds: what stands above is not all.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
