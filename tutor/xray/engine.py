"""An X-ray from beginning to end: load the file, find the name, emit each stage.

Runs in a process that may be lost: the learner's code is executed here. The judge passes in
the functions that load a learner's text and describe its errors.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from tutor.base.errors import CannotHere, MissingInputs, UsageError
from tutor.hardware import presence
from tutor.hardware.gpus import Target
from tutor.hardware.gpus import target as target_named
from tutor.xray import fresh_state, reproduction
from tutor.xray.dtype_arguments import with_dtypes
from tutor.xray.model import log_channels
from tutor.xray.model.compiler import (
    INDUCTOR,
    Compiler,
    find_compiler_of_module,
    find_compilers,
)
from tutor.xray.model.input_specs import Arguments, DescriptorSpec
from tutor.xray.model.kernel_source import KernelSource
from tutor.xray.model.stages import (
    MAX_TEXT,
    Event,
    Failure,
    Link,
    Request,
    Stage,
    XrayDone,
)
from tutor.xray.triton_kernels import compiler as triton_compiler
from tutor.xray.triton_kernels import (
    file_loader,
    lowering,
    omissions,
    recorded_launches,
)
from tutor.xray.triton_kernels.recorded_launches import Launched

MAX_LINKS = 400_000
_MOST_NAMES = 8
_FILLS = "PyTorch also runs {} in this call; its kernels for that are not shown here."
_DROPPED = (
    "torch.compile leaves out {} of this kernel, as nothing that it writes is used: what else it does, "
    "such as printing, is not done. Called without torch.compile, the function launches it."
)
_NO_BACKWARD = (
    "No result has a backward pass. What a kernel computes is unknown to autograd; a "
    "torch.autograd.Function, or an operator with register_autograd, says it."
)

_BELOW = (
    " Kernels do not run while a file is loaded without a GPU, so what it computes means nothing, and "
    "`{name}` is defined below that line: move it above, or into a file of its own."
)

Emit = Callable[[Event], None]
Load = Callable[[str, str], ModuleType]  # (text, filename); raises where the text cannot be run
Explain = Callable[[BaseException], str]  # one sentence for an error of the learner's


def run_request(request: Request, emit: Emit, *, load: Load, explain: Explain) -> XrayDone:
    """Emit every stage, link and failure of the request.

    Raises `UsageError` if the request is wrong: an unknown target, stage, file or name, or inputs
    that do not fit the function. Some stages may have been emitted by then.
    """
    chip = target_named(request.target)
    (compiler,) = find_compilers(request.compilers)
    if compiler is INDUCTOR:
        _check_stage(request.stage, chip)
    else:
        _check_other(compiler, request)
    calls = [with_dtypes(Arguments.of(inputs)) for inputs in (request.inputs, *request.again)]
    channels = _channels(request)
    emit = _limit_size(emit)
    explain = _naming_packages(explain)
    with fresh_state.set_for_request(request.path):
        if compiler is not INDUCTOR:
            return _run_other(compiler, request, calls[0], emit, load, explain)
        return _run(request, chip, calls, channels, emit, load, explain)


def _naming_packages(explain: Explain) -> Explain:
    """Return `explain` with the line that installs a compiler's package, where one is missing."""

    def explain_with_package(error: BaseException) -> str:
        sentence = explain(error)
        name = error.name if isinstance(error, ModuleNotFoundError) else None
        missing = find_compiler_of_module(name) if name else None
        return f"{sentence} {missing.say_missing()}" if missing else sentence

    return explain_with_package


def _run(
    request: Request,
    chip: Target,
    calls: list[Arguments],
    channels: tuple[str, ...],
    emit: Emit,
    load: Load,
    explain: Explain,
) -> XrayDone:
    triton_compiler.never_interpret()
    module, note = _load_module(request, chip, load, explain)
    if module is None:
        emit(Failure("source", note))
        return XrayDone("pretend", 1)
    if note:
        emit = _with_note(emit, note)
    subject = _find_object(module, request)
    if triton_compiler.is_kernel(subject):
        return _kernel(subject, calls[0], request, chip, emit, explain)
    return _function(module, subject, calls, channels, request, chip, emit, explain)


