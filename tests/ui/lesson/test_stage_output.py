"""A cell that prints a stage of the ladder: in colours, and without a kernel's settings."""

from tutor.ui.cells.stage_output import stage_content

KERNEL = """\
import triton

@triton_heuristics.pointwise(
    triton_meta={'signature': {'in_ptr0': '*fp32'}},
)
@triton.jit
def triton_poi_fused_add_0(in_ptr0, xnumel):
    xnumel = 4096

The Triton kernel that Inductor wrote: loads 1"""


def test_settings_of_a_kernel_are_folded_into_a_line() -> None:
    shown = stage_content(KERNEL, "triton", "l")
    lines = shown.plain.split("\n")
    assert lines[0] == "… 5 lines of settings folded; l shows them on the ladder"
    assert lines[1:] == KERNEL.split("\n")[5:]
    assert "$secondary" in {span.style for span in shown.spans}  # a keyword


def test_a_kernel_of_the_learners_own_is_whole() -> None:
    own = "@triton.jit\ndef add(x):\n    pass"
    assert stage_content(own, "triton", "l").plain == own
    assert stage_content(KERNEL, "wrapper", "l").plain == KERNEL


def test_a_stage_without_colours_keeps_its_text() -> None:
    assert stage_content("anything\n\x00", "guards", "l").plain == "anything\n\x00"
