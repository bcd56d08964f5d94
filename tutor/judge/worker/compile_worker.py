"""The worker's side of compiling for a GPU that this machine may lack: it loads the learner's file
again without the interpreter and compiles each launch that the interpreter saw."""

import contextlib
import gc
import re
import types
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from tutor.base.config import load_config
from tutor.base.errors import CannotHere, UsageError
from tutor.hardware import presence
from tutor.hardware.gpus import Target, target
from tutor.judge.processes import launch_record, learner_module, process_control
from tutor.judge.processes.limits import log_errors
from tutor.judge.processes.wire import Channel, Closed, escape_surrogates
from tutor.judge.processes.worker_messages.answers import (
    CannotCompile,
    KernelNeeds,
    ModuleLoaded,
    ModuleRejected,
    OtherSum,
    Product,
    Raised,
)
from tutor.judge.processes.worker_messages.questions import (
    TO_COMPILER,
    CompileLaunch,
    CompileQuestion,
    FinishCompiling,
    Load,
    NoteLaunches,
)
from tutor.judge.processes.worker_messages.records import WorkerMessage
from tutor.judge.worker import precompile_worker
from tutor.xray.model import accumulators, counts
from tutor.xray.model.counts.triton import dot_factors, matrix_instructions
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.triton_kernels import (
    compiler,
    file_loader,
    ptxas_log,
    source_positions,
    specialization,
)

_COARSE = re.compile(r"\btt\.dot\b.*\binputPrecision = tf32\b")
_KERNEL_FILE = re.compile(r'^#loc = loc\("([^"\\]+)":', re.MULTILINE)  # of a kernel's first line
_MOST_SUMS, _MOST_PRODUCTS = 8, 32  # of a kernel, in an answer
_FIGURES = ("registers", "spills", "stack_bytes")


class _TooMuch(Exception):
    """The launch exceeds a limit, which is known before the kernel is fully compiled."""


def warm_compiler() -> None:
    """Compile once, so that forked workers find the compiler loaded and Triton's files hashed.

    Triton loads the half of it that makes TTIR when it is first needed, which is not here where the
    kernel is in Triton's cache.
    """
    import triton.compiler.code_generator  # noqa: F401

    from tutor.judge.worker import xray_worker

    with log_errors("warming up the compiler"):
        _needs(xray_worker.rehearsal(), target("H100"))


def serve(channel: Channel) -> None:
    """Answer messages until the server closes the channel."""
    worker = _Worker()
    with contextlib.suppress(Closed):
        while True:
            question, _ = channel.receive(TO_COMPILER)
            if (answer := worker.answer(question)) is not None:
                channel.send(answer)


class _Worker:
    def __init__(self) -> None:
        self._filename = ""
        self._module: types.ModuleType | None = None
        self._launches: precompile_worker.Launches | None = None

    def answer(self, question: CompileQuestion) -> WorkerMessage | None:
        match question:
            case Load():
                return self._load(question)
            case CompileLaunch():
                return _compile(question, self._filename)
            case NoteLaunches():
                if self._launches is None:
                    self._launches = precompile_worker.Launches(self._module, question)
                self._launches.call(question)
                return None
            case FinishCompiling():
                assert self._launches is not None
                return self._launches.finish()

    def _load(self, question: Load) -> ModuleLoaded | ModuleRejected:
        if not presence.has_nvidia_driver():  # its mappings exceed any limit
            process_control.limit_memory(question.memory_bytes)
        compiler.never_interpret()
        self._filename = question.filename
        try:
            with ExitStack() as stack:
                if not (presence.has_nvidia() or presence.has_amd()):
                    chip = target(question.target or load_config().config.target)
                    stack.enter_context(file_loader.loading_on(chip, question.source))
                self._module = learner_module.load_module(question.source, self._filename)
        except learner_module.Unloadable as error:
            return ModuleRejected(error.code, error.report)
        return ModuleLoaded()


def _compile(question: CompileLaunch, filename: str) -> KernelNeeds | Raised | CannotCompile:
    launch, chip = question.launch, target(question.target)
    try:
        kernel = _function(launch.kernel, launch.defined, launch.file)
        given = launch_record.restore_arguments(launch, lambda name: _function(name, None, ""))
        source = specialization.specialize_kernel(kernel, given)
    except (UsageError, ValueError) as error:
        return CannotCompile(escape_surrogates(str(error))[:400])
    try:
        return KernelNeeds(**_needs(source, chip, filename, sums=question.sums))
    except CannotHere as error:
        return CannotCompile(escape_surrogates(str(error))[:400])
    except BaseException as error:
        return Raised(learner_module.describe_error(error, filename))


