"""Inductor's checks of the C++ compiler before its first function for a CPU: once, not in each
process.

    instruction sets  For each one of the processor, a probe is compiled, and another process loads it
                      to see that it works. The compiled probes are cached, the answers are not: a
                      second for each worker; with torch 2.11 several, because its probes import torch.
    headers           They are precompiled into the temporary folder, which each worker has for itself:
                      six seconds.

Private names of torch, read in 2.11 and 2.13: `VecISA.check_build` and `valid_vec_isa_list` in
torch/_inductor/cpu_vec_isa.py, `_HEADER_DIR` and `_HEADER_LOCK_DIR` in torch/_inductor/codecache.py.
"""

import contextlib
import json
import os
import traceback

import torch
from torch._inductor import codecache, cpu_vec_isa
from torch._inductor.cpu_vec_isa import VecISA
from torch._inductor.runtime.cache_dir_utils import cache_dir

from tutor.judge.processes import process_control
from tutor.judge.processes.children import Children


def keep_headers() -> None:
    """Keep the headers with Inductor's other files, for this process and its forks."""
    codecache._HEADER_DIR = _headers()
    codecache._HEADER_LOCK_DIR = os.path.join(_headers(), "locks")


def _headers() -> str:
    return os.path.join(cache_dir(), "precompiled_headers")


class Answers:
    """The probes that work: this process and its forks do not repeat them. (A probe that failed may
    have failed for lack of memory or time.)"""

    def __init__(self) -> None:
        self._work: set[str] = set()
        self._pipe = -1
        ask = VecISA.check_build

        def check_build(isa: VecISA, code: str) -> bool:
            probe = f"{isa.build_arch_flags()}\n{code}"
            if probe not in self._work and ask(isa, code):
                self._work.add(probe)
            return probe in self._work

        VecISA.check_build = check_build  # type: ignore[assignment]

    def ask_ahead(self, children: Children) -> None:
        """Fork a process that runs every probe, and with a new cache folder also precompiles the
        headers. Once this object is readable (`select`), `take` reads the answers.
        """
        self._pipe, theirs = os.pipe()
        parent = os.getpid()
        children.fork(lambda: self._ask(parent, theirs))
        os.close(theirs)

    def _ask(self, parent: int, theirs: int) -> None:
        try:
            process_control.die_with_parent(parent)
            cpu_vec_isa.valid_vec_isa_list()
            with open(theirs, "w", encoding="utf-8") as out:
                json.dump(list(self._work), out)
            if not os.path.isdir(_headers()):
                # Dynamo saves the state of each device's random numbers: do not open a GPU for that.
                os.environ["CUDA_VISIBLE_DEVICES"] = ""
                torch.compile(torch.neg)(torch.ones(64))
        except BaseException:  # for example no compiler: the learner's function will report it
            traceback.print_exc()

    def fileno(self) -> int:
        return self._pipe

    def take(self) -> None:
        """Use the fork's answers from now on; there are none if it ended before it had them."""
        with open(self._pipe, encoding="utf-8") as file, contextlib.suppress(ValueError):
            self._work.update(json.load(file))
