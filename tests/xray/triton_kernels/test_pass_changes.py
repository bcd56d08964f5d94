"""TTGIR pass by pass: what each pass of Triton's compiler changed, on request only."""

import os
from types import ModuleType

import pytest

from tutor.hardware import gpus
from tutor.xray.model.input_specs import Arguments, parse_inputs
from tutor.xray.model.stages import Event, Stage
from tutor.xray.triton_kernels import specialization
from tutor.xray.triton_kernels.lowering import lower_kernels

ADD = ("f32[4096]", "f32[4096]", "f32[4096]", "4096", "BLOCK=1024")
MATMUL = ("f16[512,512]", "f16[512,512]", "f16[512,512]", "512", "512", "512")


def stages(
    kernels: ModuleType, name: str, inputs: tuple[str, ...], target: str
) -> dict[str, Stage]:
    kernel = specialization.specialize_kernel(
        getattr(kernels, name), Arguments.of(parse_inputs(inputs))
    )
    events: list[Event] = []
    assert lower_kernels([kernel], gpus.target(target), events.append, last="passes") == 0
    return {event.name: event for event in events if isinstance(event, Stage)}


@pytest.mark.parametrize(("target", "layout"), [("sm_90", "[4]"), ("gfx942", "[4]")])
def test_the_pass_that_widens_the_accesses_shows_its_layout(
    kernels: ModuleType, target: str, layout: str
) -> None:
    found = stages(kernels, "add", ADD, target)
    assert list(found) == ["triton", "ttir", "ttgir", "passes"]
    text = found["passes"].text
    sections = {part.split(",")[1].split(":")[0].strip(): part for part in text.split("\n\n")}
    assert "sizePerThread = " + layout in sections["tritongpu-coalesce"]
    assert "- " in sections["tritongpu-remove-layout-conversions"]
    assert "#loc" not in text
    counts = dict(found["passes"].counts)
    assert counts["changing"] == text.count("// pass ") < counts["passes"]
    assert "MLIR_ENABLE_DUMP" not in os.environ


def test_the_pipeliner_changes_a_loop_and_its_inner_dumps_are_left_out(kernels: ModuleType) -> None:
    text = stages(kernels, "matmul", MATMUL, "sm_80")["passes"].text
    assert "tritongpu-pipeline: +" in text
    assert "async_copy_global_to_local" in text
    assert "-----//" not in text