def _run_other(
    compiler: Compiler,
    request: Request,
    arguments: Arguments,
    emit: Emit,
    load: Load,
    explain: Explain,
) -> XrayDone:
    """Lower the function by another compiler than Inductor. No GPU is pretended."""
    from tutor.xray.compilers import run  # imports torch

    try:
        with fresh_state.in_folder_of(request.path):
            module = load(_text_of(request), request.path)
    except (UsageError, CannotHere):
        raise
    except Exception as error:
        emit(Failure("source", explain(error)))
        return XrayDone("pretend", 1)
    subject = _find_object(module, request)
    if triton_compiler.is_kernel(subject):
        raise UsageError(
            f"{request.name} is a @triton.jit kernel, which {compiler.title} does not take"
        )
    subject = _callable(subject, request)
    _check_call(subject, arguments, request)
    return run.lower_with(
        compiler,
        subject,
        arguments,
        run.Goal(request.others_for, request.stage, request.path),
        emit,
        explain,
    )


def _check_other(compiler: Compiler, request: Request) -> None:
    """Raise `UsageError` for what only Inductor's ladder has, and for a stage that is none."""
    asked = {
        "--backward": request.backward,
        "--again": request.again,
        "--log": request.logs,
        "--passes": request.passes,
        "--repro": request.repro,
        "--without": request.without,
    }
    if wrong := [option for option, value in asked.items() if value]:
        raise UsageError(f"{wrong[0]} belongs to Inductor's ladder, not to {compiler.name}'s")
    names = [kind.name for kind in compiler.stages]
    if request.stage is not None and request.stage not in names:
        raise UsageError(
            f"{compiler.name} has no stage {request.stage[:40]!r}; take one of {', '.join(names)}"
        )


def _load_module(
    request: Request, chip: Target, load: Load, explain: Explain, asks: bool = False
) -> tuple[ModuleType | None, str]:
    """Return the file's module, or what it has up to an error that a pretended GPU may explain.

    The text is "", the sentence of the error, or a note on where loading ended. `asks`: a module that
    the file imports asks for a GPU, so the file is loaded again with a pretended one.
    """
    text = _text_of(request)
    here = presence.has_nvidia() or presence.has_amd()
    loading = file_loader.Loading(pretended=False)
    try:
        with ExitStack() as stack:
            if not here:
                loading = stack.enter_context(file_loader.loading_on(chip, text, asks))
            stack.enter_context(fresh_state.in_folder_of(request.path))
            return load(text, request.path), ""
    except (UsageError, CannotHere):
        raise
    except Exception as error:
        if not (here or loading.pretended) and file_loader.has_asked(error):
            return _load_module(request, chip, load, explain, asks=True)
        module = getattr(error, "module", None)
        name = request.name.split(".")[0]
        if not (loading.pretended and hasattr(module, name)):
            pretends = loading.pretended and not file_loader.is_of_machine(error)
            below = pretends and file_loader.defines(text, name)
            return None, f"{explain(error)}{_BELOW.format(name=name) if below else ''}"
        return module, f"Loaded as far as it goes without a GPU: {explain(error)}"


def _with_note(emit: Emit, note: str) -> Emit:
    """Add a note to the first stage."""
    waiting = [note]

    def emit_noted(event: Event) -> None:
        if isinstance(event, Stage) and waiting:
            event = replace(event, notes=(*event.notes, waiting.pop()))
        emit(event)

    return emit_noted


def _with_fills(emit: Emit, fills: tuple[str, ...]) -> Emit:
    """Add a note that names the fills and copies of a launcher, if it makes any."""
    return _with_note(emit, _FILLS.format(", ".join(fills))) if fills else emit


def _kernel(
    subject: Any, arguments: Arguments, request: Request, chip: Target, emit: Emit, explain: Explain
) -> XrayDone:
    if request.stage in INDUCTOR.function_stages:
        raise UsageError(
            f"{request.name} is a @triton.jit kernel: its first stage is triton, not {request.stage}"
        )
    if request.logs or request.again:
        raise UsageError(
            f"{request.name} is a @triton.jit kernel: torch.compile has no log and no guards of it"
        )
    kernel = recorded_launches.specialize_on(subject, arguments, chip)
    if request.repro:
        emit(reproduction.of_kernel(request, _text_of(request), kernel, chip))
    missing = _lower([kernel], request, chip, emit, explain)
    return XrayDone("real" if _is_here(chip) else "pretend", missing)


