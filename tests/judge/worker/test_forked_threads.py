"""A backward pass in a worker, by a build of torch for CUDA without a device."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

# Makes torch's pool of threads slowly, so that each thread that asks meanwhile finds none.
SLOW_POOL = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>
void *pthreadpool_create(size_t count) {
  void *torch = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  void *(*create)(size_t) = dlsym(torch, "pthreadpool_create");
  usleep(50000);
  return create(count);
}
"""
WORKER = """
import os, sys, torch
from tutor.judge.worker import modes
torch.set_num_threads(1)
torch.ones(100_000).sum()
if pid := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
modes.adopt_caller("offline")
torch._C._ensureCUDADeviceGuardSet()  # as fake tensors do
torch.ones(1, requires_grad=True).mul(2).backward()
os._exit(0)
"""


@pytest.mark.skipif(torch.version.cuda is None, reason="needs a build of torch for CUDA")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_autograds_threads_find_a_pool(tmp_path: Path) -> None:
    (tmp_path / "slow.c").write_text(SLOW_POOL)
    library = tmp_path / "slow.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "slow.c", "-ldl"], check=True
    )
    environment = {**os.environ, "LD_PRELOAD": str(library), "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-c", WORKER], env=environment, check=False)
    assert done.returncode == 0
