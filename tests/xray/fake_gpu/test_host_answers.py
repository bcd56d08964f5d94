"""An X-ray of functions that ask for their GPU, make it current, or use its streams."""

import pytest

from tutor.base.errors import CannotHere
from tutor.hardware import presence
from tutor.judge.processes import learner_module
from tutor.xray import engine
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Event, Failure, Request, Stage

pytestmark = [
    pytest.mark.skipif(presence.has_nvidia(), reason="a GPU answers for itself"),
    pytest.mark.slow,
]

TEXT = """
import torch
import triton
import triton.language as tl
from torch.utils._triton import has_triton

if not has_triton():
    raise RuntimeError("requires triton")


@triton.jit
def k(a, b, o, n, B: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


def launch(x, y):
    o = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    k[(triton.cdiv(o.numel(), 1024),)](x, y, o, o.numel(), B=1024)
    return o


def device(x, y):
    with torch.cuda.device(x.device):
        return launch(x, y)


def asks(x, y):
    assert torch.cuda.is_available() and torch.cuda.device_count() == 1
    assert torch.cuda.get_device_capability(x.device) == (9, 0)
    assert torch.cuda.get_device_properties(device=x.device).warp_size == 32
    torch.cuda.set_device(x.device)
    torch.cuda.synchronize(x.device)
    return launch(x, y)


def streams(x, y):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        o = launch(x, y)
    torch.cuda.current_stream().wait_stream(side)
    return o


def generated(x, y):  # as in files that Inductor writes
    from torch._C import _cuda_getCurrentRawStream as get_raw_stream

    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        o = torch._C._dynamo.guards._empty_strided_cuda((4096,), (1,), torch.float32)
        get_raw_stream(0)
        k[(4,)](x, y, o, 4096, B=1024)
        return torch.ops.inductor._reinterpret_tensor(o, (64, 64), (64, 1), 0)


def device_and_torch(x, y):
    with torch.cuda.device(x.device):
        return torch.relu(launch(x, y))


def stream_and_torch(x, y):
    with torch.cuda.stream(torch.cuda.Stream()):
        return torch.relu(x + y)


def timed(x, y):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    o = launch(x, y)
    print(start.elapsed_time(end))
    return o


def graphed(x, y):
    graph = torch.cuda.CUDAGraph()
    return launch(x, y)
"""

WITHOUT_KERNELS = """
import torch


def timed_torch(x, y):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    z = torch.relu(x + y)
    end.record()
    torch.cuda.synchronize()
    return z, start.elapsed_time(end) / 1000


def events_and_copies(x, y):
    done = torch.cuda.Event()
    z = torch.zeros(8).cuda()
    done.record()
    done.wait()
    return x.cuda() + y + z.sum()
"""


def look(name: str, status: int = 0, text: str = TEXT) -> list[Event]:
    events: list[Event] = []
    inputs = parse_inputs(("f32[4096]", "f32[4096]"))
    request = Request("asks.py", name, inputs, "sm_90", "triton", False, text, ())
    done = engine.run_request(request, events.append, load=learner_module.load_module, explain=str)
    assert done.status == status, [event for event in events if isinstance(event, Failure)]
    return events


@pytest.mark.parametrize("name", ["device", "asks", "streams", "generated", "device_and_torch"])
def test_what_a_launcher_asks_is_answered_as_on_the_target(name: str) -> None:
    keys = [event.key for event in look(name) if isinstance(event, Stage)]
    assert "triton:k" in keys


def test_a_stream_changes_no_graph() -> None:
    events = look("stream_and_torch")
    graph = next(event for event in events if isinstance(event, Stage) and event.key == "dynamo")
    assert dict(graph.counts)["operations"] == 2


def test_an_event_breaks_no_graph_and_each_copy_to_the_gpu_is_counted() -> None:
    stages = [
        event
        for event in look("events_and_copies", text=WITHOUT_KERNELS)
        if isinstance(event, Stage)
    ]
    (graph,) = [stage for stage in stages if stage.name == "dynamo"]
    assert not [note for note in graph.notes if "graph break" in note]
    assert (dict(graph.counts)["operations"], graph.text.count(".cuda();")) == (6, 2)


def test_a_graph_ends_where_a_time_is_asked_for() -> None:
    events = look("timed_torch", status=1, text=WITHOUT_KERNELS)
    stages = [event for event in events if isinstance(event, Stage)]
    (graph,) = [stage for stage in stages if stage.name == "dynamo"]
    assert dict(graph.counts)["operations"] == 2
    breaks = [note for note in graph.notes if "graph break" in note]
    assert [note.partition("graph break, ")[2] for note in breaks] == [
        "a call that only a GPU can answer: `torch.cuda.Event.elapsed_time` asks for a time."
    ]
    (failure,) = [event for event in events if isinstance(event, Failure)]
    assert failure.sentence.startswith("`torch.cuda.Event.elapsed_time` asks how long kernels took")


def test_what_only_a_gpu_knows_ends_the_call_and_is_said() -> None:
    first = next(event for event in look("timed") if isinstance(event, Stage))
    assert "`torch.cuda.Event.elapsed_time` asks how long kernels took" in first.notes[-1]


def test_an_x_ray_that_needs_a_running_gpu_is_refused() -> None:
    with pytest.raises(CannotHere, match=r"`torch\.cuda\.CUDAGraph` is a part of a running GPU"):
        look("graphed")
