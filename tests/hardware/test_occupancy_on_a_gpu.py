"""`hardware.occupancy` against the driver's own answer, for kernels of all sorts. Needs a GPU."""

import ctypes

import pytest
import torch
import triton
import triton.language as tl

from tutor.hardware import occupancy

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")


@triton.jit
def squared(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tile = tl.load(x + i[:, None] * B + i[None, :])
    tl.store(o + i[:, None] * B + i[None, :], tl.dot(tile, tile, input_precision="ieee"))


@triton.jit
def doubled(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, 2 * tl.load(x + i))


def arch() -> str:
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}"


@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16])
@pytest.mark.parametrize(
    ("kernel", "block"),
    [(squared, 16), (squared, 32), (squared, 64), (doubled, 1024), (doubled, 8192)],
)
def test_the_driver_says_the_same(kernel, block, warps):
    if arch() not in occupancy.LIMITS:
        pytest.skip(f"no limits of {arch()} are kept")
    x = torch.zeros(block * block, device="cuda")
    built = kernel[(1,)](x, torch.empty_like(x), B=block, num_warps=warps)
    torch.cuda.synchronize()
    driver = ctypes.CDLL("libcuda.so.1")
    for extra in (0, 1, 1024, 40_000, 100_000):
        shared = built.metadata.shared + extra
        blocks = ctypes.c_int()
        if extra:
            limit = torch.cuda.get_device_properties(0).shared_memory_per_block_optin
            if shared > limit:
                continue
            # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            assert driver.cuFuncSetAttribute(ctypes.c_void_p(built.function), 8, shared) == 0
        status = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            ctypes.byref(blocks),
            ctypes.c_void_p(built.function),
            32 * warps,
            ctypes.c_size_t(shared),
        )
        assert status == 0
        found = occupancy.of(arch(), built.n_regs, shared, warps)
        assert found is not None
        assert found.blocks == blocks.value, (built.n_regs, shared, warps)
