import re
import subprocess
import tempfile

import torch
import triton

# Shared memory: 28 + 1 KiB a block, and 228 // 29 = 7. Registers: 50 * 32 = 1600, rounded up to 1792,
# so 9 warps in each of four files, 36 warps, 9 blocks. Warps: 64 // 4 = 16. Blocks: 32.
BLOCKS = 7
LIMIT = "shared memory"

WARPS, MOST_BLOCKS, FILES, FILE, SHARED = 64, 32, 4, 16_384, 228 * 1024


def round_up(number: int, unit: int) -> int:
    """The next multiple of `unit`."""
    return -(-number // unit) * unit


def occupancy(registers: int, shared: int, warps: int) -> torch.Tensor:
    """Blocks by warps, by blocks, by registers, by shared memory; warps at once. int64."""
    # Registers are given to a warp, not to a block, and a warp's registers lie in one file: what is
    # left over in the four files cannot be put together.
    in_one_file = FILE // round_up(registers * 32, 256)
    fits = [
        WARPS // warps,
        MOST_BLOCKS,
        FILES * in_one_file // warps,
        SHARED // round_up(shared + 1024, 128),
    ]
    # A block comes as a whole, so blocks are counted first and multiplied afterwards.
    return torch.tensor([*fits, min(fits) * warps])


def usage(compiled) -> str:
    """Return what cuobjdump says about a compiled kernel, as text."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.asm["cubin"])
        file.flush()
        command = [triton.knobs.nvidia.cuobjdump.path, "-res-usage", file.name]
        return subprocess.run(command, capture_output=True, text=True).stdout


def needs(compiled) -> tuple[int, int, int]:
    """Registers a thread, bytes of shared memory a block, warps a block."""
    # SHARED in cuobjdump's text is what lies in the file itself. Triton's kernels get theirs at the
    # launch, so that number is in the metadata.
    registers = int(re.search(r"REG:(\d+)", usage(compiled))[1])
    return registers, compiled.metadata.shared, compiled.metadata.num_warps
