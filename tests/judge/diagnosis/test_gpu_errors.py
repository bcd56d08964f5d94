"""Errors that only a GPU raises, provoked on one, each by a submission of its own."""

import pytest
import torch
from judging import entry, judged

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")

BEYOND = "@triton.jit\ndef k(x):\n    tl.store(x + (1 << 40), 1.0)\n"
ASSERTS = "@triton.jit\ndef k(x):\n    tl.store(x, 1.0)\n"

SUBMISSIONS = {
    "illegal access": (  # the interpreter, which runs the same cases, knows more of it
        entry("k[(1,)](x)\ntorch.cuda.synchronize()\nreturn x", BEYOND),
        "out-of-bounds-store",
        "stores element 1099511627776",
    ),
    "device-side assert": (
        entry(
            "i = torch.full((4,), 1 << 20, device=x.device)\nz = torch.zeros(4, device=x.device)[i]\n"
            "torch.cuda.synchronize()\nreturn z",
            ASSERTS,
        ),
        "crash",
        "assertion failed on the GPU",
    ),
    "grid of zero": (
        entry("k[(1, 70000, 1)](x)\ntorch.cuda.synchronize()\nreturn x", ASSERTS),
        "compile-error",
        "refused the launch",
    ),
    "tensor on the CPU": (
        entry("k[(1,)](torch.ones(4))\nreturn x", ASSERTS),
        "crash",
        "CPU's memory",
    ),
    "two devices": (entry("return x + torch.ones(x.shape[0])", ASSERTS), "crash", "x.device"),
    "too much memory": (
        entry("torch.empty(1 << 42, device=x.device)\nreturn x", ASSERTS),
        "out-of-memory",
        "limit",
    ),
    "too much shared memory": (
        entry(
            "k[(1,)](x, torch.empty(1, device=x.device))\nreturn launched(x, y)",
            "@triton.jit\ndef k(x, o):\n    a = tl.full((256, 256), 1.0, tl.float32)\n"
            "    i = tl.arange(0, 256)\n"
            "    b = tl.load(x + i[:, None] * 256 + i[None, :], mask=i[:, None] < 0, other=0.0)\n"
            "    tl.store(o, tl.sum(tl.dot(b, b.trans() + a)))\n",
        ),
        "too-many-resources",
        "shared memory",
    ),
}


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_a_gpus_error_names_what_was_done(judge, name):
    source, code, says = SUBMISSIONS[name]
    finding = judged(judge, source).diagnosis[0]
    assert (finding.code, says in finding.message) == (code, True), finding
