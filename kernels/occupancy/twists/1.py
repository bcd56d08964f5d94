import re
import subprocess
import tempfile

import torch
import triton

BLOCKS = 7
LIMIT = "shared memory"


def occupancy(registers, shared, warps):
    warp = -(-registers * 32 // 256) * 256
    block = -(-(shared + 1024) // 128) * 128
    in_a_file = 16_384 // warp
    room = [64, 32, 4 * in_a_file, 228 * 1024]
    takes = [warps, 1, warps, block]
    fits = []
    for there_is, one in zip(room, takes, strict=True):
        held = 0
        while (held + 1) * one <= there_is:
            held += 1
        fits.append(held)
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
