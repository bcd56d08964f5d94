import re
import subprocess
import tempfile
from dataclasses import dataclass

import torch
import triton

BLOCKS = 7
LIMIT = "shared memory"


@dataclass(frozen=True)
class Chip:
    warps: int
    blocks: int
    shared: int


SM_90 = Chip(64, 32, 228 << 10)
SM_86 = Chip(48, 16, 100 << 10)


def occupancy(registers, shared, warps, chip=SM_90):
    warp = -(-registers * 32 // 256) * 256
    block = -(-(shared + 1024) // 128) * 128
    fits = (
        chip.warps // warps,
        chip.blocks,
        16_384 // warp * 4 // warps,
        chip.shared // block,
    )
    return torch.tensor([*fits, min(fits) * warps])


def usage(compiled) -> str:
    """What cuobjdump says about a compiled kernel, as text."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.asm["cubin"])
        file.flush()
        command = [triton.knobs.nvidia.cuobjdump.path, "-res-usage", file.name]
        return subprocess.run(command, capture_output=True, text=True).stdout


def needs(compiled) -> tuple[int, int, int]:
    """Registers a thread, bytes of shared memory a block, warps a block."""
    registers = int(re.search(r"REG:(\d+)", usage(compiled))[1])
    return registers, compiled.metadata.shared, compiled.metadata.num_warps
