"""The line of a kernel's file that each line of its lower forms comes from. Pure.

Each compiler writes source positions in its own way: MLIR `loc` attributes, LLVM
`!dbg` metadata, `.loc` directives in PTX and amdgcn, line comments of `nvdisasm -g`. `clean` moves
them from the text to a list. (With them in the text, a comment added to the source would change every
line below it.)

A position inside an inlined function is a chain of calls. The innermost of it that lies in the
kernel's own file counts: a line of a helper of the learner's, or the call of `tl.sum`, but never a
line of Triton's library.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

# (file, line, column), innermost first; the column is 0 where it is unknown.
Chain = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class SourcePlace:
    """A position in the kernel's file. `column` is 0 where it is unknown."""

    line: int
    column: int = 0


@dataclass(frozen=True)
class Positioned:
    """A text and the source position of each of its lines (None if unknown)."""

    text: str
    places: tuple[SourcePlace | None, ...]


Calls = Mapping[tuple[str, int], SourcePlace]


def clean(stage: str, raw: str, own_file: str, calls: Calls | None = None) -> Positioned:
    """`raw`, the stage's text as its compiler printed it, without positions, and the positions.

    `stage` is one of "ttir", "ttgir", "llir", "ptx", "sass", "amdgcn". `calls` says where lines of
    other files were inlined (`find_inlined_once`), for a text that does not.
    """
    lines, chains = _READERS[stage](raw)
    places = [_own(chain, own_file) for chain in chains]
    if calls:
        for i, chain in enumerate(chains):
            if chain and places[i] is None:
                call = calls.get(chain[0][:2])
                places[i] = (
                    SourcePlace(call.line) if call else None
                )  # as exact as its neighbours are
    return Positioned("\n".join(lines) + "\n" if lines else "", tuple(places))


def _own(chain: Chain, own_file: str) -> SourcePlace | None:
    for file, line, column in chain:
        # Comments in assembly name files without their folder.
        if line and (file == own_file or file == os.path.basename(own_file)):
            return SourcePlace(line, column)
    return None


Read = tuple[list[str], list[Chain]]

# --- MLIR -----------------------------------------------------------------------------------------

_LOC_DEFINITION = re.compile(r"#(loc\d*) = loc\((.*)\)$")
_LOC_USE = re.compile(r" ?loc\(((?:[^()\"]|\"[^\"]*\"|\((?:[^()\"]|\"[^\"]*\")*\))*)\)")
_FILE_POSITION = re.compile(r"\"((?:[^\"\\]|\\.)*)\":(\d+):(\d+)")
_REFERENCE = re.compile(r"#(loc\d*)")


def _mlir(raw: str) -> Read:
    """`loc(#loc3)` at the end of an operation, defined by `#loc3 = loc(…)` lines anywhere."""
    source = raw.splitlines()
    table = {m[1]: m[2] for line in source if (m := _LOC_DEFINITION.match(line))}
    known: dict[str, Chain] = {}

    def chain(text: str, depth: int = 0) -> Chain:
        if depth > 32 or text == "unknown":
            return ()
        if text.startswith("callsite("):
            callee, _, caller = text[len("callsite(") : -1].partition(" at ")
            return chain(callee, depth + 1) + chain(caller, depth + 1)
        if match := _FILE_POSITION.match(text):
            return ((match[1], int(match[2]), int(match[3])),)
        if match := _REFERENCE.search(text):  # `#loc3`, `"x"(#loc3)`, the first of `fused[…]`
            if match[1] not in known:
                known[match[1]] = ()  # should a definition be a ring
                known[match[1]] = chain(table.get(match[1], "unknown"), depth + 1)
            return known[match[1]]
        return ()

    lines: list[str] = []
    chains: list[Chain] = []
    opened: list[list[int]] = []  # lines of a region still open: its position is at its end
    for line in source:
        if _LOC_DEFINITION.match(line):
            continue
        uses = _LOC_USE.findall(line)
        at = chain(uses[-1]) if uses and line.endswith(")") else ()
        bare = _LOC_USE.sub("", line)
        shown = bare.strip()
        heads = opened.pop() if shown.startswith("}") and opened else []
        if at:
            for head in heads:
                chains[head] = at
            heads = []
        if shown.endswith(("{", "({")):
            opened.append([*heads, len(lines)])  # `} else {` is of the same region
        lines.append(bare)
        chains.append(at)
    return lines, chains


