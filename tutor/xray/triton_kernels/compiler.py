"""Triton's own compiler, for any target, without a GPU. It takes one kernel and yields its forms.

Parts of Triton that it uses besides `triton.compile`: the hook that is called with a backend's stages
(`knobs.runtime.add_stages_inspection_hook`), `compiler.ASTSource`, `backends.compiler.GPUTarget`,
`runtime.jit.JITFunction` and its `is_gluon`, `experimental.gluon._runtime.GluonASTSource`, and the paths
of the tools in the wheel. Read in 3.6 and 3.7.
"""

from __future__ import annotations

import contextlib
import functools
import linecache
import os
import re
import subprocess
import tempfile
import time
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tutor.base.errors import CannotHere
from tutor.hardware.gpus import Target
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.triton_kernels import ptxas_log, triton_passes
from tutor.xray.triton_kernels.pass_changes import PassDump
from tutor.xray.triton_kernels.refusals import with_reasons

# (stage, its form: text, or the binary of "cubin" and "hsaco", milliseconds)
OnForm = Callable[[str, "str | bytes", float], None]
# (stage, a pass that works for it): whether it runs
NotePass = Callable[[str, str], bool]
# (stage, its form as Triton has it, Triton's metadata, milliseconds)
_After = Callable[[str, Any, Mapping[str, Any], float], None]
_PIPELINE = "tutor xray with ptxas's figures"
_TOOL_SECONDS = 60.0
# nvdisasm builds tables of the whole instruction set, some 50 MB, before it reads a line: in huge
# pages that takes a fifth less time (mallopt in glibc's manual, "Tunables"; others ignore it).
_HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216"}


def compile_kernel(
    kernel: KernelSource,
    target: Target,
    on_form: OnForm,
    dump: PassDump | None = None,
    note: NotePass | None = None,
) -> dict[str, Any]:
    """Lower `kernel`; `on_form` is called as each stage ends. Returns Triton's metadata.

    `dump` gets what MLIR prints of the passes of TTGIR. `note` is asked of each pass, which is left out
    where it returns False.

    Raises every error that Triton raises, after the forms before it.
    """

    def as_text(name: str, form: Any, _: Mapping[str, Any], ms: float) -> None:
        on_form(name, form if isinstance(form, bytes) else str(form), ms)

    with _watch_stages(as_text, dump=dump, note=note):
        return dict(_compile(kernel, target).metadata._asdict())


def compile_or_load(
    kernel: KernelSource, target: Target, watch: Callable[[Mapping[str, Any]], None]
) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return Triton's metadata of the compiled kernel, and its text by stage, from the cache if there.

    `watch` is called with the metadata after each stage, and may raise to end it."""
    with _watch_stages(lambda _, __, metadata, ___: watch(metadata), fresh=False):
        done = _compile(kernel, target)
    return dict(done.metadata._asdict()), done.asm


def _compile(kernel: KernelSource, target: Target) -> Any:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    function = kernel.function or define_function(kernel)
    form = ASTSource
    if is_gluon(function):
        from triton.experimental.gluon._runtime import GluonASTSource

        form = GluonASTSource
    source = form(
        function,
        dict(kernel.signature),
        find_constants(kernel),
        make_attributes(kernel, target),
    )
    chip = GPUTarget(target.backend, target.triton_arch, target.warp_size)
    with with_reasons(function):
        return triton.compile(source, target=chip, options=dict(kernel.options))


@contextmanager
def asking_of_passes(note: NotePass) -> Iterator[None]:
    """Inside, every kernel is compiled anew, and `note` is asked of each pass, which is left out where
    it returns False."""
    with _watch_stages(lambda *_: None, note=note):
        yield


def find_constants(kernel: KernelSource) -> dict[str | tuple[int, ...], Any]:
    """Return the values of the kernel's constants as `ASTSource` takes it: a parameter's by name, by
    its place that of a member of a tuple."""
    return {
        _place_of(name, kernel) if "[" in name else name: value for name, value in kernel.constexprs
    }


def make_attributes(kernel: KernelSource, target: Target) -> dict[tuple[int, ...], list[list[Any]]]:
    """Return what Triton may assume of arguments, by their places, as `ASTSource` takes it."""
    by_place: dict[tuple[int, ...], list[list[Any]]] = {}
    for name in kernel.divisible:
        by_place.setdefault(_place_of(name, kernel), []).append(["tt.divisibility", 16])
    for name in kernel.small if target.vendor == "amd" else ():
        by_place.setdefault(_place_of(name, kernel), []).append(["tt.pointer_range", 32])
    return by_place


def _place_of(name: str, kernel: KernelSource) -> tuple[int, ...]:
    """Return the place of a parameter, and for a member of a tuple (`pair[0]`) that in the tuple."""
    parameter, *members = re.findall(r"[^\[\]]+", name)
    names = [known for known, _ in kernel.signature]
    return (names.index(parameter), *map(int, members))


def define_function(kernel: KernelSource) -> Any:
    """Return the `JITFunction` that the kernel's text defines."""
    filename = f"{kernel.name}.py"
    linecache.cache[filename] = (
        len(kernel.text),
        None,
        kernel.text.splitlines(keepends=True),
        filename,
    )
    module = types.ModuleType(kernel.name)
    exec(compile(kernel.text, filename, "exec"), module.__dict__)
    return unwrap(module.__dict__[kernel.entry or kernel.name])[0]


def never_interpret() -> None:
    """Have `@triton.jit` make kernels that can be compiled, whatever the learner's file sets."""
    with contextlib.suppress(ImportError):
        from triton import knobs

        knobs.runtime.interpret = False


