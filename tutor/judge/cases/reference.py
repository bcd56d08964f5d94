"""An exercise's `reference.py`. It is loaded in the server only; no learner's code runs there."""

import importlib.util
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from tutor.base.errors import UsageError
from tutor.judge.comparison import compare
from tutor.judge.near_misses import NearMiss, matching, single_result, tells
from tutor.judge.spec import Budget, Case, Rewrite, Waves, Work

Args = tuple[Any, ...]

LONGEST_ARGUMENT = 40  # characters of a plain argument that are shown
ANY = "*"  # among `host_operations`: PyTorch may do anything, and nothing is recorded


@dataclass(frozen=True)
class Reference:
    """The definitions of a `reference.py` (`docs/course-format.md`)."""

    truth: Callable[..., torch.Tensor]
    eager: Callable[..., torch.Tensor]
    work: Callable[..., Work]
    cases: tuple[Case, ...]
    timing: Case | None
    timing_cpu: Case | None
    scale: Callable[..., Any] | None
    check_module: Callable[[dict[str, Any]], str | None] | None
    check_graph: Callable[[tuple[str, ...]], str | None] | None = None
    check_found: Callable[[dict[str, Any]], tuple[Any, ...] | None] | None = None
    figures: Callable[[dict[str, Any]], dict[str, str]] | None = None
    chart: Callable[[dict[str, Any]], tuple[str, str, Any] | None] | None = None
    explain_wrong: Callable[..., str | None] | None = None
    near_misses: tuple[NearMiss, ...] = ()
    compilations: Budget | None = None
    own_operators: tuple[str, ...] = ()  # that a graph may call, though no compiler looks into them
    most_traffic: float | None = None  # times `work`, each element counted once a launch
    most_accesses: float | None = None  # times `work`, each load and store of a lane counted
    most_fetched: Waves | None = None
    least_programs: int = 1  # that must share the work of the case with the most
    host_operations: frozenset[str] = frozenset()  # that PyTorch may do beside the kernel, as "sum"
    copies: bool = True  # PyTorch may copy what a launch or the caller gets
    widest_block: int | None = None  # lanes of a load
    widest_in: Mapping[str, int] = field(default_factory=dict)  # by case, where they are fewer
    loaded_once: tuple[str, ...] = ()  # arguments of which a program may load an element once
    most_masked: Mapping[str, float] = field(default_factory=dict)  # by case: of the loaded bytes
    most_sectors: float | None = None  # times `work`, whole sectors of each load and store counted
    atomics: bool = True  # kernels may use atomic operations
    most_launches: int | None = None
    last_programs: int | None = None  # of the last launch
    dot: bool | None = None  # the compiled kernel must, or must not, multiply tiles by `tl.dot`
    strict: bool = False  # the compiled kernel may not multiply float32 in TF32
    accumulators: str = ""  # the dtype in which the compiled kernel must sum
    contiguous: bool = False  # the output must be
    matrix_units: str = ""  # what tensor cores must multiply in the compiled kernel
    also: tuple[str, ...] = ()  # architectures that the compiled kernel must fit, too
    most_spills: int | None = None  # words that the compiled kernel may keep in local memory
    reads_all: bool = True  # a right answer reads every element of its inputs
    promised: tuple[tuple[str, Callable[..., Any]], ...] = ()  # words of the task, of the arguments
    properties: tuple[Any, ...] = ()  # of a schedule (`Property`) or a model (`GraphProperty`)
    precision: str = ""  # a key of `compare.BOUNDS`; "": the output's dtype
    rewrite: Rewrite | None = None  # of a pass; these have no truth of their own
    most: Callable[..., Any] | None = None  # of a case's arguments: what may be left of its program
    least: Callable[..., Any] | None = None  # and what has to be left
    cost: Callable[..., int] | None = None  # of its operations
    check_rewrite: Callable[..., Any] | None = None  # a sentence on its operations before and after
    allowed: frozenset[str] | None = None  # operations that a rank may call; None: all
    most_sent: Callable[..., int] | None = None  # of a case's arguments: bytes that a rank may send
    most_calls: Callable[..., int] | None = None  # and operations that it may call
    check_calls: Callable[..., Any] | None = None  # a sentence on the collectives of the ranks
    most_rounds: Callable[..., int] | None = None  # rounds that the messages of all may take
    receivers: Callable[[int, int], Collection[int]] | None = None  # of rank and world, for sends

    @property
    def judges_code(self) -> bool:
        """Return True if the exercise asks something of the compiled code."""
        return (
            bool(self.matrix_units or self.accumulators or self.strict or self.also)
            or self.dot is not None
            or self.most_spills is not None
        )

    def want(self, args: Args) -> torch.Tensor:
        """Compute the truth in float64 on the inputs' device; integers stay integers."""
        return self.truth(*to_double(args))

    def magnitude(self, args: Args, want: torch.Tensor, dtype: torch.dtype) -> torch.Tensor | float:
        """Return the scale that rounding errors of an output of `dtype` are proportional to."""
        if self.scale:
            scale: torch.Tensor | float = self.scale(*to_double(args))
            return scale
        return compare.default_scale(want, dtype)

    def mistake(self, got: torch.Tensor, args: Args) -> str:
        """Name the known mistake that a wrong output comes from; "" if the exercise knows none.

        An `explain_wrong` that cannot be evaluated for these arguments knows none.
        """
        try:
            return (self.explain_wrong(got, *args) if self.explain_wrong else None) or ""
        except (ArithmeticError, LookupError, RuntimeError, ValueError):
            return ""

    def misses(
        self,
        got: torch.Tensor,
        want: torch.Tensor,
        args: Args,
        only: Collection[str] | None = None,
    ) -> tuple[str, ...]:
        """Return the phrases of the near misses that a wrong output agrees with; `only` of these."""
        asked = [miss for miss in self.near_misses if only is None or miss[0] in only]
        return matching(asked, got, want, to_double(args)) if asked else ()

    def miss_tells(self, phrase: str, want: torch.Tensor, args: Args) -> bool:
        """Return True if the near miss would give another output than the truth here (`tells`)."""
        given = to_double(args)
        return any(tells(miss, want, given) for miss in self._named(phrase))

    def miss_fails(self, phrase: str, want: torch.Tensor, args: Args) -> bool:
        """Return True if what the near miss gives here would be judged wrong, by the judge's own bound.

        False where it has several results, or none.
        """
        given = to_double(args)
        results = [single_result(miss, given) for miss in self._named(phrase)]
        return any(
            result is not None and not self._accepts(result, want, args) for result in results
        )

    def _named(self, phrase: str) -> list[NearMiss]:
        return [miss for miss in self.near_misses if miss[0] == phrase]

    def _accepts(self, result: torch.Tensor, want: torch.Tensor, args: Args) -> bool:
        if result.shape != want.shape:
            return False
        eager = self.eager(*args)
        scale = self.magnitude(args, want, eager.dtype)
        exact = self.exact(scale)
        got = result.to(eager.dtype)
        return compare.compare_output(got, want, scale, eager, self.precision, exact).passed

    def exact(self, magnitude: torch.Tensor | float) -> bool:
        """Return True if the task only moves numbers: its own `scale` is the number 0."""
        return bool(self.scale) and not isinstance(magnitude, torch.Tensor) and magnitude == 0


