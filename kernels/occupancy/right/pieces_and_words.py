import subprocess
import tempfile

import torch
import triton

BLOCKS = 7
LIMIT = "shared memory"


def occupancy(registers, shared, warps):
    def pieces(need, unit):
        return (need + unit - 1) // unit

    a_file = 64 // pieces(registers * 32, 256)
    most = [64 // warps, 32, (a_file * 4) // warps, 1824 // pieces(shared + 1024, 128)]
    held = min(most)
    return torch.as_tensor([*most, held * warps])


def usage(compiled):
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/kernel.cubin"
        with open(path, "wb") as file:
            file.write(compiled.asm["cubin"])
        return subprocess.check_output(
            [triton.knobs.nvidia.cuobjdump.path, "-res-usage", path], text=True
        )


def needs(compiled):
    words = usage(compiled).replace(":", " ").split()
    options = compiled.metadata._asdict()
    return int(words[words.index("REG") + 1]), int(options["shared"]), int(options["num_warps"])