# --- LLVM IR --------------------------------------------------------------------------------------

_DBG_USE = re.compile(r",? !dbg !(\d+)")
_DBG_NODE = re.compile(r"!(\d+) = (?:distinct )?!(DI\w+)\((.*)\)$")
_NODE = re.compile(r"!\d+ = (?:distinct )?!\{")
_FIELD = re.compile(r"(\w+): (\"[^\"]*\"|!?\w+)")


class _DebugNodes:
    """The numbered nodes of debug information in a module of LLVM IR: kind and fields of each."""

    def __init__(self, source: list[str]) -> None:
        self.nodes = {
            int(m[1]): (m[2], dict(_FIELD.findall(m[3])))
            for line in source
            if (m := _DBG_NODE.match(line))
        }

    def node(self, reference: str) -> tuple[str, dict[str, str]]:
        return self.nodes.get(int(reference.lstrip("!") or -1), ("", {}))

    def file_of(self, scope: str) -> str:
        for _ in range(32):
            _, fields = self.node(scope)
            if "file" in fields:
                _, file = self.node(fields["file"])
                name, folder = (file.get(k, '""').strip('"') for k in ("filename", "directory"))
                return os.path.join(folder, name)
            if "scope" not in fields:
                break
            scope = fields["scope"]
        return ""

    def chain(self, reference: str) -> Chain:
        places = []
        for _ in range(32):
            kind, fields = self.node(reference)
            if kind == "DISubprogram":
                places.append((self.file_of(reference), int(fields.get("line", 0)), 0))
            if kind != "DILocation":
                break
            at = int(fields.get("line", 0)), int(fields.get("column", 0))
            places.append((self.file_of(fields.get("scope", "!")), *at))
            if "inlinedAt" not in fields:
                break
            reference = fields["inlinedAt"]
        return tuple(places)

    def is_list(self, line: str) -> bool:
        """Whether the line defines a node that only lists debug nodes."""
        names = re.findall(r"!(\d+)", line)
        return bool(_NODE.match(line)) and any(int(name) in self.nodes for name in names)


def _llvm(raw: str) -> Read:
    source = raw.splitlines()
    debug = _DebugNodes(source)
    known: dict[str, Chain] = {}
    lines: list[str] = []
    chains: list[Chain] = []
    for line in source:
        if _DBG_NODE.match(line) or line.startswith("!llvm.dbg.cu") or debug.is_list(line):
            continue
        at: Chain = ()
        if match := _DBG_USE.search(line):
            if match[1] not in known:
                known[match[1]] = debug.chain(match[1])
            at = known[match[1]]
        lines.append(_DBG_USE.sub("", line))
        chains.append(at)
    return _trim(lines, chains)


# --- PTX and amdgcn -------------------------------------------------------------------------------

_FILE = re.compile(r"\s*\.file\s+(\d+)\s+\"([^\"]*)\"(?:\s+\"([^\"]*)\")?")
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(.*)")
_INLINED = re.compile(r"@\[ ([^@\]]*?):(\d+):(\d+)")
_DEBUG_LABEL = re.compile(r"\s*(?:\$L__(?:tmp|func_begin|func_end)|\.L(?:tmp|func_begin|func_end))")
_DEBUG_SECTION = re.compile(r"\s*\.section\s+\"?\.(?:debug_|note\.GNU)")
_ANY_SECTION = re.compile(r"\s*\.(?:section|text|amdgpu_metadata)\b")
_INSTRUCTION = re.compile(r"\s+[@a-z]")


