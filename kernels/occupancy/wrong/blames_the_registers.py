# expect: wrong-values
import re
import subprocess
import tempfile

import torch
import triton

BLOCKS = 7
LIMIT = "registers"

WARPS, MOST_BLOCKS, FILES, FILE, SHARED = 64, 32, 4, 16_384, 228 * 1024


def round_up(number: int, unit: int) -> int:
    """The next multiple of `unit`."""
    return -(-number // unit) * unit


def occupancy(registers: int, shared: int, warps: int) -> torch.Tensor:
    """Blocks by warps, by blocks, by registers, by shared memory; warps at once. int64."""
    in_one_file = FILE // round_up(registers * 32, 256)
    fits = [
        WARPS // warps,
        MOST_BLOCKS,
        FILES * in_one_file // warps,
        SHARED // round_up(shared + 1024, 128),
    ]
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
    registers = int(re.search(r"REG:(\d+)", usage(compiled))[1])
    return registers, compiled.metadata.shared, compiled.metadata.num_warps
