"""The commands that give a stage's text without tutor do that."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from torch._logging._internal import log_registry

from tutor.xray.model.by_hand import by_hand
from tutor.xray.model.compiler import INDUCTOR
from tutor.xray.model.stages import Stage

OFFLINE = """\
import triton
from triton.backends.compiler import GPUTarget
import kernel
source = triton.compiler.ASTSource(kernel.double, {"x": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 128})
triton.compile(source, target=GPUTarget("cuda", 90, 32))
"""
KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def double(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 2 * tl.load(x + i))
"""


def test_each_channel_of_the_logs_is_one_of_pytorchs() -> None:
    commands = [kind.by_hand for kind in INDUCTOR.stages]
    channels = [match[1] for text in commands if (match := re.search(r"TORCH_LOGS=(\w+) ", text))]
    assert len(channels) >= 10
    assert set(channels) <= log_registry.artifact_names


@pytest.mark.slow
def test_triton_leaves_the_stages_of_a_kernel_in_the_folder(tmp_path: Path) -> None:
    """Compiled for a GPU that is not here: to launch the kernel would need it."""
    (tmp_path / "kernel.py").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "program.py").write_text(OFFLINE, encoding="utf-8")
    dump = next(kind.by_hand for kind in INDUCTOR.stages if kind.name == "sass")
    command = dump.partition(";")[0].replace(
        "python PROGRAM", f"{shlex.quote(sys.executable)} program.py"
    )
    cache = {"TRITON_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        env={**os.environ, **cache},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    left = {path.suffix[1:] for path in tmp_path.glob("dump/*/*")}
    named = {
        kind.by_hand.rpartition(".")[2] for kind in INDUCTOR.stages if "less dump" in kind.by_hand
    }
    assert named - {"amdgcn"} | {"cubin"} <= left


def test_a_kernel_of_ones_own_needs_no_command_and_a_log_names_its_channel() -> None:
    assert by_hand(Stage("triton", "Triton source", "python", "", kernel="add")) == ""
    assert "kernel_code" in by_hand(Stage("triton", "Inductor's Triton kernel", "python", ""))
    assert by_hand(Stage("log", "", "text", "", kernel="fusion")).endswith(
        " TORCH_LOGS=fusion python PROGRAM"
    )


@pytest.mark.slow
def test_a_program_that_was_compiled_before_shows_its_steps_again(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import torch\ntorch.compile(torch.sin)(torch.ones(3))\n", encoding="utf-8")
    commands = {kind.name: kind.by_hand for kind in INDUCTOR.stages}
    cache = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}

    def run(command: str) -> str:
        return subprocess.run(
            [
                "sh",
                "-c",
                command.replace("python PROGRAM", f"{shlex.quote(sys.executable)} {program}"),
            ],
            env={**os.environ, **cache},
            capture_output=True,
            text=True,
            check=True,
        ).stderr

    run("python PROGRAM")
    assert "aten.sin" in run(commands["post_grad"])
    assert "ops.sin" in run(commands["ir_post_fusion"])
