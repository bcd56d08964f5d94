"""Inductor for the CPU: the exported program through torch.compile's own passes to C++.

For a GPU, and alone, Inductor has its own way down (tutor/xray/torch_compile), from bytecode to
machine code. Beside other compilers it starts from what they start from, for the same machine.
"""

from __future__ import annotations

import re
import time
import types
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import torch
from torch.fx import GraphModule
from torch.utils._pytree import tree_flatten

from tutor.base.errors import CannotHere
from tutor.base.list_text import join_counted
from tutor.xray.compilers.capture import Captured
from tutor.xray.compilers.results import compare_results
from tutor.xray.dynamo.fx_text import FxText, format_graph, list_operations
from tutor.xray.fake_gpu.fake_gpu import private, replace_private
from tutor.xray.model.compiler import INDUCTOR_CPU, RESULT
from tutor.xray.model.counts.wrapper import count_buffers
from tutor.xray.model.error_sentence import sentence_of
from tutor.xray.model.stages import Event, Failure, Link, Stage
from tutor.xray.torch_compile.fusion import CPU_CALLS, group_notes, pair_notes
from tutor.xray.torch_compile.inductor import (
    ALLOCATION,
    GraphStages,
    Seen,
    Written,
    list_calls,
    record_inductor,
)

Emit = Callable[[Event], None]

_COMPILE_FX = "torch._inductor.compile_fx.compile_fx"
_COMPILE_INNER = "torch._inductor.compile_fx.compile_fx_inner"
_COMPILER = "torch._inductor.cpp_builder.get_cpp_compiler"
_PROBE = "torch._inductor.cpu_vec_isa.VecISA.check_build"
_DEFINE = "torch._inductor.codegen.cpp.CppScheduling.define_kernel"
# This process compiles, and trusts what torch lists of the processor's instruction sets: to try each
# takes a second.
_SETTINGS = {"compile_threads": 1, "cpp.vec_isa_ok": True}
_NO_COMPILER = (
    "Inductor's kernels are written but not compiled: there is no C++ compiler here. Install one "
    "(Debian, Ubuntu: apt install g++), or set CXX"
)
_SIGNATURE = re.compile(r'extern "C".*\bvoid\b')
_LOOP = re.compile(r"\bfor\s*\(")


def lower(captured: Captured, target: str, emit: Emit, last: str | None) -> None:
    """Emit Inductor's stages from the graph of ATen operations to the C++ kernels and their results.

    Raises `CannotHere` where there is no C++ compiler to make the last stage.
    """
    wanted = INDUCTOR_CPU.wanted(last)
    stages = _Wanted(emit, wanted)
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(private("torch._inductor.config.patch")(_SETTINGS))
        compiles = _has_compiler()
        if not compiles:  # then code is written for every instruction set that the processor names
            stack.enter_context(replace_private(_PROBE, lambda *_: True))
        try:
            with replace_private("torch._inductor.config.force_disable_caches", True):
                _compile(
                    captured, lambda *given, **more: _lower_graph(captured, stages, *given, **more)
                )
        except Exception as error:
            stages.fail(sentence_of(error))
            return
        if RESULT.name not in wanted:
            return
        if not compiles:
            raise CannotHere(_NO_COMPILER)
        try:
            began = time.perf_counter()
            computed, _ = tree_flatten(_compile(captured)(*map(torch.clone, captured.inputs)))
            ms = (time.perf_counter() - began) * 1e3
            emit(compare_results(INDUCTOR_CPU.name, captured, computed, ms))
        except Exception as error:
            emit(Failure(f"{INDUCTOR_CPU.name}/{RESULT.name}", sentence_of(error)))


def _has_compiler() -> bool:
    try:
        private(_COMPILER)()
    except Exception:  # what it raises where there is none has no stable name
        return False
    return True


