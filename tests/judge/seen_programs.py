"""An addition of six numbers by two programs of four lanes, as both records of a run have it."""

from tutor.judge.model.access_map import AccessMap, AccessStep, Launch, Program, Tensor
from tutor.judge.model.witness import (
    ProgramRecord,
    Witness,
    WitnessLaunch,
    WitnessPart,
    WitnessProgram,
    WitnessStep,
)

SOURCE = """\
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # Only what there is.
    mask = at < n
    left, right = tl.load(x + at, mask=mask), 0.0
    right = tl.load(y + at, mask=mask)
    tl.store(out + at, left + right, mask=mask)
"""
_STEPS = (("load", 10, 0), ("load", 11, 1), ("store", 12, 2))
_ON = (4, 2)  # lanes of each program


def seen_addition() -> ProgramRecord:
    """Return both records, which agree."""
    blocks = [((4 * p, on, 1, on),) for p, on in enumerate(_ON)]
    programs = tuple(
        Program(
            (p, 0, 0),
            tuple(
                AccessStep(line, kind, tensor, on, 4, blocks[p], False, 0, 0, 0)
                for kind, line, tensor in _STEPS
            ),
            0,
        )
        for p, on in enumerate(_ON)
    )
    every = ((0, 6, 1, 6),)
    tensors = tuple(
        Tensor(
            name,
            "float32",
            (6,),
            4,
            *(every, ()) if name != "out" else ((), every),
            (),
            (),
            (),
            False,
        )
        for name in ("x", "y", "out")
    )
    launch = Launch("add_kernel", (2, 1, 1), tensors, programs, 48, 24)
    access = AccessMap("six", "f32[6], f32[6]", ("six",), 72, (launch,), 0)
    seen = tuple(
        WitnessProgram(
            (p, 0, 0),
            tuple(
                WitnessStep(
                    line,
                    kind,
                    4,
                    (WitnessPart(tensor, on, blocks[p] if kind == "store" else (), False),),
                )
                for kind, line, tensor in _STEPS
            ),
        )
        for p, on in enumerate(_ON)
    )
    arguments = (("n", "6"), ("BLOCK", "4"))
    witness = WitnessLaunch("add_kernel", arguments, (2, 1, 1), seen, True)
    return ProgramRecord(access, Witness((witness,), 0))
