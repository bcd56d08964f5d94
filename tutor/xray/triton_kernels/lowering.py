"""The lowering of a Triton kernel: Triton source, TTIR, TTGIR, LLVM IR, PTX, SASS; for AMD amdgcn.

Works on any machine: Triton compiles for a named target, and the disassembler is in its wheel.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tutor.base.errors import CannotHere
from tutor.hardware.gpus import Target
from tutor.xray.model import counts
from tutor.xray.model.control_codes import Control
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.model.narrow_offsets import MOST_ELEMENTS, find_narrow_offsets
from tutor.xray.model.stages import Event, Failure, Number, Stage
from tutor.xray.triton_kernels import line_links, pass_changes
from tutor.xray.triton_kernels.compiler import (
    Disassembly,
    NotePass,
    compile_kernel,
    define_function,
    find_caller,
    is_gluon,
)
from tutor.xray.triton_kernels.layouts import layout_notes
from tutor.xray.triton_kernels.pass_changes import PassDump
from tutor.xray.triton_kernels.ptxas_log import read_usage
from tutor.xray.triton_kernels.refusals import find_refused_instruction
from tutor.xray.triton_kernels.sass_encoding import place_controls, split_encoding
from tutor.xray.triton_kernels.source_positions import (
    Positioned,
    SourcePlace,
    clean,
    find_inlined_once,
)

Emit = Callable[[Event], None]
Explain = Callable[[BaseException], str]

TITLES = {
    "triton": ("Triton source", "python"),
    "ttir": ("Triton IR", "ttir"),
    "ttgir": ("Triton GPU IR", "ttgir"),
    "passes": ("Triton's passes over TTGIR", "ttgir"),
    "llir": ("LLVM IR", "llvm"),
    "ptx": ("PTX", "ptx"),
    "sass": ("SASS", "sass"),
    "amdgcn": ("AMD GCN assembly", "amdgcn"),
}
_AT_ONCE = 2  # disassemblers at work
_POSITIONS = "Source positions are taken out of the text: they are the links."


class Enough(Exception):
    """The last stage that was wanted has been made."""


_TAKES_TILES = (
    "`{name}` does not compile as a kernel by itself, where a tensor that it is given is a pointer; "
    "`{caller}` of this file calls it, and may give it tiles. Triton says: {said}{place}"
)
_RETURNS = (
    "`{name}` returns a value, which no launch takes{place}; `{caller}` of this file calls it"
)
# What fails from every caller as well.
_OF_THE_FILE = re.compile(r"global variable|NameError|is not defined|has no attribute")


def stages_of(target: Target) -> tuple[str, ...]:
    """The stages that a kernel has on the target, in order."""
    below = ("ptx", "sass") if target.vendor == "nvidia" else ("amdgcn",)
    return ("triton", "ttir", "ttgir", "llir", *below)


def plain_reason(error: BaseException) -> str:
    """Return an error as a sentence, if nothing explains it: its type and its first line."""
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0][:300]}" if said else type(error).__name__


def lower_kernels(
    kernels: Sequence[KernelSource],
    target: Target,
    emit: Emit,
    *,
    last: str | None = None,
    with_text: bool = True,
    passes: bool = False,
    note: NotePass | None = None,
    explain: Explain = plain_reason,
) -> int:
    """Emit the stages of the kernels down to `last` (None: all), their links, and failures.

    With `with_text` the stage `triton` is emitted too, with `passes` the stage `passes`. `note` is
    asked of each of Triton's passes, which is left out where it returns False. `explain` turns an
    error that Triton raised into a sentence. The disassembler works on one kernel while the next is
    compiled, so a kernel's `sass` comes after the first stages of its successor.

    Returns 0 if every wanted stage is there, 1 if a kernel does not compile, 3 if this machine lacks a
    tool (the exit status of docs/contract.md); of several kernels, the last that is not 0.
    """
    status = 0
    waiting: deque[_Way] = deque()
    for kernel in kernels:
        dump = PassDump() if passes or last == "passes" else None
        way = _Way(kernel, target, emit, last or stages_of(target)[-1], explain, dump, note)
        waiting.append(way)
        status = way.down(with_text) or status
        if len(waiting) > _AT_ONCE:
            status = waiting.popleft().sass() or status
    for way in waiting:
        status = way.sass() or status
    return status


@dataclass
class _Way:
    """The lowering of one kernel: `down` to the binary, then `sass`. Both return a status."""

    kernel: KernelSource
    target: Target
    emit: Emit
    last: str
    explain: Explain
    dump: PassDump | None = None
    note: NotePass | None = None
    done: str = ""  # the stage that was emitted last
    places: tuple[SourcePlace | None, ...] = ()
    own_file: str = ""
    raw: str = ""  # the last text, as its compiler made it
    text: str = ""  # that, as the stage shows it
    ptx: str = ""
    cubin: bytes = b""
    metadata: dict[str, Any] = field(default_factory=dict)
    disassembly: Disassembly | None = None

    def down(self, with_text: bool) -> int:
        """Run Triton's compiler, and start the disassembler."""
        try:
            function = self._begin(with_text)
            kernel = replace(self.kernel, function=function)
            self.metadata = compile_kernel(kernel, self.target, self._form, self.dump, self.note)
            self._warn_of_limits()
            if self.target.vendor == "nvidia":
                self.disassembly = Disassembly(self.cubin)
        except Enough:
            return 0
        except CannotHere as error:
            return self._emit_failure(str(error), CannotHere.exit_status)
        except Exception as error:  # the learner's kernel is wrong, or Triton's compiler is
            return self._emit_failure(self._explain_refusal(error), 1)
        return 0

    def _explain_refusal(self, error: Exception) -> str:
        """Return a sentence on what Triton raised: of a function that another calls, not what to write
        in its place, because the caller may give it what a launch cannot."""
        explained = self.explain(error) + self._place_refusal(str(error))
        if self.kernel.launch is not None or not (caller := find_caller(self.kernel.function)):
            return explained
        place = re.search(r" \(line \d+\)(?=\.?$)", explained)
        names = {"name": self.kernel.name, "caller": caller, "place": place[0] if place else ""}
        if explained.startswith("The kernel returns a value"):
            return _RETURNS.format(**names)
        said = str(error).strip().splitlines()
        if self.done != "triton" or not said or _OF_THE_FILE.search(said[-1]):
            return explained
        return _TAKES_TILES.format(**names, said=said[-1][:200].strip().rstrip("."))

    def sass(self) -> int:
        """Emit the disassembled binary; nothing if `down` did not make one."""
        if self.disassembly is None:
            return 0
        started = time.perf_counter()
        try:
            raw, encoding = split_encoding(self.disassembly.result())
        except CannotHere as error:
            return self._emit_failure(str(error), CannotHere.exit_status)
        text = clean("sass", raw, self.own_file, find_inlined_once(self.ptx, self.own_file))
        known: dict[str, Number] = {
            **dict(counts.of_text("sass", text.text)),
            **read_usage(self.metadata),
            "shared_bytes": int(self.metadata.get("shared") or 0),
            "num_warps": int(self.metadata.get("num_warps") or 0),
        }
        ms = (time.perf_counter() - started) * 1e3
        with contextlib.suppress(Enough):
            controls = place_controls(text.text, encoding)
            self._stage("sass", text, ms, tuple(known.items()), controls)
        return 0

    def _begin(self, with_text: bool) -> Any:
        """Emit the first stage. Return the kernel's function."""
        kernel = self.kernel
        title, language = TITLES["triton"]
        gluon = kernel.function is not None and is_gluon(kernel.function)
        if gluon:
            title = "Gluon source"
            if self.last == "ttir":
                raise CannotHere(
                    "a Gluon kernel is written with layouts and has no stage ttir: its next one is ttgir"
                )
        if with_text:
            self.emit(
                Stage(
                    "triton",
                    title,
                    language,
                    kernel.text,
                    kernel.notes,
                    0.0,
                    kernel.name,
                    kernel.counts,
                    numbers=kernel.lines,
                )
            )
        function = kernel.function or define_function(kernel)
        self.own_file = function.fn.__code__.co_filename
        numbers = kernel.lines or range(1, kernel.text.count("\n") + 2)
        self.done, self.places = "triton", tuple(SourcePlace(n) if n else None for n in numbers)
        if self.last == "triton":
            raise Enough
        return function

    def _form(self, name: str, form: str | bytes, ms: float) -> None:
        """Take the form that a stage of Triton's compiler has made."""
        if isinstance(form, bytes):
            self.cubin = form
        elif name in TITLES:
            if name == "ptx":
                self.ptx = form
            self.raw = form
            figures = counts.of_text(name, form)
            self._stage(name, clean(name, form, self.own_file), ms, figures)
            if name == "ttgir" and self.dump:
                self._passes(form, self.dump)

    def _passes(self, form: str, dump: PassDump) -> None:
        """Emit what each pass of the last stage has changed. No link leads there."""
        text, number, changing = pass_changes.format_changes(dump.text, form, self.own_file)
        title, language = TITLES["passes"]
        note = f"{number} passes have run, {changing} of them changed something."
        figures = (("passes", number), ("changing", changing))
        self.emit(
            Stage(
                "passes", title, language, text, (note, _POSITIONS), 0.0, self.kernel.name, figures
            )
        )
        if self.last == "passes":
            raise Enough

    def _place_refusal(self, said: str) -> str:
        """Return where the instruction stands that an assembler refused; "" where it names none."""
        instruction = find_refused_instruction(said, self.raw)
        lines = [line.strip() for line in self.text.splitlines()]
        if not instruction or instruction not in lines:
            return ""
        number = lines.index(instruction)
        place = self.places[number]
        origin = f", made of line {place.line} of the file" if place else ""
        return f" It is line {number + 1} of the stage {self.done}{origin}."

    def _emit_failure(self, sentence: str, status: int) -> int:
        """Emit a failure for the stage after the last one that was made."""
        stages = (*stages_of(self.target), "hsaco")
        missing = stages[stages.index(self.done) + 1] if self.done else "triton"
        self.emit(Failure(f"{missing}:{self.kernel.name}", sentence))
        return status

    def _stage(
        self,
        name: str,
        text: Positioned,
        ms: float,
        figures: counts.Counts,
        controls: tuple[Control, ...] = (),
    ) -> None:
        title, language = TITLES[name]
        notes = (*_notes(name, text.text, dict(figures), self.target), _POSITIONS)
        if name == "ttir":
            notes = (*_narrow_notes(text, self.kernel), *notes)
        kernel = self.kernel.name
        stage = Stage(
            name, title, language, text.text, notes, ms, kernel, figures, controls=controls
        )
        self.emit(stage)
        above = f"{self.done}:{kernel}"
        for link in line_links.link_kernel(kernel, above, self.places, stage.key, text.places):
            self.emit(link)
        self.done, self.places, self.text = name, text.places, text.text
        if name == self.last and name != "amdgcn":  # which is assembled: that may fail
            raise Enough

    def _warn_of_limits(self) -> None:
        shared, limit = int(self.metadata.get("shared") or 0), self.target.shared_per_block_optin
        warps = int(self.metadata.get("num_warps") or 0)
        threads, most = warps * self.target.warp_size, self.target.threads_per_block
        reasons = []
        if shared > limit:
            reasons.append(
                f"it needs {shared} bytes of shared memory a block, and {self.target.name} has {limit}"
            )
        if threads > most:
            reasons.append(
                f"num_warps={warps} is {threads} threads a block, and {self.target.name} has {most}"
            )
        if reasons:
            why = "; ".join(reasons)
            name = self.kernel.name
            sentence = f"{name} compiles but cannot be launched: {why}"
            if self.kernel.configurations > 1:
                sentence = (
                    f"{name} compiles but cannot be launched with the first of its configurations: "
                    f"{why}. The autotuner leaves such a one out"
                )
            self.emit(Failure(f"launch:{name}", sentence))