def _assembly(raw: str) -> Read:
    """`.loc FILE LINE COLUMN` holds for the instructions that follow it; the comment behind it
    names the calls it is inlined at (`// standard.py:170:27 @[ k.py:22:38 ]`)."""
    source = raw.splitlines()
    files = {
        m[1]: os.path.join(m[2], m[3]) if m[3] else m[2]
        for line in source
        if (m := _FILE.match(line))
    }
    lines: list[str] = []
    chains: list[Chain] = []
    now: Chain = ()
    skipping = False
    for line in source:
        if _ANY_SECTION.match(line):
            skipping = bool(_DEBUG_SECTION.match(line))
        if skipping or _DEBUG_LABEL.match(line) or _FILE.match(line):
            continue
        if match := _LOC.match(line):
            own = (files.get(match[1], ""), int(match[2]), int(match[3]))
            calls = [(m[1], int(m[2]), int(m[3])) for m in _INLINED.finditer(match[4])]
            now = (own, *calls)
            continue
        if line.startswith("}"):
            now = ()
        lines.append(line)
        # Directives and comments are of no position; `// begin inline asm` lines are left unlit.
        chains.append(now if _INSTRUCTION.match(line) else ())
    return _trim(lines, chains)


# --- SASS -----------------------------------------------------------------------------------------

_SASS_LINE = re.compile(r"\s*//## File \"([^\"]*)\", line (\d+)(.*)")
_SASS_CALL = re.compile(r"inlined at \"([^\"]*)\", line (\d+)")
_SASS_CODE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/")


def _sass(raw: str) -> Read:
    """The code of `nvdisasm -g -c`; a `//## File …, line N` holds for the instructions after it."""
    lines: list[str] = []
    chains: list[Chain] = []
    now: Chain = ()
    inside = False
    for line in raw.splitlines():
        if match := _SASS_LINE.match(line):
            calls = [(m[1], int(m[2]), 0) for m in _SASS_CALL.finditer(match[3])]
            now = ((match[1], int(match[2]), 0), *calls)
            continue
        if line.startswith((".text.", "//---")):
            inside = line.startswith(".text.")
            continue
        is_code = bool(_SASS_CODE.match(line))
        if inside and (is_code or line.rstrip().endswith(":")):
            lines.append(line.rstrip())
            chains.append(now if is_code else ())
    while lines and (lines[-1].endswith(":") or lines[-1].endswith(" NOP;")):
        lines.pop()  # what fills the last cache line, and the label behind it
        chains.pop()
    return _trim(lines, chains)


def find_inlined_once(raw_ptx: str, own_file: str) -> dict[tuple[str, int], SourcePlace]:
    """Lines of library files that PTX has inlined into exactly one place of the kernel.

    SASS keeps only the innermost position: for `tl.sum` that is a line of Triton's library. If that
    line was inlined once, the place of the call is known.
    """
    files = {
        m[1]: os.path.join(m[2], m[3]) if m[3] else m[2]
        for m in map(_FILE.match, raw_ptx.splitlines())
        if m
    }
    by_line: dict[tuple[str, int], set[SourcePlace]] = {}
    for line in raw_ptx.splitlines():
        match = _LOC.match(line)
        if not match or files.get(match[1], "") == own_file:
            continue
        calls = tuple((m[1], int(m[2]), int(m[3])) for m in _INLINED.finditer(match[4]))
        if place := _own(calls, own_file):
            by_line.setdefault((files.get(match[1], ""), int(match[2])), set()).add(place)
    return {key: next(iter(places)) for key, places in by_line.items() if len(places) == 1}


def _trim(lines: Iterable[str], chains: Iterable[Chain]) -> Read:
    """Without empty lines at the ends, and without two in a row."""
    kept: list[str] = []
    places: list[Chain] = []
    for line, chain in zip(lines, chains, strict=True):
        if not line.strip() and (not kept or not kept[-1].strip()):
            continue
        kept.append(line)
        places.append(chain)
    while kept and not kept[-1].strip():
        kept.pop()
        places.pop()
    return kept, places


_READERS: dict[str, Callable[[str], Read]] = {
    "ttir": _mlir,
    "ttgir": _mlir,
    "llir": _llvm,
    "ptx": _assembly,
    "amdgcn": _assembly,
    "sass": _sass,
}
