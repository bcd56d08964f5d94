import re
import subprocess
import tempfile

import torch
import triton

BLOCKS = 7
LIMIT = "shared memory"


def occupancy(registers, shared, warps):
    units = torch.tensor([1, 1, 256, 128])
    takes = torch.tensor([1, 1, 32 * registers, 1024 + shared])
    takes = (takes + units - 1) // units * units
    room = torch.tensor([64, 32, 16_384, 228 * 1024]) // takes
    room = room * torch.tensor([1, 1, 4, 1]) // torch.tensor([warps, 1, warps, 1])
    return torch.cat([room, room.min(0, keepdim=True).values * warps])


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