def _narrow_notes(text: Positioned, kernel: KernelSource) -> Iterator[str]:
    """Say which offsets wrap, because their tensor has more elements than 32 bits count."""
    parameters = (name for pair in kernel.signature for name in _list_values(*pair))
    elements = dict(kernel.elements)
    lines: dict[str, list[str]] = {}
    for offset in find_narrow_offsets(text.text, parameters, elements):
        place = text.places[offset.row]
        line = f"line {place.line}" if place else f"line {offset.row + 1} of this text"
        lines.setdefault(offset.parameter, []).append(line)
    for name, where in lines.items():
        yield (
            f"{name} has {elements[name]} elements, and its offset of {_join(where)} is computed in 32 "
            f"bits: beyond element {MOST_ELEMENTS} it wraps, to another element's address. Convert the "
            "program's number or the index before it is multiplied: .to(tl.int64)."
        )


def _list_values(name: str, kind: Any) -> Iterator[str]:
    """The names of what a parameter is in TTIR: nothing for a constant, of a tuple each member."""
    if isinstance(kind, tuple):
        for place, member in enumerate(kind):
            yield from _list_values(f"{name}[{place}]", member)
    elif kind != "constexpr":
        yield name


def _join(parts: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(parts))


def _notes(name: str, text: str, figures: dict[str, Number], target: Target) -> list[str]:
    """Return notes on what to look at first in a stage."""
    if name == "ttir":
        said = (
            format_count(figures[what], what[:-1])
            for what in ("loads", "stores", "atomics", "dots", "reductions")
            if what != "atomics" or figures[what]
        )
        return [f"Blocks without layouts: {', '.join(said)}."]
    if name == "ttgir":
        changes = f"{format_count(figures['layout_conversions'], 'conversion')} between layouts."
        return [*layout_notes(text), changes]
    if name == "ptx":
        return [_memory(figures), _tensor_cores(figures, "mma.sync, wgmma or tcgen05.mma")]
    if name == "sass":
        return [
            f"Code for {target.arch}: {figures.get('registers', '?')} registers a thread, "
            f"{_local_memory(figures)}, {figures['shared_bytes']} bytes of shared memory, "
            f"{format_count(figures['num_warps'], 'warp')}.",
            _memory(figures),
            _tensor_cores(figures, "HMMA and its kin"),
        ]
    if name == "amdgcn":
        return [
            f"{figures['vgprs']} vector and {figures['sgprs']} scalar registers, "
            f"{figures['spills']} spilled{_stack(figures)}.",
            _memory(figures),
            _tensor_cores(figures, "MFMA"),
        ]
    return []


