"""Has Inductor write the learner's `fn` for an H100, counts, and runs its kernel with PyTorch in the
place of Triton. Plain values only leave it."""

import re

import torch

from tutor.hardware.gpus import target
from tutor.xray.model.counts import of_stages
from tutor.xray.model.input_specs import Arguments, parse_inputs
from tutor.xray.model.stages import Failure, Stage
from tutor.xray.torch_compile.capture import capture

ROWS, COLUMNS = 8, 60


def probe(module, device):
    seen = []
    given = Arguments.of(parse_inputs((f"f32[{ROWS},{COLUMNS}]", f"f32[{COLUMNS}]")))
    capture(module.fn, given, target("H100"), False, seen.append)
    stages = [each for each in seen if isinstance(each, Stage)]
    counts = of_stages(stages)
    if "wrapper.launches" not in counts:
        reasons = [each.sentence for each in seen if isinstance(each, Failure)]
        return {"error": (reasons or ["it wrote no code"])[0][:300]}
    found = {
        "kernels": int(counts["wrapper.launches"]),
        "calls": int(counts.get("wrapper.extern_calls", 0)),
    }
    if (found["kernels"], found["calls"]) == (1, 0):
        texts = {stage.name: stage.text for stage in stages}
        found |= _compared(module.fn, texts["wrapper"], texts["triton"])
        found |= _other_limits(module.softclip)
    return found


def _other_limits(softclip):
    """Where this CPU computes something else by way of the lowering: at a limit that `fn` has not, for
    float16 at the last one. Keys `limits`, that limit or None, and `dtype`, where the result's is
    another one, by the dtype of `x`."""
    for limit, dtype in ((0.125, torch.float32), (2.0, torch.float32), (7.5, torch.float16)):
        x = torch.linspace(-6, 6, 16, dtype=dtype)

        def fn(x, limit=limit):
            return softclip(x * 1.5, limit)

        torch._dynamo.reset()
        with torch.no_grad(), torch._inductor.config.patch(force_disable_caches=True):
            got = torch.compile(fn, dynamic=False)(x)
        if got.dtype != dtype:
            names = [str(each).removeprefix("torch.") for each in (dtype, got.dtype)]
            return {"limits": None, "dtype": names}
        allowed = 1e-4 if dtype == torch.float32 else 1e-2
        if not torch.allclose(got, fn(x), rtol=allowed, atol=allowed):
            return {"limits": limit}
    return {"limits": None}


def _compared(fn, wrapper, kernel):
    """Where x, y and the kernel's result first differ from the operator's own, if they do."""
    x = torch.linspace(-6, 6, ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    y = torch.linspace(-2, 3, COLUMNS).flip(0)
    want = fn(x, y)
    try:
        got = _run(wrapper, kernel, x, y)
    except Exception:  # a function that PyTorch has not: Inductor for this CPU decides
        torch._dynamo.reset()
        with torch.no_grad(), torch._inductor.config.patch(force_disable_caches=True):
            got = torch.compile(fn, dynamic=False)(x, y)
    wrong = ~torch.isclose(got, want, rtol=1e-4, atol=1e-4)
    if not wrong.any():
        return {"wrong": 0}
    row, column = wrong.nonzero()[0].tolist()
    at = (x[row, column], y[column], got[row, column], want[row, column])
    return {"wrong": int(wrong.sum()), "at": [round(float(v), 4) for v in at]}


class Pointer:
    """A tensor's memory; a pointer plus indices is what a load or a store gets."""

    def __init__(self, memory, index=None):
        self.memory, self.index = memory, index

    def __add__(self, index):
        return Pointer(self.memory, index)


class Language:
    """The part of Triton that pointwise kernels are written in, for one program, on tensors."""

    float32, float64, int32, int64, int1 = (
        torch.float32, torch.float64, torch.int32, torch.int64, torch.bool,
    )  # fmt: skip
    constexpr = int

    def program_id(self, axis):
        return 0

    def arange(self, start, end):
        return torch.arange(start, end)

    def full(self, shape, value, dtype):
        return torch.full(shape, value, dtype=dtype)

    def load(self, pointer, mask=None, other=None, eviction_policy=""):
        return pointer.memory[pointer.index]

    def store(self, pointer, value, mask=None):
        pointer.memory[pointer.index] = value

    def __getattr__(self, name):  # tl_math.abs, libdevice.exp, triton_helpers.maximum
        return getattr(torch, name)


def _run(wrapper, kernel, x, y):
    """The one kernel of the wrapper, called as the wrapper calls it."""
    names = re.search(r"\.run\(([^)]*?), \d+, stream", wrapper)[1].split(", ")
    shapes = dict(re.findall(r"assert_size_stride\((\w+), \((\d+)", wrapper))
    memory = {
        name: (x if shapes[name] == str(ROWS) else y).flatten()
        for name in names if name in shapes
    }  # fmt: skip
    out = torch.full((x.numel(),), torch.nan)
    space = dict.fromkeys(("tl", "tl_math", "libdevice", "triton_helpers"), Language())
    text = kernel[re.search(r"^def ", kernel, re.MULTILINE).start() :]
    exec(text, space)
    call = next(value for name, value in space.items() if name.startswith("triton_poi"))
    call(*(Pointer(memory.get(name, out)) for name in names), x.numel(), x.numel())
    return out.view_as(x)