def _lower(
    kernels: list[KernelSource],
    request: Request,
    chip: Target,
    emit: Emit,
    explain: Explain,
    with_text: bool = True,
) -> int:
    """Emit the stages of the kernels, and what each is without passes, as the request wants them."""
    if not request.without:
        return lowering.lower_kernels(
            kernels,
            chip,
            emit,
            last=request.stage,
            with_text=with_text,
            passes=request.passes,
            explain=explain,
        )
    status = 0
    for kernel in kernels:
        if request.of_kernel in ("", kernel.name):
            missing = omissions.lower_without(
                kernel, chip, emit, request.without, with_text=with_text, explain=explain
            )
            status = missing or status
    return status


def _is_here(chip: Target) -> bool:
    """Return True if this machine has the GPU. Import torch only where it can have one."""
    if not (presence.has_nvidia() or presence.has_amd()):
        return False
    from tutor.xray.fake_gpu import fake_gpu

    return bool(fake_gpu.is_real(chip))


def _has_kernels(module: ModuleType) -> bool:
    return any(triton_compiler.is_kernel(value) for value in vars(module).values())


def _find_launches(
    subject: Any, arguments: Arguments, request: Request, chip: Target, emit: Emit, explain: Explain
) -> Launched | None:
    """Return what a call of the function launches; None, and a failure, where the call raises."""
    try:
        with fresh_state.in_folder_of(request.path):
            return recorded_launches.kernels_of(subject, arguments, chip, request.backward)
    except CannotHere:
        raise  # it asks what only a GPU knows
    except Exception as error:
        emit(Failure("triton", f"no launch could be seen: {explain(error)}"))
        return None


def _say_ended(launched: Launched, explain: Explain) -> str:
    """Return why a call may launch more than was seen, "" if nothing says so."""
    if launched.error is not None:
        error = explain(launched.error)
        return f"The call ended after these launches, whose results are not here: {error}"
    if launched.refused:
        return (
            f"The call caught an error, and may launch more where it has none: {launched.refused}."
        )
    return ""


def _emit_launches(subject: Any, launched: Launched, emit: Emit) -> None:
    """Tie each line that launches a kernel to the line at which that kernel begins."""
    from tutor.xray.dynamo.source_text import find_source

    source = find_source(subject)
    for kernel in launched.kernels:
        begins = re.compile(rf"def\s+{re.escape(kernel.entry or kernel.name)}\s*\(")
        lines = enumerate(kernel.text.split("\n"), 1)
        header = next((number for number, line in lines if begins.search(line)), 1)
        for path, line, name in launched.places:
            shown = source.line_of(path, line) if source and name == kernel.name else None
            if shown:
                emit(Link("source", shown, f"triton:{name}", header, name))


def _launcher(
    subject: Any,
    kernels: list[KernelSource],
    arguments: Arguments,
    request: Request,
    chip: Target,
    emit: Emit,
    explain: Explain,
    status: int = 0,
) -> XrayDone:
    """Emit the text of a function that does nothing but launch kernels, and their stages.

    Where passes are left out, the kernels come first: Dynamo opens the GPU's driver, which a process
    that is forked after that cannot use, and each launch is timed in one.
    """
    from tutor.xray.torch_compile import capture

    missing = _lower(kernels, request, chip, emit, explain) if request.without else 0
    capture.capture(
        subject,
        arguments,
        chip,
        False,
        emit,
        last_stage="bytecode",
    )
    if request.logs or request.again:
        sentence = (
            f"{request.name} launches its own kernels, so its way down does not go through "
            "torch.compile, which would say something"
        )
        emit(Failure("log", sentence))
    if not request.without:
        missing = _lower(kernels, request, chip, emit, explain)
    return XrayDone("pretend", status or missing)


