import math
import re
import subprocess
import tempfile

import torch
import triton

BLOCKS = 7
LIMIT = "shared memory"


def occupancy(registers, shared, warps):
    warps_of_a_file = math.floor(64 / math.ceil(registers / 8))
    fits = {
        "warps": 64 // warps,
        "blocks": 32,
        "registers": math.floor(4 * warps_of_a_file / warps),
        "shared memory": math.floor(228 * 8 / math.ceil((shared + 1024) / 128)),
    }
    least = min(fits, key=fits.get)
    return torch.tensor([*list(fits.values()), fits[least] * warps], dtype=torch.int64)


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
