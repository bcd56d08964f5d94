"""Machine code as assembly, by objdump."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

NO_OBJDUMP = "objdump shows machine code, and is not installed here (package binutils)"
_SECONDS = 20.0
_LABEL = re.compile(r"^[0-9a-f]+ <(.+)>:$", re.MULTILINE)


class NoDisassembler(Exception):
    """This machine lacks objdump."""


def disassemble(path: Path) -> str:
    """Return the machine code of an object file as assembly. Raises `NoDisassembler`."""
    objdump = shutil.which("objdump")
    if objdump is None:
        raise NoDisassembler(NO_OBJDUMP)
    syntax = ["-M", "intel"] if platform.machine() in ("x86_64", "AMD64") else []
    done = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", *syntax, path.name],
        cwd=path.parent,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=True,
    )
    lines = done.stdout.split("\n")
    start = next((n for n, line in enumerate(lines) if line.startswith("Disassembly")), -1)
    return "\n".join(lines[start + 1 :]).strip("\n") + "\n"


def split_functions(code: str) -> dict[str, str]:
    """Return the assembly of each function of a disassembled file, with its label."""
    labels = list(_LABEL.finditer(code))
    ends = [label.start() for label in labels[1:]] + [len(code)]
    return {
        label[1]: code[label.start() : end].rstrip() + "\n"
        for label, end in zip(labels, ends, strict=True)
    }