def unwrap(value: Any) -> tuple[Any, tuple[Any, ...]]:
    """The `JITFunction` inside autotuners and heuristics, and these, outermost first.

    A kernel that was decorated for the interpreter (TRITON_INTERPRET=1) becomes a compilable one.
    Raises `TypeError` if there is none.
    """
    from triton.runtime.jit import JITFunction

    around: list[Any] = []
    while not isinstance(value, JITFunction):
        if type(value).__name__ == "InterpretedFunction":
            value = JITFunction(value.fn)
        elif hasattr(value, "fn") and len(around) < 16:
            around.append(value)
            value = value.fn
        else:
            raise TypeError("not a @triton.jit kernel")
    return value, tuple(around)


def is_gluon(function: Any) -> bool:
    """Return True for a `JITFunction` that `@gluon.jit` made: it is written in layouts, below TTIR."""
    return bool(getattr(function, "is_gluon", bool)())


def is_kernel(value: Any) -> bool:
    """Return True for the result of `@triton.jit` or `@gluon.jit`, alone or below Triton's other
    decorators."""
    makers = ("triton.runtime", "triton.experimental.gluon", "torch._inductor.runtime")
    if not type(value).__module__.startswith(makers):
        return False
    try:
        unwrap(value)
    except TypeError:
        return False
    return True


def find_caller(function: Any) -> str:
    """Return a kernel of a `JITFunction`'s file, or another jitted function, that calls it; or ""."""
    if function is None:
        return ""
    names = function.fn.__globals__
    for caller in [unwrap(value)[0] for value in tuple(names.values()) if is_kernel(value)]:
        called = [names.get(name) for name in caller.fn.__code__.co_names]
        if caller is not function and any(
            is_kernel(value) and unwrap(value)[0] is function for value in called
        ):
            return str(caller.fn.__name__)
    return ""


@contextmanager
def _watch_stages(
    after: _After,
    fresh: bool = True,
    dump: PassDump | None = None,
    note: NotePass | None = None,
) -> Iterator[None]:
    """Call `after` as each stage ends. `fresh`: ignore Triton's cache, because a kernel kept there
    may name another file's lines."""
    from triton import knobs

    def watch(*arguments: Any) -> tuple[str, str] | None:
        if not arguments:  # Triton wants the name of this pipeline in its cache
            return _PIPELINE, _PIPELINE
        stages = arguments[1]
        for name, lower in list(stages.items()):
            dumped = dump if name == "ttgir" else None
            stages[name] = _time_stage(name, lower, after, dumped, note)
        return None

    before = knobs.runtime.add_stages_inspection_hook, knobs.compilation.always_compile
    knobs.runtime.add_stages_inspection_hook = watch
    knobs.compilation.always_compile = fresh
    try:
        yield
    finally:
        knobs.runtime.add_stages_inspection_hook, knobs.compilation.always_compile = before


def _time_stage(
    name: str,
    lower: Callable[[Any, Any], Any],
    after: _After,
    dump: PassDump | None,
    note: NotePass | None,
) -> Callable[..., Any]:
    def run(module: Any, metadata: Any) -> Any:
        started = time.perf_counter()
        with contextlib.ExitStack() as stack:
            if dump:
                stack.enter_context(dump.on())
            if note:
                stack.enter_context(triton_passes.watch_passes(functools.partial(note, name)))
            if name == "cubin":
                stack.enter_context(ptxas_log.kept_in(metadata))
            result = lower(module, metadata)
        ms = (time.perf_counter() - started) * 1e3
        after(name, result, metadata, ms)
        return result

    return run


# --- the tools of the wheel -----------------------------------------------------------------------


def tool(name: str) -> str:
    """The path of NVIDIA's "nvdisasm". Raises `CannotHere`."""
    from triton import knobs

    try:
        return str(getattr(knobs.nvidia, name).path)
    except Exception:  # RuntimeError where no folder has it
        raise CannotHere(
            f"{name} was not found: Triton's wheel for Linux ships it, and TRITON_"
            f"{name.upper()}_PATH may name CUDA's own"
        ) from None


class Disassembly:
    """Run nvdisasm on a binary, in a separate process."""

    def __init__(self, cubin: bytes) -> None:
        """Raises `CannotHere` where it is missing."""
        self._file = tempfile.NamedTemporaryFile(suffix=".cubin")  # noqa: SIM115 (closed in result)
        self._file.write(cubin)
        self._file.flush()
        # The analysis of indirect branches (-ndf turns it off) takes a third of the time, and no
        # Triton kernel has one.
        self._code = _Tool("nvdisasm", ("-g", "-c", "-ndf", "-hex"), self._file.name)

    def result(self) -> str:
        """The SASS with its source lines and encoding. Waits. Raises `CannotHere` if the tool fails."""
        with self._file:
            return self._code.output()


class _Tool:
    def __init__(self, name: str, options: tuple[str, ...], path: str) -> None:
        self._name = name
        self._out = tempfile.TemporaryFile()  # noqa: SIM115 (a pipe would make the tool wait)
        try:
            self._process = subprocess.Popen(
                [tool(name), *options, path],
                stdin=subprocess.DEVNULL,
                stdout=self._out,
                stderr=subprocess.PIPE,
                env={**os.environ, **_HUGE_PAGES},
            )
        except OSError as error:
            raise CannotHere(f"{name} could not be run: {error}") from None

    def output(self) -> str:
        with self._out:
            try:
                _, complaints = self._process.communicate(timeout=_TOOL_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.communicate()
                raise CannotHere(f"{self._name} took more than {_TOOL_SECONDS:g} s") from None
            if self._process.returncode:
                said = complaints.decode("utf-8", "replace").strip().splitlines()
                raise CannotHere(f"{self._name} failed: {said[-1][:300] if said else 'no reason'}")
            self._out.seek(0)
            return self._out.read().decode("utf-8", "replace")
