"""Inductor's checks of the C++ compiler before its first function for a CPU: once, not in each
process.

    instruction sets  For each one of the processor, a probe is compiled, and another process loads it
                      to see that it works. The compiled probes are cached, the answers are not: a
                      second for each worker; with torch 2.11 several, because its probes import torch.
    headers           They are precompiled into the temporary folder, which each worker has for itself:
                      six seconds. Where they are precompiled, their preprocessed text is hashed to see
                      that they have not changed: 0.4 seconds.

Private names of torch, read in 2.11 and 2.13: `VecISA.check_build` and `valid_vec_isa_list` in
torch/_inductor/cpu_vec_isa.py, `_HEADER_DIR`, `_HEADER_LOCK_DIR` and `_precompile_header` in
torch/_inductor/codecache.py.
"""

import functools
import json
import os
import traceback
from typing import Any
from unittest import mock

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
    """The probes that work, and the headers that are precompiled: this process and its forks do not
    repeat them. (A probe that failed may have failed for lack of memory or time.)"""

    def __init__(self) -> None:
        self._work: set[str] = set()
        self._headers: dict[str, str] = {}  # paths, by the header's name and the compiler's command
        self._pipe, self._received = -1, b""
        ask, make = VecISA.check_build, codecache._precompile_header

        def check_build(isa: VecISA, code: str) -> bool:
            probe = f"{isa.build_arch_flags()}\n{code}"
            if probe not in self._work and ask(isa, code):
                self._work.add(probe)
            return probe in self._work

        def precompile_header(header: str, command: str, **options: Any) -> str:
            name = f"{header}\n{command}"
            if not os.path.exists(self._headers.get(name, "")):
                self._headers[name] = make(header, command, **options)
            return self._headers[name]

        VecISA.check_build = check_build  # type: ignore[assignment]
        codecache._precompile_header = precompile_header  # type: ignore[assignment]

    @property
    def complete(self) -> bool:
        return bool(self._headers)

    def ask_ahead(self, children: Children) -> None:
        """Fork a process that runs every probe and precompiles the headers. When this object is
        readable (`select`), call `take`.
        """
        self._received = b""
        self._pipe, theirs = os.pipe()
        parent = os.getpid()
        children.fork(lambda: self._ask(parent, theirs))
        os.close(theirs)

    def _ask(self, parent: int, theirs: int) -> None:
        try:
            process_control.die_with_parent(parent)
            cpu_vec_isa.valid_vec_isa_list()
            with open(theirs, "w", encoding="utf-8") as out:
                print(json.dumps([list(self._work), {}]), file=out, flush=True)
                _compile_a_function()
                print(json.dumps([[], self._headers]), file=out)
        except BaseException:  # for example no compiler: the learner's function will report it
            traceback.print_exc()

    def fileno(self) -> int:
        return self._pipe

    def take(self) -> bool:
        """Use what the fork has found out. Return False once it has ended."""
        piece = os.read(self._pipe, 1 << 16)
        *lines, self._received = (self._received + piece).split(b"\n")
        for line in lines:
            work, headers = json.loads(line)
            self._work.update(work)
            self._headers.update(headers)
        if not piece:
            os.close(self._pipe)
        return bool(piece)


def _compile_a_function() -> None:
    """Have Inductor write a function for a CPU, which needs the headers."""
    # Dynamo asks for a GPU, and saves the state of its random numbers: do not open one for that.
    with mock.patch.object(torch.cuda, "is_available", return_value=False):
        torch.compile(torch.neg)(torch.ones(64))


@functools.cache
def get_answers() -> Answers:
    """Return this process's answers, which its forks inherit."""
    return Answers()