def _local_memory(figures: dict[str, Number]) -> str:
    """Return the spilled words, and the stack frame where there is one."""
    spilled = format_count(figures.get("spills", 0), "spilled word")
    if figures.get("spills"):
        stored, loaded = figures["spill_store_bytes"], figures["spill_load_bytes"]
        spilled += f" (the code stores {stored} bytes for them and loads {loaded})"
    return spilled + _stack(figures)


def _stack(figures: dict[str, Number]) -> str:
    size = figures.get("stack_bytes")
    return f", {format_count(size, 'byte')} of stack" if size else ""


def _memory(figures: dict[str, Number]) -> str:
    parts = []
    for verb in ("load", "store"):
        if times := figures[f"global_{verb}s"]:
            bits = figures[f"{verb}_bits"]
            parts.append(f"{format_count(times, f'global {verb}')} of at most {bits} bits a thread")
    if atomics := figures["atomics"]:
        parts.append(f"{format_count(atomics, 'atomic operation')} on global memory")
    if copies := figures.get("async_copies"):
        parts.append(f"{copies} asynchronous to shared memory")
    if copies := figures.get("async_stores"):
        parts.append(f"{copies} asynchronous from shared memory to global")
    return f"{', '.join(parts)}." if parts else "No access to global memory."


def _tensor_cores(figures: dict[str, Number], what: str) -> str:
    if not figures["tensor_core"]:
        return "No tensor-core instruction."
    return f"{format_count(figures['tensor_core'], 'tensor-core instruction')} ({what})."


def format_count(number: Number, what: str) -> str:
    """Put a number before a word, which gets an s unless the number is 1."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
