"""Notes on hooks of a launch, whose kernels are not shown."""

import fills

from tutor.xray.model.input_specs import Arguments, TensorSpec
from tutor.xray.triton_kernels import specialization


def notes_of(kernel: object, **named: int) -> str:
    tensor = TensorSpec("f32", (64,))
    arguments = Arguments((tensor, tensor, 64), named)
    return "\n".join(specialization.specialize_kernel(kernel, arguments).notes)


def test_a_pre_run_hook_is_named() -> None:
    assert "Triton calls `clean` (a pre-run hook)" in notes_of(fills.add_hooked, B=64)


def test_hooks_of_an_autotuner_are_named() -> None:
    notes = notes_of(fills.add_tuned)
    assert "calls `clean_named` (pre_hook of a Config)" in notes
    assert "fills o with zeros (reset_to_zero)" in notes


def test_one_configuration_is_not_tried() -> None:
    assert "reset_to_zero" not in notes_of(fills.add_once)


def test_a_kernel_without_hooks_has_no_note_of_them() -> None:
    assert "hook" not in notes_of(fills.add_part, B=64)