def _function(
    module: ModuleType,
    subject: Any,
    calls: list[Arguments],
    channels: tuple[str, ...],
    request: Request,
    chip: Target,
    emit: Emit,
    explain: Explain,
) -> XrayDone:
    subject = _callable(subject, request)
    for arguments in calls:
        if any(
            isinstance(value, DescriptorSpec)
            for value in (*arguments.positional, *arguments.named.values())
        ):
            raise UsageError(
                f"{request.name} is no @triton.jit kernel, and only one is given a tensor descriptor: "
                "give it the tensor, without the @ and the block"
            )
        _check_call(subject, arguments, request)
    if request.repro:
        emit(reproduction.of_function(request, _text_of(request), calls[0]))
    own: list[KernelSource] = []
    if request.stage not in INDUCTOR.function_stages and _has_kernels(module):
        launched = _find_launches(subject, calls[0], request, chip, emit, explain)
        if launched is None:
            return _launcher(subject, [], calls[0], request, chip, emit, explain, status=1)
        own = launched.kernels
        if own and request.backward and not launched.has_backward:
            emit = _with_note(emit, _NO_BACKWARD)
        if ended := _say_ended(launched, explain):
            emit = _with_note(emit, ended)
        _emit_launches(subject, launched, emit)
        compiled = hasattr(subject, "_torchdynamo_orig_callable")
        if own and not launched.operations and not compiled:
            return _launcher(
                subject,
                own,
                calls[0],
                request,
                chip,
                _with_fills(emit, launched.fills),
                explain,
            )
    from tutor.xray.torch_compile import capture  # imports Dynamo and Inductor

    failed: list[Failure] = []
    said: list[Stage] = []  # the logs: they come last
    launching: list[Stage] = []  # wrappers that launch kernels which Inductor did not write
    with fresh_state.in_folder_of(request.path):  # nothing is compiled below Inductor's texts
        captured = capture.capture(
            subject,
            calls[0],
            chip,
            request.backward,
            _note_launching(_until(request, emit, failed, said), launching),
            last_stage=request.stage,
            channels=channels,
        )
    # Code written in C has no source and no bytecode; every other failure is a fault.
    status = int(any(failure.stage not in ("source", "bytecode") for failure in failed))
    if request.stage not in INDUCTOR.function_stages:
        missing = _lower(captured.kernels, request, chip, emit, explain, with_text=False)
        if (launching or captured.has_launched) and not own:  # kernels of another file
            surely = captured.has_launched or any(
                "own_kernels" in dict(s.counts) for s in launching
            )
            # An operator may launch none or ask for a GPU: the wrapper has said what is left out.
            with nullcontext() if surely else suppress(CannotHere):
                told = emit if surely else lambda _: None
                launched = _find_launches(subject, calls[0], request, chip, told, explain)
                own = launched.kernels if launched else []
                missing = missing if launched or not surely else 1
        missing = (
            _lower(_note_dropped(own, captured.dropped), request, chip, emit, explain) or missing
        )
        status = status or missing
    if request.again:
        with fresh_state.in_folder_of(request.path):
            status = _history(subject, calls, said) or status
    for stage in sorted(said, key=lambda stage: list(log_channels.CHANNELS).index(stage.kernel)):
        emit(stage)
    return XrayDone(captured.device, status)


def _note_dropped(kernels: list[KernelSource], dropped: Counter[Any]) -> list[KernelSource]:
    """Say of a kernel how many of its launches torch.compile leaves out, if it does."""

    def note(kernel: KernelSource) -> KernelSource:
        launches = dropped[kernel.function]
        said = _DROPPED.format(f"{launches} launches" if launches > 1 else "a launch")
        return replace(kernel, notes=(*kernel.notes, said)) if launches else kernel

    return [note(kernel) for kernel in kernels]


def _note_launching(emit: Emit, launching: list[Stage]) -> Emit:
    """Add each wrapper that launches kernels of the function's own, or calls operators that may."""

    def emit_and_note(event: Event) -> None:
        if (
            isinstance(event, Stage)
            and {"own_kernels", "own_operators"} & dict(event.counts).keys()
        ):
            launching.append(event)
        emit(event)

    return emit_and_note


def _channels(request: Request) -> tuple[str, ...]:
    """Return the channels of TORCH_LOGS to keep. A history of calls replaces `recompiles`."""
    wanted = log_channels.chosen(request.logs or ())
    if request.logs is None and request.stage is None:
        wanted = tuple(log_channels.CHANNELS)
    return tuple(name for name in wanted if name != "recompiles" or not request.again)


def _history(subject: Any, calls: list[Arguments], said: list[Stage]) -> int:
    """Emit what each call compiled as the stage `log:recompiles`; return 1 where a call raised."""
    from tutor.xray.dynamo import log_capture

    history = log_capture.recompile_history(subject, calls)
    log_capture.emit_history(history, said.append)
    return int(any(call.error for call in history))


