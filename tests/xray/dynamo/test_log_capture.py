"""Channels of TORCH_LOGS read instead of printed; what each of several calls had compiled."""

import logging
from pathlib import Path

import pytest
import torch
import xray_functions as functions
from capturing import f32, look

from tutor.base.errors import CannotHere
from tutor.xray.dynamo import log_capture
from tutor.xray.dynamo.log_capture import CHANNELS, emit_channels, listening, recompile_history
from tutor.xray.model.input_specs import Arguments
from tutor.xray.model.stages import Stage


def scaled(x, factor):
    return x.sin() * factor


def test_the_history_of_several_calls() -> None:
    shapes = [(8,), (8,), (9,), (10,), (10, 2)]
    history = recompile_history(scaled, [Arguments((f32(*shape), 2.0)) for shape in shapes])
    assert [call.compilations for call in history] == [1, 0, 1, 0, 1]
    assert history[0].why == ()
    assert history[2].why == ("tensor 'x' size mismatch at index 0. expected 8, actual 9",)
    assert "rank mismatch" in history[4].why[0]
    assert str(history[3]) == "call 4, float32[10], 2.0: used what was compiled before"


def test_static_shapes_are_compiled_each() -> None:
    calls = [Arguments((f32(size),), {"factor": 2.0}) for size in (8, 9, 10)]
    assert [c.compilations for c in recompile_history(scaled, calls, dynamic=False)] == [1, 1, 1]


def test_a_call_that_raises_is_told_and_the_next_goes_on() -> None:
    first, second = recompile_history(scaled, [Arguments((3, 2.0)), Arguments((f32(8), 2.0))])
    assert first.error == "it raised AttributeError: 'int' object has no attribute 'sin'"
    assert second.error == ""
    assert (second.compilations > 0) is (second.graphs > 0)  # Dynamo may have given the function up
    assert str(second).endswith("uncompiled" if not second.graphs else "compiled 1 graph")


def test_channels_are_heard_and_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    wanted = ("graph_breaks", "guards", "graph_code")
    with listening(*wanted) as heard:
        torch._dynamo.reset()
        torch.compile(functions.broken, backend="eager")(torch.ones(8))
    assert capfd.readouterr().err == ""
    assert "GB0059" in heard["graph_breaks"][0] or "print" in heard["graph_breaks"][0]
    assert any("TENSOR_MATCH" in text for text in heard["guards"])
    stages: list[Stage] = []
    emit_channels({**heard, "recompiles": []}, stages.append)
    names = [stage.key for stage in stages]
    assert names == [*(f"log:{name}" for name in wanted), "log:recompiles"]
    assert (stages[-1].text, dict(stages[-1].counts)) == (
        "Nothing was compiled a second time.",
        {"messages": 0},
    )


def test_logging_is_as_before() -> None:
    handlers = list(logging.getLogger("torch._dynamo").handlers)
    with listening(*CHANNELS):
        assert logging.getLogger("torch._dynamo").handlers != handlers
    kinds = [type(handler) for handler in logging.getLogger("torch._dynamo").handlers]
    assert kinds == [type(handler) for handler in handlers]


def test_inductors_channels_of_a_capture(capfd: pytest.CaptureFixture[str]) -> None:
    seen = look(functions.chain, f32(64), channels=("fusion", "output_code", "aot_graphs"))
    assert seen.failures == []
    assert len(seen.kernels) == 1
    assert "attempting fusion" in seen.text("log:fusion")
    assert "triton_poi_fused" in seen.text("log:output_code")
    assert "aten.relu" in seen.text("log:aot_graphs")
    assert capfd.readouterr().err == ""


def test_torch_logs_from_outside_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_LOGS", "guards")
    with pytest.raises(CannotHere, match="unset it"), listening("recompiles"):
        pass


def test_torch_logs_from_outside_costs_a_capture_only_its_channels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TORCH_LOGS", "guards")
    seen = look(functions.chain, f32(64), channels=("guards",))
    assert [failure.stage for failure in seen.failures] == ["log"]
    assert len(seen.kernels) == 1


def test_a_capture_does_not_disturb_them() -> None:
    assert look(functions.chain, f32(8)).failures == []
    assert logging.root.manager.disable == logging.NOTSET


def test_frames_of_this_program_are_not_the_users() -> None:
    own = Path(log_capture.__file__)
    text = (
        "User code traceback:\n"
        '  File "<frozen runpy>", line 198, in _run_module_as_main\n'
        f'  File "{own}", line 7, in main\n'
        "    keeper.serve()\n"
        "           ^^^^^^^\n"
        '  File "/home/me/model.py", line 9, in f\n'
        "    print(x)\n\nbelow\n"
    )
    assert log_capture.without_own_frames(text) == (
        'User code traceback:\n  File "/home/me/model.py", line 9, in f\n    print(x)\n\nbelow\n'
    )
