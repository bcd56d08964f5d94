"""A file in the manner of Triton's tutorials: it names the GPU as it is loaded, and runs at its end."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = triton.runtime.driver.active.get_active_torch_device()
PROGRAMS = triton.runtime.driver.active.utils.get_device_properties(DEVICE.index)[
    "multiprocessor_count"
]


def is_cuda():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


if is_cuda():
    from triton._C.libtriton import nvidia

    blas = nvidia.cublas.CublasLt(torch.empty(1024, device="cuda", dtype=torch.uint8))

HAS_TMA = is_cuda() and torch.cuda.get_device_capability()[0] >= 9


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def copied(x_ptr, out_ptr, n, BLOCK: tl.constexpr, EARLY: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EARLY:
        tl.extra.cuda.gdc_wait()
    x = tl.extra.libdevice.asin(tl.load(x_ptr + offsets, mask=offsets < n))
    tl.store(out_ptr + offsets, x, mask=offsets < n)


def set_blocks(arguments):
    if not isinstance(arguments["source"], TensorDescriptor):
        return
    arguments["source"].block_shape = [arguments["ROWS"], 32]


@triton.autotune(configs=[triton.Config({"ROWS": 16}, pre_hook=set_blocks)], key=[])
@triton.jit
def doubled(source, out_ptr, ROWS: tl.constexpr):
    tile = source.load([0, 0])
    at = tl.arange(0, ROWS)[:, None] * 32 + tl.arange(0, 32)[None, :]
    tl.store(out_ptr + at, tile * 2)


def add(x, y):
    out = torch.empty_like(x)
    assert x.is_cuda
    assert x.device == DEVICE
    assert out.device == DEVICE
    scratch = torch.empty(8, device="cuda")
    assert scratch.get_device() == 0
    n = out.numel()
    add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    add_kernel[(triton.cdiv(n, 64),)](x, y, out, n, BLOCK=64)
    add_kernel[(triton.cdiv(n, 64),)](x, y, out, n, BLOCK=64)
    return out


def warmed(x, y):
    out = torch.empty_like(x)
    kernel = add_kernel.warmup(x, y, out, x.numel(), BLOCK=256, grid=(1,))
    kernel._init_handles()
    programs = PROGRAMS * min(32 // kernel.n_regs, 232448 // kernel.metadata.shared)
    kernel[(programs, 1, 1)](x, y, out, x.numel())
    return out


def early(x):
    out = torch.empty_like(x)
    copied[(4,)](x, out, x.numel(), 1024, True, launch_pdl=True)
    blas.matmul(x, x, out)
    assert out[0].item() == 3.5, "compared with what no kernel has written"
    return out


class Doubling(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return add(x, y)


doubling = Doubling.apply


def described(x):
    out = torch.empty_like(x)
    source = TensorDescriptor(x, x.shape, x.stride(), [1, 1])
    doubled[(1,)](source, out)
    return out


def mixed(x, y):
    return torch.softmax(add(torch.relu(x), y), -1)


torch.manual_seed(0)
one = torch.rand(4096, device=DEVICE)
total = add(one, one)
assert torch.allclose(total, one + one), "kernels do not run where there is no GPU"


def below(x):
    return x