def _until(request: Request, emit: Emit, failed: list[Failure], said: list[Stage]) -> Emit:
    """Leave out stages after the last one wanted, and links to them; keep failures and logs.

    If the request names no channel, one without messages is left out, and so is its failure.
    """
    names = INDUCTOR.names
    wanted = names[: names.index(request.stage) + 1] if request.stage else names
    asked = request.logs is not None

    def until(event: Event) -> None:
        name = event.name if isinstance(event, Stage) else ""
        if isinstance(event, Link):
            name = event.target
        elif isinstance(event, Stage) and name == "log":
            if asked or dict(event.counts).get("messages"):
                said.append(event)
            return
        elif isinstance(event, Failure):
            if event.stage == "log" and not asked:
                return
            failed.append(event)
        if not name or name.partition(":")[0] in (*wanted, "repro"):
            emit(event)

    return until


def _check_stage(stage: str | None, chip: Target) -> None:
    if stage is None:
        return
    if stage not in INDUCTOR.names:
        raise UsageError(
            f"there is no stage {stage[:40]!r}; take one of {', '.join(INDUCTOR.names)}"
        )
    here = lowering.stages_of(chip)
    if stage == "passes":
        return
    if stage in INDUCTOR.unit_stages and stage not in here:
        raise UsageError(f"{chip.arch} has no stage {stage}; its last one is {here[-1]}")


def _text_of(request: Request) -> str:
    if request.source is not None:
        return request.source
    try:
        return Path(request.path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{request.path} cannot be read: {error}") from None


def _find_object(module: ModuleType, request: Request) -> Any:
    """Return the object that the dotted name means in the module."""
    value: Any = module
    for part in request.name.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            own = [
                name
                for name, member in vars(module).items()
                if getattr(member, "__module__", None) == module.__name__
                or triton_compiler.is_kernel(member)
            ][:_MOST_NAMES]
            has = f"; it defines {', '.join(own)}" if own else ""
            file = Path(request.path).name
            raise UsageError(f"{file} defines no {request.name[:60]!r}{has}") from None
    return value


def _callable(subject: Any, request: Request) -> Any:
    """Return a function or a module's instance; a module's class is called without arguments."""
    torch = sys.modules.get("torch")
    if torch and isinstance(subject, type) and issubclass(subject, torch.nn.Module):
        try:
            return subject()
        except TypeError as error:
            if missing := sorted(getattr(subject, "__abstractmethods__", ())):
                raise UsageError(
                    f"{request.name} is an abstract class: name a class made of it that defines "
                    f"{', '.join(missing[:_MOST_NAMES])}"
                ) from None
            raise UsageError(
                f"{request.name} is a class whose instances need arguments ({error}); name an "
                "instance, such as one assigned at the end of the file"
            ) from None
    if torch and isinstance(subject, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        raise UsageError(
            f"{request.name} is a TorchScript program, which torch.compile does not look into; name "
            "the module or the function that it was made of"
        )
    if not callable(subject):
        raise UsageError(
            f"{request.name} is of type {type(subject).__name__}; an X-ray is of a function, "
            "a torch.nn.Module or a @triton.jit kernel"
        )
    return subject


def _check_call(subject: Any, arguments: Arguments, request: Request) -> None:
    torch = sys.modules.get("torch")
    called = subject.forward if torch and isinstance(subject, torch.nn.Module) else subject
    try:
        signature = inspect.signature(called)
    except (TypeError, ValueError):  # a builtin that does not tell: the call decides
        return
    try:
        signature.bind(*arguments.positional, **arguments.named)
    except TypeError as error:
        said = f"{request.name}{signature} cannot be called with the inputs given: {error}"
    else:
        return
    try:
        signature.bind_partial(*arguments.positional, **arguments.named)
    except TypeError:
        raise UsageError(said) from None
    raise MissingInputs(said)


def _limit_size(emit: Emit) -> Emit:
    """Cut texts and links that are too long to look at, and add a note."""
    links = 0

    def emit_limited(event: Event) -> None:
        nonlocal links
        if isinstance(event, Link):
            links += 1
            if links > MAX_LINKS:
                if links == MAX_LINKS + 1:
                    emit(Failure("", f"only the first {MAX_LINKS} links between lines are kept"))
                return
        elif isinstance(event, Stage) and len(event.text) > MAX_TEXT:
            cut = f"Cut: the text has {len(event.text)} characters, {MAX_TEXT} are shown."
            event = replace(event, text=event.text[:MAX_TEXT], notes=(cut, *event.notes))
        emit(event)

    return emit_limited