def _compile(captured: Captured, inner: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Have torch.compile's backend compile the program; `inner` takes the place of Inductor itself."""
    module = captured.program.module()
    more = {"inner_compile": inner} if inner else {}
    compiled: Callable[..., Any] = private(_COMPILE_FX)(module, list(captured.inputs), **more)
    return compiled


class _Wanted:
    """Emits what is wanted as this compiler's own: Inductor's stages have keys without its name."""

    def __init__(self, emit: Emit, wanted: frozenset[str]) -> None:
        self._emit, self._wanted = emit, wanted
        self._reached: set[str] = set()

    def __call__(self, event: Event) -> None:
        if isinstance(event, Stage):
            self._reached.add(event.name)
            if event.name in self._wanted:
                kind = INDUCTOR_CPU.stage(event.name)
                assert kind is not None
                title = event.title if kind.title == kind.name else kind.title
                self._emit(replace(event, title=title, compiler=INDUCTOR_CPU.name))
        elif isinstance(event, Link) and event.target.partition(":")[0] in self._wanted:
            self._emit(replace(event, source=_key(event.source), target=_key(event.target)))
        elif isinstance(event, Failure):
            self._emit(replace(event, stage=_key(event.stage)))

    def fail(self, sentence: str) -> None:
        """Emit that the first stage which has not come cannot be made."""
        missing = next((name for name in INDUCTOR_CPU.names if name not in self._reached), "")
        if missing in self._wanted:
            self._emit(Failure(_key(missing), sentence))


def _key(key: str) -> str:
    return key if key == "source" else f"{INDUCTOR_CPU.name}/{key}"


def _lower_graph(
    captured: Captured, emit: Emit, module: GraphModule, inputs: Any, **arguments: Any
) -> Any:
    """Emit the stages of a graph of ATen operations. Nothing is loaded and nothing runs."""
    above = _emit_forward(captured, emit, module)
    seen = Seen(frozenset())
    stages = _CppStages("", above, emit)
    began = time.perf_counter()

    def stop(lowering: Any) -> Any:
        """In place of GraphLowering.compile_to_module: write the code, but do not load it."""
        stages.emit_post_grad(lowering.module)
        stages.emit_lowered(lowering.operations, seen, (time.perf_counter() - began) * 1e3)
        writing = time.perf_counter()
        wrapper, _ = lowering.codegen()
        text = str(getattr(wrapper, "value", wrapper))
        took = (time.perf_counter() - writing) * 1e3
        stages.emit_fused(seen)
        stages.emit_wrapper(text, seen, max(took - seen.fused_ms, 0.0))
        for written in seen.kernels:
            stages.emit_cpp(written)
        return types.SimpleNamespace(call=lambda args: (), __file__="", key="", runner=None)

    with record_inductor(seen, "", stop, _DEFINE):
        return private(_COMPILE_INNER)(module, list(inputs), **arguments)


def _emit_forward(captured: Captured, emit: Emit, module: GraphModule) -> tuple[str, FxText]:
    """Emit the graph that Inductor is given, each line tied to its line of the source."""
    text = format_graph(module, strides=False)
    counts = (("operations", len(list_operations(module))),)
    emit(Stage("forward", "Forward graph", "fx", text.text, counts=counts))
    for node in module.graph.nodes:
        line = captured.line_of_node(node)
        if line and node.name in text.lines:
            emit(Link("source", line, "forward", text.lines[node.name]))
    return "forward", text


class _CppStages(GraphStages):
    """The stages of a graph whose kernels are C++."""

    def emit_fused(self, seen: Seen) -> None:
        """The IR before and after fusion. What is counted are kernels, of which one may hold several
        groups of the scheduler, each as a loop nest."""
        self.emit_unfused(seen)
        calls = [group for group in seen.groups if group.kind == "call"]
        counts = (
            ("kernels", len(seen.kernels)),
            ("fused", sum(len(group.nodes) > 1 for group in seen.groups)),
            ("units", len(seen.kernels) + len(calls)),
            ("library_calls", len(calls)),
        )
        notes = [f"{one.name}: {', '.join(one.operations)}" for one in seen.kernels]
        for one in seen.kernels:
            nests = [" + ".join(g.nodes) for g in seen.groups if set(g.nodes) <= set(one.nodes)]
            if len(nests) > 1:
                notes.append(f"{one.name} holds {len(nests)} loop nests: {', '.join(nests)}.")
        pairs = (
            ()
            if len(seen.kernels) < 2 and not calls
            else pair_notes(seen.groups, seen.why, CPU_CALLS)
        )
        self.emit_groups(seen, (*notes, *group_notes(calls), *pairs), counts)

    def emit_wrapper(self, text: str, seen: Seen, ms: float) -> None:
        body = text.partition("async_compile.wait(")[2] or text  # below the kernels' texts
        called = {one.name: re.compile(rf"^\s+{one.name}\(") for one in seen.kernels}
        lines = text.splitlines()
        calls = list_calls(body)
        places = [
            (number, one)
            for number, line in enumerate(lines, 1)
            for one in seen.kernels
            if called[one.name].match(line)
        ]
        kernels = f"{len(seen.kernels)} C++ kernel{'s' * (len(seen.kernels) != 1)}"
        notes = [f"{kernels}, whose text stands above call()." if places else "No kernel of C++."]
        if calls:
            notes.append(f"Calls into libraries and ATen: {join_counted(calls)}.")
        before = (self.key, dict(self.places))
        self.emit_stage(
            "wrapper",
            "The wrapper that calls the kernels",
            text,
            tuple(notes),
            ms,
            (
                ("kernels", len(seen.kernels)),
                ("launches", len(places)),
                ("extern_calls", len(calls)),
                ("allocations", len(ALLOCATION.findall(body))),
                *count_buffers(body).items(),
            ),
        )
        for number, one in places:
            self.tie(before, one.nodes, number)

    def emit_cpp(self, written: Written) -> None:
        """The stage `cpp` of one kernel, tied to the groups that it computes."""
        counts = (("loops", len(_LOOP.findall(written.source))),)
        notes = (f"It computes {', '.join(written.operations)}.",) if written.operations else ()
        self.emit(
            Stage("cpp", "C++ kernel", "cpp", written.source, notes, 0.0, written.label, counts)
        )
        lines = written.source.splitlines()
        header = next((n for n, line in enumerate(lines, 1) if _SIGNATURE.search(line)), 1)
        # Of one node the whole body came; of several it is not known which line came from which.
        body = range(header, len(lines) + 1) if len(written.nodes) == 1 else (header,)
        for line in sorted({self.post[node] for node in written.nodes if node in self.post}):
            for number in body:
                self.emit(
                    Link("ir_post_fusion", line, f"cpp:{written.label}", number, written.label)
                )
