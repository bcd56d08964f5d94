"""compute-sanitizer's reports become findings with line and program; without a GPU there is a sentence.

The reports have the form of the examples in its manual (2026.3) and, for Triton kernels, of those in
triton-viz issue 158 and sglang issue 2599.
"""

import json
import os

import pytest
from judging import KERNEL, RIGHT, tutor

from tutor.base.errors import CannotHere
from tutor.judge.device_tools import compute_sanitizer, device_call
from tutor.judge.device_tools.compute_sanitizer import read_report

FILE = "/home/someone/vector_add.py"

LOAD = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 16 bytes
=========     at add_kernel+0xec0 in vector_add.py:12
=========     by thread (18,0,0) in block (3,0,0)
=========     Access to 0x74505bcccca0 is out of bounds
=========     and is 161 bytes after the nearest allocation at 0x74505bccc800 of size 1,024 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========
========= Invalid __global__ read of size 16 bytes
=========     at add_kernel+0xec0 in vector_add.py:12
=========     by thread (19,0,0) in block (3,0,0)
=========     Access to 0x74505bccccb0 is out of bounds
=========     and is 177 bytes after the nearest allocation at 0x74505bccc800 of size 1,024 bytes
=========
========= ERROR SUMMARY: 2 errors
"""
OLDER = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at 0xda0 in /home/someone/vector_add.py:14:add_kernel
=========     by thread (96,0,0) in block (44,2,1)
=========     Address 0x763995f9f000 is out of bounds
=========     and is 1,241,911,296 bytes before the nearest allocation at 0x7639e0000000 of size 8 bytes
========= ERROR SUMMARY: 1 error
"""
RACE = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at add_kernel(int *, int *)+0x90 in /home/someone/vector_add.py:41
=========     and Read access at add_kernel(int *, int *)+0x100 in /home/someone/vector_add.py:51 [508 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""  # noqa: E501
UNWRITTEN = """\
========= Uninitialized __global__ memory read of size 4 bytes
=========     at vectorized_elementwise_kernel(int *)+0x70 in /opt/torch/Loops.cuh:41
=========     by thread (31,0,0) in block (1,0,0)
=========     Address 0x7f3c7ec000fc
========= ERROR SUMMARY: 1 error
"""
MISALIGNED = """\
========= Invalid __global__ write of size 4 bytes
=========     at unaligned_kernel():0x160 in vector_add.py:6
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f6510c00001 is misaligned
========= ERROR SUMMARY: 1 error
"""


def only(report: str):
    errors, (finding,) = read_report("memcheck", report, FILE)
    return errors, finding


def test_a_load_outside_has_line_program_and_distance_and_is_said_once():
    errors, finding = only(LOAD)
    assert (errors, finding.code, finding.line) == (2, "out-of-bounds-load", 12)
    assert finding.program_id == (3, 0, 0)
    assert "161 bytes after the nearest allocation, which has 1,024 bytes" in finding.message
    assert "`add_kernel`" in finding.message
    assert "by thread (18,0,0)" in finding.detail


def test_the_form_of_older_versions_is_read_too():
    _, finding = only(OLDER)
    assert (finding.code, finding.line) == ("out-of-bounds-store", 14)
    assert finding.program_id == (44, 2, 1)


def test_a_race_names_both_lines():
    errors, finding = only(RACE)
    assert (errors, finding.code, finding.line) == (1, "race", 41)
    assert "lines 41 and 51" in finding.message


def test_what_is_not_in_the_learners_file_has_no_line():
    _, finding = only(UNWRITTEN)
    assert (finding.code, finding.line) == ("uninitialized-load", None)


def test_a_misaligned_access_is_not_called_out_of_bounds():
    assert only(MISALIGNED)[1].code == "misaligned-access"


@pytest.mark.parametrize("cut", range(0, LOAD.index("ERROR SUMMARY"), 37))
def test_a_report_that_is_cut_is_no_report_and_no_error_of_ours(cut):
    assert read_report("memcheck", LOAD[:cut], FILE) is None


def test_many_places_are_bounded():
    one = LOAD[LOAD.index("========= Invalid") : LOAD.index("=========\n")]
    many = "".join(one.replace("py:12", f"py:{n}") for n in range(100))
    errors, findings = read_report("memcheck", many + "========= ERROR SUMMARY: 100 errors\n", FILE)
    assert (errors, len(findings)) == (100, compute_sanitizer.MOST_FINDINGS)


def test_a_tool_is_found_in_the_path_and_in_cuda_home(tmp_path, monkeypatch):
    for place in ("path", "cuda/bin"):
        (tmp_path / place).mkdir(parents=True)
        tool = tmp_path / place / "compute-sanitizer"
        tool.write_text("#!/bin/sh\n")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    assert compute_sanitizer.find_sanitizer() == tmp_path / "path" / "compute-sanitizer"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert compute_sanitizer.find_sanitizer() == tmp_path / "cuda" / "bin" / "compute-sanitizer"


def test_without_the_tool_one_sentence_says_where_it_comes_from(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setattr(device_call, "glob", lambda _: [])
    monkeypatch.setattr(device_call, "find_spec", lambda _: None)
    with pytest.raises(CannotHere, match="nvidia-cuda-sanitizer-api"):
        compute_sanitizer.find_sanitizer()


def test_the_command_says_that_there_is_no_gpu(tmp_path):
    if os.path.exists("/dev/nvidiactl"):
        pytest.skip("there is one here")
    file = tmp_path / "vector_add.py"
    file.write_text(RIGHT)
    done = tutor("check", "vector_add", str(file), "--sanitize")
    assert done.returncode == 3
    assert b"GPU" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.fixture
def tool():
    import torch

    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    try:
        return compute_sanitizer.find_sanitizer()
    except CannotHere as error:
        pytest.skip(str(error))


def test_on_a_gpu_a_load_past_the_end_is_found_at_its_line(tool, tmp_path):
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(RIGHT)
    wrong.write_text(RIGHT.replace("x_ptr + offsets, mask=mask", "x_ptr + offsets"))
    line = 1 + KERNEL[: KERNEL.index("x = tl.load")].count("\n")
    done = tutor("check", "vector_add", str(right), "--sanitize", "--json", timeout=300)
    assert done.returncode == 0, done.stdout
    done = tutor("check", "vector_add", str(wrong), "--sanitize", "--json", timeout=300)
    assert done.returncode == 1
    checks = {each["tool"]: each for each in json.loads(done.stdout)["checks"]}
    found = checks["memcheck"]["findings"][0]
    assert (found["code"], found["line"]) == ("out-of-bounds-load", line)