def set_matrix_arithmetic(reference: Reference) -> None:
    """Let PyTorch multiply float32 matrices on CUDA in this process as the exercise does: in TF32 where
    its `PRECISION` says so, else strictly."""
    torch.backends.cuda.matmul.allow_tf32 = reference.precision == "tf32"


def to_double(args: Args) -> Args:
    """Return the arguments with floating-point tensors as float64."""
    return tuple(
        a.double() if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in args
    )


def load_reference(path: Path) -> Reference:
    """Load a `reference.py`. Raise `UsageError` that names the file and what it lacks."""
    spec = importlib.util.spec_from_file_location(f"tutor_reference_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path}: cannot be loaded: {type(error).__name__}: {error}") from None
    of_pass = hasattr(module, "REWRITE")
    for name in ("CASES",) if of_pass else ("reference", "eager", "work", "CASES"):
        if not hasattr(module, name):
            raise UsageError(f"{path}: expected a definition of {name}, found none")
    precision = getattr(module, "PRECISION", "")
    if precision and precision not in compare.BOUNDS:
        known = ", ".join(compare.BOUNDS)
        raise UsageError(f"{path}: PRECISION {precision!r} is none of {known}")
    return Reference(
        truth=_nothing if of_pass else module.reference,
        eager=_nothing if of_pass else module.eager,
        work=_no_work if of_pass else module.work,
        cases=tuple(module.CASES),
        timing=getattr(module, "TIMING", None),
        timing_cpu=getattr(module, "TIMING_CPU", getattr(module, "TIMING", None)),
        scale=getattr(module, "scale", None),
        check_module=getattr(module, "check_module", None),
        check_graph=getattr(module, "check_graph", None),
        check_found=getattr(module, "check_found", None),
        figures=getattr(module, "figures", None),
        chart=getattr(module, "chart", None),
        explain_wrong=getattr(module, "explain_wrong", None),
        near_misses=tuple(getattr(module, "NEAR_MISSES", ())),
        compilations=getattr(module, "COMPILATIONS", None),
        own_operators=tuple(getattr(module, "OWN_OPERATORS", ())),
        most_traffic=getattr(module, "MOST_TRAFFIC", None),
        most_accesses=getattr(module, "MOST_ACCESSES", None),
        most_fetched=getattr(module, "MOST_FETCHED", None),
        least_programs=getattr(module, "LEAST_PROGRAMS", 1),
        host_operations=frozenset(getattr(module, "HOST_OPERATIONS", ())),
        copies=getattr(module, "COPIES", True),
        widest_block=getattr(module, "WIDEST_BLOCK", None),
        widest_in=dict(getattr(module, "WIDEST_IN", {})),
        loaded_once=tuple(getattr(module, "LOADED_ONCE", ())),
        most_masked=dict(getattr(module, "MOST_MASKED", {})),
        most_sectors=getattr(module, "MOST_SECTORS", None),
        atomics=getattr(module, "ATOMICS", True),
        most_launches=getattr(module, "MOST_LAUNCHES", None),
        last_programs=getattr(module, "LAST_PROGRAMS", None),
        dot=getattr(module, "DOT", None),
        strict=getattr(module, "STRICT_PRODUCTS", False),
        accumulators=getattr(module, "ACCUMULATORS", ""),
        contiguous=getattr(module, "CONTIGUOUS", False),
        matrix_units=getattr(module, "MATRIX_UNITS", ""),
        also=tuple(getattr(module, "ALSO_FOR", ())),
        most_spills=getattr(module, "MOST_SPILLS", None),
        reads_all=getattr(module, "READS_ALL", True),
        promised=tuple(getattr(module, "PROMISED", ())),
        properties=tuple(getattr(module, "PROPERTIES", ())),
        precision=precision,
        rewrite=getattr(module, "REWRITE", None),
        most=getattr(module, "most", None),
        least=getattr(module, "least", None),
        cost=getattr(module, "cost", None),
        check_rewrite=getattr(module, "check_rewrite", None),
        allowed=frozenset(module.ALLOWED) if hasattr(module, "ALLOWED") else None,
        most_sent=getattr(module, "most_sent", None),
        most_calls=getattr(module, "most_calls", None),
        check_calls=getattr(module, "check_calls", None),
        most_rounds=getattr(module, "most_rounds", None),
        receivers=getattr(module, "receivers", None),
    )


