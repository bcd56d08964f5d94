"""Day 54's two ways to multiply bytes are what processors do, and what oneDNN does with them."""

import ctypes
import json
import os
import platform
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = ROOT / "kernels" / "u8s8_dot"
PROGRAM = """
#include <immintrin.h>
#include <stdint.h>

/* One accumulator of 32 bits for each lane; lanes are added at the end, round the end of 32 bits. */
static int32_t lanes(__m256i sum) __attribute__((target("avx2")));
static int32_t lanes(__m256i sum) {
  uint32_t each[8], all = 0;
  _mm256_storeu_si256((__m256i *)each, sum);
  for (int i = 0; i < 8; i++) all += each[i];
  return (int32_t)all;
}

__attribute__((target("avx2")))
int32_t vpmaddubsw(const uint8_t *x, const int8_t *w, int k, int32_t start) {
  __m256i sum = _mm256_setr_epi32(start, 0, 0, 0, 0, 0, 0, 0), ones = _mm256_set1_epi16(1);
  for (int i = 0; i < k; i += 32) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(x + i));
    __m256i b = _mm256_loadu_si256((const __m256i *)(w + i));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
  }
  return lanes(sum);
}

__attribute__((target("avx2,avx512f,avx512vl,avx512vnni")))
int32_t vpdpbusd(const uint8_t *x, const int8_t *w, int k, int32_t start) {
  __m256i sum = _mm256_setr_epi32(start, 0, 0, 0, 0, 0, 0, 0);
  for (int i = 0; i < k; i += 32)
    sum = _mm256_dpbusd_epi32(sum, _mm256_loadu_si256((const __m256i *)(x + i)),
                              _mm256_loadu_si256((const __m256i *)(w + i)));
  return lanes(sum);
}
"""
NEEDED = {"vpmaddubsw": {"avx2"}, "vpdpbusd": {"avx512f", "avx512vl", "avx512_vnni"}}


def flags() -> set[str]:
    """Return what this processor says that it can do; nothing where it does not say."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return set(next((line for line in lines if line.startswith("flags")), "").split())


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Return both instructions as a library of C."""
    compiler = shutil.which("gcc")
    if compiler is None or platform.machine() != "x86_64":
        pytest.skip("no gcc for x86-64 here")
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "bytes.c").write_text(PROGRAM)
    command = [compiler, "-O1", "-shared", "-fPIC", "bytes.c", "-o", "bytes.so"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "bytes.so"))


def by_the_processor(library, x, w, start, instruction):
    """Return what the processor makes of it: int32 [M, N]."""
    missing = -x.shape[1] % 32
    x, w = (torch.nn.functional.pad(each, (0, missing)).contiguous() for each in (x, w))
    run = getattr(library, instruction)
    out = torch.empty_like(start, memory_format=torch.contiguous_format)
    for m in range(len(x)):
        for n in range(len(w)):
            rows = ctypes.c_void_p(x[m].data_ptr()), ctypes.c_void_p(w[n].data_ptr())
            out[m, n] = run(*rows, x.shape[1], int(start[m, n]))
    return out


@pytest.mark.parametrize("instruction", NEEDED)
def test_the_answers_are_those_of_the_instructions(library, instruction):
    if not NEEDED[instruction] <= flags():
        pytest.skip(f"this processor has no {instruction}")
    reference = runpy.run_path(str(EXERCISE / "reference.py"))
    solution = runpy.run_path(str(EXERCISE / "solution.py"))["u8s8_dot"]
    tried = 0
    for seed, case in enumerate(reference["CASES"]):
        x, w, start, asked = case.make(torch.Generator().manual_seed(seed))
        if asked == instruction:
            real = by_the_processor(library, x, w, start, instruction)
            assert torch.equal(real, solution(x, w, start, instruction)), case.name
            assert torch.equal(real, reference["reference"](x, w, start, instruction)), case.name
            tried += 1
    assert tried >= 4


ONEDNN = """
import json, torch
torch.set_num_threads(1)
draw = torch.Generator().manual_seed(54)
x = torch.randint(0, 256, (8, 100), generator=draw, dtype=torch.uint8)
w = torch.randint(-128, 128, (16, 100), generator=draw).to(torch.int8)
packed = torch.ops.onednn.qlinear_prepack(w, None)
none = torch.zeros(16, dtype=torch.int32)
out = torch.ops.onednn.qlinear_pointwise(
    x, 1.0, 0, packed, torch.ones(16), none, None, 1.0, 0, torch.float32, "none", [], "")
print(json.dumps([x.tolist(), w.tolist(), out.int().tolist()]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("instruction", NEEDED)
def test_onednn_gives_what_the_instructions_give(instruction):
    if platform.machine() != "x86_64" or not NEEDED[instruction] <= flags():
        pytest.skip(f"this processor has no {instruction}")
    most = {"vpmaddubsw": "AVX2", "vpdpbusd": "AVX512_CORE_VNNI"}[instruction]
    done = subprocess.run(
        [sys.executable, "-c", ONEDNN],
        env={**os.environ, "ONEDNN_MAX_CPU_ISA": most},
        capture_output=True,
        text=True,
        check=True,
    )
    x, w, out = json.loads(done.stdout)
    solution = runpy.run_path(str(EXERCISE / "solution.py"))["u8s8_dot"]
    x, w = torch.tensor(x, dtype=torch.uint8), torch.tensor(w, dtype=torch.int8)
    zeros = torch.zeros(8, 16, dtype=torch.int32)
    assert torch.equal(torch.tensor(out, dtype=torch.int32), solution(x, w, zeros, instruction))
