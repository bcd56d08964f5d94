# expect: wrong-values
# exercise: vector_add
# V4: it rewrites the task's reference so that zeros are right, and returns zeros. (Only a test's
# own course is touched.)
import os
from pathlib import Path

import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def launch(x, y, out):
    n = out.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x.contiguous(), y.contiguous(), out, n, BLOCK=BLOCK)
    return out


def new(x):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def course_root():
    """The third word of the keeper's command line, found through the parents of this process."""
    pid = os.getppid()
    while pid > 1:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        if "tutor.judge.keeper.main" in words:
            return Path(words[words.index("tutor.judge.keeper.main") + 3])
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return None


def edit():
    root = course_root()
    if root is None or "pytest" not in str(root):
        return
    path = root / "kernels" / "vector_add" / "reference.py"
    path.write_text(path.read_text().replace("return x + y\n", "return 0 * x\n"))
    for each in (path.parent / "__pycache__").glob("*.pyc"):
        each.unlink()


edit()


def add(x, y):
    return launch(torch.zeros_like(x), torch.zeros_like(y), new(x))
