"""Our occupancy against NVIDIA's own calculator, the header `cuda_occupancy.h` that Triton ships."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest
import triton

from tutor.hardware import occupancy

HEADER = Path(triton.__file__).parent / "backends/nvidia/include/cuda_occupancy.h"

# Reads lines of: major minor threads registers-a-SM shared-a-SM reserved | registers shared warps
PROGRAM = r"""
#include <climits>
#include <cstdio>
#include "cuda_occupancy.h"
int main() {
  int major, minor, threads, file, registers, warps;
  size_t sm, reserved, shared;
  while (scanf("%d %d %d %d %zu %zu %d %zu %d", &major, &minor, &threads, &file, &sm, &reserved,
               &registers, &shared, &warps) == 9) {
    cudaOccDeviceProp device;
    device.computeMajor = major; device.computeMinor = minor;
    device.maxThreadsPerBlock = 1024; device.maxThreadsPerMultiprocessor = threads;
    device.regsPerBlock = file; device.regsPerMultiprocessor = file; device.warpSize = 32;
    device.sharedMemPerMultiprocessor = sm; device.reservedSharedMemPerBlock = reserved;
    device.sharedMemPerBlock = 48 << 10; device.sharedMemPerBlockOptin = sm - reserved;
    device.numSms = 1;
    cudaOccFuncAttributes function;
    function.maxThreadsPerBlock = INT_MAX; function.numRegs = registers;
    function.sharedSizeBytes = 0; function.partitionedGCConfig = PARTITIONED_GC_OFF;
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    function.maxDynamicSharedSizeBytes = sm - reserved; function.numBlockBarriers = 1;
    cudaOccDeviceState state;
    state.cacheConfig = CACHE_PREFER_NONE; state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    cudaOccResult found;
    int error = cudaOccMaxActiveBlocksPerMultiprocessor(&found, &device, &function, &state,
                                                        warps * 32, shared);
    printf("%d\n", error ? -error : found.activeBlocksPerMultiprocessor);
  }
}
"""


@pytest.mark.skipif(not HEADER.exists(), reason="this Triton ships no cuda_occupancy.h")
@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
def test_blocks_agree_with_nvidias_header(tmp_path):
    (tmp_path / "calculator.cpp").write_text(PROGRAM)
    subprocess.run(
        ["g++", f"-I{HEADER.parent}", "calculator.cpp", "-o", "calculator"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    draw = random.Random(7)
    kernels = [
        (
            arch,
            draw.randrange(1, 256),
            draw.choice((0, draw.randrange(160 << 10))),
            draw.randrange(1, 33),
        )
        for arch in occupancy.LIMITS
        for _ in range(500)
    ]
    asked = "".join(_line(*kernel) for kernel in kernels)
    said = subprocess.run(
        [tmp_path / "calculator"], input=asked, capture_output=True, text=True, check=True
    )
    theirs = [int(line) for line in said.stdout.split()]
    assert len(theirs) == len(kernels)
    assert sum(blocks > 0 for blocks in theirs) > len(kernels) // 3
    wrong = [
        (kernel, blocks)
        for kernel, blocks in zip(kernels, theirs, strict=True)
        if blocks >= 0 and occupancy.of(*kernel).blocks != blocks
    ]
    assert wrong == []


def _line(arch: str, registers: int, shared: int, warps: int) -> str:
    limits, number = occupancy.LIMITS[arch], int(arch.removeprefix("sm_"))
    device = (number // 10, number % 10, limits.warps * 32, limits.registers, limits.shared)
    asked = (limits.reserved, registers, shared, warps)
    return " ".join(str(each) for each in (*device, *asked)) + "\n"
