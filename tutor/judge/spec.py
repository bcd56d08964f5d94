"""Types for an exercise's `reference.py`. No torch here: the course reader imports this."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Case:
    """An input to judge with.

    `make(generator)` returns the positional arguments of the entry function. It draws every random
    number from `generator` (a `torch.Generator`) and puts its tensors on `generator.device`, so that
    the same case can be built again from its seed.

    Of a pass the first argument is the text of a program, and the others are what it is run on; `why`
    is a sentence on what the program is about, which a pass that is wrong there is told.
    """

    name: str
    make: Callable[[Any], tuple[Any, ...]]
    why: str = ""


@dataclass(frozen=True)
class Rewrite:
    """What a pass returns and may change: `REWRITE` of a `reference.py`.

    `returns`: "given" (the program that it got, changed in place), "nothing" (the same, and the function
    returns None), or "new" (any program of that sort). `rtol`: how far results may be off; 0: not a
    bit, not even the sign of a zero. `idempotent`: a second run of the pass must change nothing. `unit`
    names what is counted. FX alone: with `only_read` results may share memory with each other and with
    weights, since callers only read them; with `shapes` ShapeProp has run before the pass.
    """

    returns: str = "given"
    rtol: float = 0.0
    idempotent: bool = False
    unit: str = "operations"
    only_read: bool = False
    shapes: bool = False


@dataclass(frozen=True)
class Work:
    """The minimum that any correct program must do for given inputs.

    `bytes`: bytes moved between device memory and the chip, each input read once and each output
    written once. `flops`: floating-point operations, a fused multiply-add counted as two. Both are
    the terms of the roofline model (Williams, Waterman, Patterson, CACM 52(4), 2009).

    `units`: the fastest arithmetic with which a result can still be right: "fp32", "tf32", "fp16",
    "bf16", or "tf32x3", float32 products made of three TF32 ones on tensor cores.
    """

    bytes: int
    flops: int
    units: str = "fp32"


@dataclass(frozen=True)
class Waves:
    """A limit on what programs fetch that run together: `programs` with successive numbers at a time.

    An element that several programs of a wave load is fetched once, as if it stayed in L2 until the
    wave is done. In the case with the most work all waves may fetch `most` times the bytes of `work`;
    `others` says by its name of another case how many times they may there.
    """

    programs: int
    most: float
    others: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Budget:
    """A limit on the compilations of a compiled function: at most `most` times over the `first`
    cases."""

    first: int
    most: int


@dataclass(frozen=True)
class Nest:
    """A property of a schedule: the loops around `block`, from the outermost in.

    `extents` has a number for each loop; one `...` stands for any number of loops. `kinds` says of a
    loop, by its place (-1: the innermost), that it is "parallel", "vectorized", "unrolled", "serial",
    or bound to a thread such as "threadIdx.x".
    """

    block: str
    extents: tuple[Any, ...] = (...,)
    kinds: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Bound:
    """A property of a schedule: the loops around `block` that are bound to threads are these.

    `threads`: "blockIdx.x" -> its extent, None for any.
    """

    block: str
    threads: Mapping[str, int | None]


@dataclass(frozen=True)
class Cached:
    """A property of a schedule: `buffer` is copied to `scope` ("shared", "local", "global").

    `most` and `least` bound the copy's bytes, as TVM lays it out once loops are lowered: what one turn
    of the loop at which it is made needs.
    """

    buffer: str
    scope: str
    most: int
    least: int = 0


@dataclass(frozen=True)
class Within:
    """A property of a schedule: `block` runs inside the first `loops` loops of `other`, or of more.

    `turns`: so many times at most in each turn of the loops that it shares with `other`. Threads that
    share the work count once, and so do loops of one turn.
    """

    block: str
    other: str
    loops: int
    turns: int | None = None


@dataclass(frozen=True)
class Once:
    """A property of a schedule: the loops around `block` make no more turns than its axes have values,
    so nothing is computed twice. For sizes that the factors of splits divide."""

    block: str


@dataclass(frozen=True)
class SameAs:
    """A property of a schedule: TVM's `structural_equal` says that it is what `wanted(schedule)` of
    `algorithm.py` makes. For puzzles, whose task shows the loops that are wanted."""


Property: TypeAlias = Nest | Bound | Cached | Within | Once | SameAs


@dataclass(frozen=True)
class Operators:
    """A property of an ONNX model: how many of its nodes have the operator `name`, those of inner graphs
    counted too.

    `name`: "Relu", "com.microsoft.FusedMatMul", or "" for nodes of any operator. `most` None: any
    number.
    """

    name: str
    least: int = 0
    most: int | None = None


@dataclass(frozen=True)
class Opset:
    """A property of an ONNX model: the version of a domain that it imports; "" is ONNX's own."""

    version: int
    domain: str = ""


@dataclass(frozen=True)
class Initializers:
    """A property of an ONNX model: at most so many constants, which take at most so many bytes."""

    most: int | None = None
    most_bytes: int | None = None


@dataclass(frozen=True)
class Names:
    """A property of an ONNX model: the names of its inputs and outputs, in order.

    None, and without this property: those of the given model, with their types and sizes.
    """

    inputs: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None


@dataclass(frozen=True)
class NoDead:
    """A property of an ONNX model: an output depends on each node, and each initializer is read."""


@dataclass(frozen=True)
class Optimised:
    """A property of an ONNX model: what `operators` says, of the model that ONNX Runtime makes of it.

    `level`: how far it optimises, "basic" or "extended" (fusions into operators of its own).
    """

    level: str
    operators: Operators


GraphProperty: TypeAlias = Operators | Opset | Initializers | Names | NoDead | Optimised