def _function(name: str, defined: int | None, filename: str) -> Any:
    """Return the kernel of that name that is defined last at or before the line `defined` of a file
    ("": of any)."""
    from triton.runtime.jit import JITFunction

    functions = [
        # `type`, not `isinstance`: the latter asks weak proxies, which may be dead, for their class
        function
        for function in gc.get_objects()
        if type(function) is JITFunction
        and function.fn.__name__ == name
        and filename in ("", function.fn.__code__.co_filename)
        and (defined is None or function.fn.__code__.co_firstlineno <= defined)
    ]
    if not functions:
        raise ValueError(f"`{name}` is not made when the file is loaded")
    return max(functions, key=lambda function: function.fn.__code__.co_firstlineno)


def _needs(
    kernel: KernelSource, chip: Target, filename: str = "", *, sums: bool = False
) -> dict[str, Any]:
    """Return the kernel's needs of the target, its products of tiles, and, if asked for, its sums in
    other dtypes than float32. `filename`: its file's.

    Raises Triton's own errors, and `CannotHere`.
    """
    needs: dict[str, Any] = {}

    def watch(metadata: Mapping[str, Any]) -> None:
        names = {"shared": "shared_bytes", "num_warps": "warps", "tmem_size": "tensor_memory"}
        for name, ours in names.items():
            if metadata.get(name):
                needs[ours] = int(metadata[name])
        # The assembler may take long for a kernel that cannot be launched.
        if needs.get("shared_bytes", 0) > chip.shared_per_block_optin:
            raise _TooMuch

    options = dict(kernel.options)
    if options.get("num_warps", 0) * chip.warp_size > chip.threads_per_block:
        return {"warps": int(options["num_warps"])}
    try:
        metadata, forms = compiler.compile_or_load(kernel, chip, watch)
        watch(metadata)
    except _TooMuch:
        return needs
    needs.setdefault("shared_bytes", 0)
    if chip.vendor == "nvidia":
        usage = ptxas_log.read_usage(metadata, forms.get("ptx"))
        needs |= {name: int(usage[name]) for name in _FIGURES if name in usage}
    else:
        text = dict(counts.of_text("amdgcn", str(forms["amdgcn"])))
        figures = {**text, "registers": text["vgprs"]}
        needs |= {name: int(figures[name]) for name in _FIGURES}
    code = forms.get("ptx") or forms.get("amdgcn") or ""
    needs["dots"] = int(dict(counts.of_text("ttir", str(forms["ttir"])))["dots"])
    needs["coarse_dots"] = len(_COARSE.findall(str(forms["ttir"])))
    ttir = _clean(str(forms["ttir"]), filename)
    needs["products"] = _products(ttir)
    if sums:
        needs["sums"] = _other_sums(ttir)
    return needs | {"matrix": matrix_instructions(str(code))}


def _clean(ttir: str, filename: str) -> source_positions.Positioned:
    """Return the text without positions, and these."""
    # A kernel from Triton's cache has the name that its file had when it was compiled.
    named = _KERNEL_FILE.search(ttir)
    return source_positions.clean("ttir", ttir, named[1] if named else filename)


def _products(cleaned: source_positions.Positioned) -> tuple[Product, ...]:
    """Return the products of tiles, the first of each kind and line."""
    found = []
    for row, factors in dot_factors(cleaned.text):
        place = cleaned.places[row]
        found.append(Product(factors, place.line if place else None))
    return tuple(dict.fromkeys(found))[:_MOST_PRODUCTS]


def _other_sums(cleaned: source_positions.Positioned) -> tuple[OtherSum, ...]:
    """Return the sums in another dtype than float32, the first of each kind and line."""
    found = []
    for other in accumulators.find_other_sums(cleaned.text):
        place = cleaned.places[other.row]
        found.append(OtherSum(other.dtype, other.what, place.line if place else None))
    return tuple(dict.fromkeys(found))[:_MOST_SUMS]
