"""A warm-up that fails is nobody's error, but it leaves a line in the judge's log. What compiles
nothing, because it fails or finds its kernel in Triton's cache, has still loaded the compiler."""

import subprocess
import sys

import pytest

from tutor.judge.client import environment
from tutor.judge.processes.limits import log_errors

FAILS = """
from tutor.judge.worker import xray_worker
xray_worker._REHEARSAL = "raise ValueError('no such compiler')"
xray_worker.warm_compilers()
import sys
from tutor.judge.worker import compile_worker
compile_worker.warm_compiler()
print("triton.compiler.code_generator" in sys.modules)
"""


@pytest.mark.slow
def test_a_warm_up_that_fails_leaves_a_line():
    done = subprocess.run(
        [sys.executable, "-c", FAILS],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "warming up for a kernel failed: Unloadable: import-error" in done.stderr.splitlines()
    assert done.stdout == "True\n"


def test_an_error_becomes_one_line_and_success_none(capsys):
    with log_errors("compiling ahead"):
        raise RuntimeError("first line\nsecond line")
    with log_errors("compiling ahead"):
        pass
    assert capsys.readouterr().err == "compiling ahead failed: RuntimeError: first line\n"