def _nothing(*args: Any) -> torch.Tensor:
    """The output of a pass, whose results are compared where it runs."""
    return torch.empty(0)


def _no_work(*args: Any) -> Work:
    return Work(0, 0)


def fresh_seed() -> int:
    """Return a seed that nobody can guess. The verdict prints it, so that it can be replayed."""
    return random.SystemRandom().randrange(1, 1 << 31)


def choose_timed_case(reference: Reference, device: str) -> Case:
    """Return the case that is timed on "cuda" or "cpu". The exercise must have a `TIMING`."""
    case = reference.timing if device == "cuda" else reference.timing_cpu
    assert case is not None
    return case


def make_inputs(case: Case, seed: int, device: str = "cpu") -> Args:
    """Return the case's inputs: the same for the same seed on the same kind of device."""
    generator = torch.Generator(device=device)
    generator.manual_seed(seed)
    return case.make(generator)


def describe_arguments(args: Args) -> str:
    """Return dtypes and shapes such as `f32[7,781]{1024,1}, 1e-05`; strides of views only."""
    return ", ".join(_describe_argument(a) for a in args)


def _describe_argument(value: Any) -> str:
    usual = not isinstance(value, torch.Tensor) or value.is_contiguous()
    return spec(value) if usual else f"{spec(value)}{{{','.join(map(str, value.stride()))}}}"


def spec(value: Any) -> str:
    """Return `f32[7,781]`, or a plain argument in Python's form, as `tutor xray --input` reads it."""
    if not isinstance(value, torch.Tensor):
        text = repr(value)
        return text if len(text) <= LONGEST_ARGUMENT else text[: LONGEST_ARGUMENT - 1] + "…"
    short = {
        torch.float64: "f64",
        torch.float32: "f32",
        torch.float16: "f16",
        torch.bfloat16: "bf16",
        torch.int64: "i64",
        torch.int32: "i32",
        torch.int16: "i16",
        torch.int8: "i8",
        torch.uint8: "u8",
        torch.bool: "bool",
    }.get(value.dtype, str(value.dtype))
    shape = ",".join(str(n) for n in value.shape)
    return f"{short}[{shape}]"


def quote_promise(
    promised: Sequence[tuple[str, Callable[..., object]]], args: Sequence[object]
) -> str:
    """Return the words of the task that the arguments break; "" where they keep all.

    A promise that cannot be asked of these arguments, as they have other dimensions, is broken too.
    """
    for words, holds in promised:
        try:
            kept = bool(holds(*args))
        except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
            kept = False
        if not kept:
            return words
    return ""
