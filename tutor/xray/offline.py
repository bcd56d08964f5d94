"""What a compiler makes of a kernel or function for a GPU that need not be here, for cells of lessons.

made = lower(add, "f32[4096]", "f32[4096]", "f32[4096]", 4096, BLOCK=1024, num_warps=4)
made.text("ptx"), made.counts["registers"], made.kernels
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tutor.base.errors import UsageError
from tutor.hardware.gpus import target as target_named
from tutor.xray.model import counts
from tutor.xray.model.input_specs import Arguments, parse_input
from tutor.xray.model.stages import Event, Failure, Number, Stage
from tutor.xray.triton_kernels import compiler, lowering, specialization, triton_passes


@dataclass(frozen=True)
class Lowered:
    """The stages of a kernel or function, from the first to the last, for one target."""

    stages: tuple[Stage, ...]

    @property
    def counts(self) -> dict[str, Number]:
        """What is counted in the stages: "registers", "shared_bytes", "ptx.global_loads", "kernels"."""
        return counts.of_stages(self.stages)

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the Triton kernels, in the order in which they were made."""
        return tuple(dict.fromkeys(stage.kernel for stage in self.stages if stage.name == "triton"))

    def text(self, stage: str, kernel: str = "") -> str:
        """Return the text of a stage ("ttgir"), of several kernels that of the named one or the first.

        Raises `ValueError` with the stages that there are.
        """
        for made in self.stages:
            if made.name == stage and kernel in ("", made.kernel):
                return made.text
        there = ", ".join(dict.fromkeys(made.name for made in self.stages))
        raise ValueError(f"no stage {stage} {kernel}".rstrip() + f"; there are {there}")


def lower(
    subject: Callable[..., Any],
    *inputs: Any,
    target: str = "H200",
    without: str = "",
    **named: Any,
) -> Lowered:
    """Compile `subject`, called with these inputs, for `target` ("H200", "sm_80", "gfx942"), a kernel
    also `without` one of Triton's passes ("coalesce"), as `tutor xray --without` does.

    A text is what `tutor xray --input` takes: "f32[1024,1024]" stands for a tensor; any other value is
    passed as it is. As at a launch, an integer that is a multiple of 16 is known as such. `named` are
    arguments by name and, of a kernel, options such as `num_warps=8`. A `@triton.jit` kernel is lowered
    to machine code, a function or module to the Triton kernels that Inductor writes for it.

    Raises `UsageError` where the inputs do not fit or no such pass runs, `CannotHere` where passes
    cannot be left out, `RuntimeError` with the compiler's sentence where a stage could not be made.
    """
    chip = target_named(target)
    arguments = Arguments(
        tuple(map(_value, inputs)), {name: _value(value) for name, value in named.items()}
    )
    events: list[Event] = []
    errors: list[BaseException] = []

    def keep(error: BaseException) -> str:
        errors.append(error)
        return lowering.plain_reason(error)

    if compiler.is_kernel(subject):
        kernel = specialization.specialize_kernel(subject, arguments)
        if without:
            triton_passes.require_tried_pair()
        ran: set[str] = set()
        lowering.lower_kernels(
            [kernel], chip, events.append, note=_note_all_but(without, ran), explain=keep
        )
        if without and without not in ran:
            raise UsageError(f"{without!r} is no pass that this kernel's lowering runs.")
    elif without:
        raise UsageError("Passes are left out of kernels; this is a function.")
    else:
        from tutor.xray.torch_compile.capture import capture

        capture(subject, arguments, chip, False, events.append)
    for event in events:
        if isinstance(event, Failure):
            raise RuntimeError(event.sentence) from (errors[0] if errors else None)
    return Lowered(tuple(event for event in events if isinstance(event, Stage)))


def _note_all_but(without: str, ran: set[str]) -> Callable[[str, str], bool]:
    """Return what keeps the names of passes in `ran`, and lets all of them run but one."""

    def note(_stage: str, name: str) -> bool:
        ran.add(name)
        return name != without

    return note


def _value(given: Any) -> Any:
    return parse_input(given) if isinstance(given, str) else given
