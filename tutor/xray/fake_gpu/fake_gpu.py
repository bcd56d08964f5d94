"""A GPU that is not there: torch asks for a device's properties and gets a target's, as data.

Inductor writes Triton code for the device that its tensors are on, and asks only for the device's
properties. Answered from `hardware.gpus`, it writes the code on any machine. That, and most else an
X-ray needs, has no public interface: **every private name of torch that the X-ray uses stands in
this module's table**, is reached through `private`, and is tried, one test a name. Tried in torch
2.11 to 2.15 with triton 3.6 to 3.9.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FunctionType
from typing import Any

import torch

from tutor.base.errors import CannotHere
from tutor.hardware.gpus import Target
from tutor.xray.fake_gpu import tensor_methods
from tutor.xray.fake_gpu.host_answers import device_properties, property_answers
from tutor.xray.fake_gpu.pretended_driver import driver_of
from tutor.xray.fake_gpu.sequence_slots import SequenceSlots

_CUDA = "torch._dynamo.device_interface.CudaInterface"
_TUNER = "torch._inductor.runtime.triton_heuristics.CachingAutotuner"

# path -> what the X-ray needs it for
NAMES: dict[str, str] = {
    # Dynamo
    "torch._dynamo.eval_frame._debug_get_cache_entry_list": "guards and rewritten bytecode",
    "torch._dynamo.config.recompile_limit": "recompile history",
    "torch._dynamo.utils.counters": "why nothing was traced",
    "torch._dynamo.mark_dynamic": "sizes that are symbols",
    "torch.fx.experimental.symbolic_shapes.ShapeEnv._generate_unique_id": "names of symbols",
    "torch._dynamo.convert_frame.register_bytecode_hook": "rewritten bytecode",
    "torch._dynamo.output_graph.OutputGraph.compile_subgraph": "graph breaks without a graph",
    "torch._dynamo.symbolic_convert.InstructionTranslatorBase.log_graph_break": "graph breaks "
    "without a resume function",
    "torch._dynamo.exc.exceptions_allowed_to_be_fallback": "graphs that torch.compile leaves out",
    "torch._dynamo.exc.TensorifyScalarRestartAnalysis": "numbers that torch.compile takes for constants",
    "torch._dynamo.output_graph.OutputGraph.add_graph_finalizer": "optimizers that a call makes",
    "torch._dynamo.symbolic_convert.InstructionTranslatorBase.raise_loop_graph_break": "graph breaks "
    "in loops",
    "torch._dynamo.convert_frame.ConvertFrameAssert.__call__": "functions that are skipped whole",
    "torch._guards.CompileContext": "rewritten bytecode",
    "torch._library.custom_ops.OPDEFS": "operators of one's own",
    "torch.library._impls": "operators of one's own",
    "torch._higher_order_ops.triton_kernel_wrap.kernel_side_table": "launches that are left out",
    "torch._guards.TracingContext": "AOTAutograd's graphs",
    "torch._guards.tracing": "AOTAutograd's graphs",
    "torch._logging.set_logs": "channels of TORCH_LOGS",
    # AOTAutograd
    "torch._C._current_autograd_node": "operations of a launcher's backward pass",
    "torch._functorch.config.force_non_lazy_backward_lowering": "the backward graph",
    "torch._functorch.partitioners.get_default_op_list": "reasons of the partitioner",
    "torch._library.triton.set_wrap_triton_enabled": "launches through torch.library.wrap_triton",
    "torch._inductor.compile_fx.compile_fx": "AOTAutograd's graphs",
    "torch._inductor.compile_fx.partition_fn": "the joint graph",
    "torch._inductor.compile_fx._recursive_joint_graph_passes": "what an operation became",
    "torch.fx.experimental.proxy_tensor.set_original_aten_op": "what an operation became",
    "torch.fx.proxy._COPY_META_FIELDS": "what an operation became",
    # Inductor
    "torch._inductor.compile_fx.compile_fx_inner": "Inductor's stages",
    "torch._inductor.config.force_disable_caches": "Inductor's stages",
    "torch._inductor.config.patch": "options of torch.compile",
    "torch._inductor.select_algorithm.AlgorithmSelectorCache.__call__": "templates of max-autotune",
    "torch._inductor.graph.GraphLowering.compile_to_module": "Inductor's stages",
    "torch._inductor.graph.GraphLowering.codegen": "the wrapper",
    "torch._inductor.ir.BaseView": "Inductor's lowered nodes",
    "torch._inductor.ir.Buffer": "Inductor's lowered nodes",
    "torch._inductor.ir.ExternKernel.copy_input": "operations of a kernel",
    "torch._inductor.ir.MutableBox": "Inductor's lowered nodes",
    "torch._inductor.scheduler.Scheduler.fuse_nodes": "Inductor's IR before fusion",
    "torch._inductor.scheduler.BaseSchedulerNode.debug_str": "Inductor's IR before and after fusion",
    "torch._inductor.scheduler.BaseSchedulerNode.get_read_write_buffer_accesses": "bytes of a kernel",
    "torch._inductor.scheduler.WhyNoFuse.__call__": "why nodes were not fused",
    "torch._inductor.codegen.triton.TritonScheduling.define_kernel": "Triton kernels",
    "torch._inductor.codegen.cpp.CppScheduling.define_kernel": "C++ kernels",
    "torch._inductor.cpp_builder.get_cpp_compiler": "C++ kernels",
    "torch._inductor.cpu_vec_isa.VecISA.check_build": "C++ kernels",
    "torch._inductor.codecache.PyCodeCache.load": "Triton kernels",
    "torch._inductor.runtime.triton_helpers.set_driver_to_gpu": "Triton kernels",
    f"{_TUNER}._create_compile_meta": "Triton kernels",
    f"{_TUNER}._create_compile_options": "Triton kernels",
    # The pretended device
    f"{_CUDA}.Worker": "a pretended device",
    "torch._subclasses.fake_tensor.FakeTensor": "a pretended device",
    "torch._subclasses.fake_tensor.FakeTensorMode": "a pretended device",
    "torch._subclasses.fake_tensor.init_gpu_context": "a pretended device",
    "torch._inductor.fx_passes.fuse_attention._scaled_dot_product_attention": "attention",
    "torch._inductor.fx_passes.fuse_attention._sfdp_params_check": "attention",
    "torch.nn.functional.scaled_dot_product_attention": "attention",
    "torch.amp._enter_autocast": "autocast",
    "torch._C._dispatch_get_registrations_for_dispatch_key": "autocast",
    "torch._dynamo.variables.tensor.TensorVariable.specialize": "devices of tensors",
    "torch._dynamo.variables.user_defined.UserDefinedClassVariable._in_graph_classes": "events of a GPU",
    "torch._dynamo.eval_frame.skip_code": "launches that Dynamo does not see",
    "torch._dynamo.utils.run_node": "devices of tensors",
    "torch._functorch.autograd_function.AutogradFunctionApply.__call__": "devices of tensors",
    "torch._inductor.decomposition.select_decomp_table": "decompositions by device",
    "torch.utils._python_dispatch._disable_current_modes": "decompositions by device",
    "torch._inductor.runtime.hints.DeviceProperties": "a pretended device",
    "torch.cuda._lazy_init": "a pretended device",
    "torch.cuda._exchange_device": "a pretended device",
    "torch.cuda._maybe_exchange_device": "a pretended device",
    "torch.cuda.graphs._cuda_isCurrentStreamCapturing": "a pretended device",
    "torch.utils._triton.has_triton": "a pretended device",
    "triton.runtime.driver.driver": "a pretended device",
    "triton.backends.compiler.GPUTarget": "a pretended device",
}

_REPLACEMENT = "_tutor_replacement"  # a global name beside a function whose code is replaced

# What asks for a device and remembers the answer in `functools.cache`: emptied on the way in and out.
_REMEMBERING = ("torch.utils._triton", "torch._inductor.utils", "torch._inductor.runtime.hints")


def private(path: str) -> Any:
    """The object of that dotted path, a key of `NAMES`. `CannotHere` names a missing part."""
    needed_for = NAMES[path]
    try:
        return _resolve(path)
    except (ImportError, AttributeError):
        package = path.split(".")[0]
        version = getattr(sys.modules.get(package), "__version__", "as installed")
        raise CannotHere(
            f"{package} {version} has no {path}, which the X-ray needs for {needed_for}: "
            "it was made with torch 2.11 to 2.15 and triton 3.6 to 3.9"
        ) from None


def find_missing_names() -> tuple[tuple[str, str], ...]:
    """(path, what it is needed for) of each private name that the installed versions lack."""
    lacking = []
    for path, needed_for in NAMES.items():
        try:
            private(path)
        except CannotHere:
            lacking.append((path, needed_for))
    return tuple(lacking)


@contextmanager
def replace_private(path: str, value: Any) -> Iterator[Any]:
    """Put `value` in the place of a private name for a while; yields what stood there."""
    original = private(path)
    owner, name = _owner(path)
    if owner.__name__.endswith(".config"):  # these keep their values elsewhere
        with owner.patch({name: value}):
            yield original
    else:
        with _in_place_of(path, value) as original:
            yield original


@contextmanager
def replace_code(path: str, wrap: Callable[[Any], Callable[..., Any]]) -> Iterator[None]:
    """Let the function of that dotted path do as `wrap(function)` does, for whoever holds it, too.

    Torch registers some functions once in a process, before an X-ray or during one. Another function
    under their name would come too late for the former, and stay for good in the latter.
    """
    function = private(path)
    code, names = function.__code__, function.__globals__
    if _REPLACEMENT in names:  # a graph in a graph
        yield
        return
    names[_REPLACEMENT] = wrap(FunctionType(code, names))
    function.__code__ = eval(f"lambda *a, **k: {_REPLACEMENT}(*a, **k)").__code__
    try:
        yield
    finally:
        function.__code__ = code
        del names[_REPLACEMENT]


@contextmanager
def pretending(target: Target) -> Iterator[None]:
    """Inside, torch takes one `target` for present as cuda:0. No tensor of it may be touched.

    Of fake tensors on it every property can be asked. Autograd refuses it on a CPU build of torch
    (there is no device guard), so graphs come here after AOTAutograd.
    """
    triton_helpers = "torch._inductor.runtime.triton_helpers.set_driver_to_gpu"
    with answering_for(target), replace_private(triton_helpers, lambda: None), with_fake_tensors():
        yield


@contextmanager
def answering_for(target: Target) -> Iterator[None]:
    """Inside, torch and Triton answer questions about the device as on a machine with `target`."""
    properties = device_properties(target)
    told = property_answers(target)
    compute_capability = target.triton_arch
    answers: dict[str, Any] = {
        "torch.cuda.is_available": lambda: True,
        "torch.cuda.device_count": lambda: 1,
        **{f"torch.cuda.{name}": answer for name, answer in told.items()},
        "torch.cuda.get_rng_state": lambda *a: torch.zeros(16, dtype=torch.uint8),
        "torch.cuda.set_rng_state": lambda *a: None,
        "torch.cuda._lazy_init": lambda: None,
        "torch.cuda.random._lazy_init": lambda: None,
        "torch.cuda._exchange_device": lambda *a: 0,
        "torch.cuda._maybe_exchange_device": lambda *a: 0,
        # Dynamo asks (2.14), which a CUDA build without a driver cannot answer.
        "torch.cuda.graphs._cuda_isCurrentStreamCapturing": lambda: False,
        # Dynamo would ask for the current stream, which a CUDA build without a driver cannot make.
        "torch.accelerator.is_available": lambda: False,
        "torch.version.hip": "7.0" if target.vendor == "amd" else None,
        f"{_CUDA}.is_available": staticmethod(lambda: True),
        f"{_CUDA}.current_device": staticmethod(lambda: 0),
        f"{_CUDA}.get_device_properties": staticmethod(lambda *a, **k: properties),
        f"{_CUDA}.get_compute_capability": staticmethod(lambda *a: compute_capability),
        f"{_CUDA}.Worker.get_device_properties": staticmethod(lambda *a, **k: properties),
        f"{_CUDA}.Worker.current_device": staticmethod(lambda: 0),
    }
    with _answering(answers), driver_of(target), _clear_caches():
        yield


@contextmanager
def with_fake_tensors() -> Iterator[None]:
    """Inside, fake tensors of a device can be made and computed with on a CPU build of torch."""
    answers: dict[str, Any] = {
        "torch._subclasses.fake_tensor.init_gpu_context": lambda *a: None,
        "torch.Tensor.copy_": tensor_methods.copy_from,
        "torch.Tensor.contiguous": tensor_methods.make_contiguous,
        "torch.Tensor.__invert__": tensor_methods.invert,
        "torch.Tensor.__getitem__": tensor_methods.wrap_getitem(torch.Tensor.__getitem__),
        "torch.Tensor.__setitem__": tensor_methods.wrap_setitem(torch.Tensor.__setitem__),
    }
    slots = SequenceSlots()
    try:
        with _answering(answers):
            slots.put_back()
            yield
    finally:
        slots.put_back()


@contextmanager
def _answering(answers: dict[str, Any]) -> Iterator[None]:
    """Put each answer in the place of the function that its dotted path names."""
    with ExitStack() as stack:
        for path, answer in answers.items():
            if path in NAMES:
                private(path)
            stack.enter_context(_in_place_of(path, answer))
        yield


def is_real(target: Target) -> bool:
    """Return True if torch can use a device of the target's architecture here."""
    if not torch.cuda.is_available() or (torch.version.hip is None) is (target.vendor == "amd"):
        return False
    return tuple(torch.cuda.get_device_capability()) == target.capability


@contextmanager
def _clear_caches() -> Iterator[None]:
    for function in _find_cached_functions():
        function.cache_clear()
    try:
        yield
    finally:
        for function in _find_cached_functions():
            function.cache_clear()


def _find_cached_functions() -> list[Any]:
    functions = [
        value
        for module in _REMEMBERING
        for value in vars(importlib.import_module(module)).values()
        if hasattr(value, "cache_clear")
    ]
    create = private("torch._inductor.runtime.hints.DeviceProperties").create
    return [*functions, create] if hasattr(create, "cache_clear") else functions


@contextmanager
def _in_place_of(path: str, value: Any) -> Iterator[Any]:
    owner, name = _owner(path)
    own = name in vars(owner)
    original = vars(owner)[name] if own else getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield original
    finally:
        if own:
            setattr(owner, name, original)
        else:
            delattr(owner, name)  # it was, and is again, inherited


@functools.cache
def _owner(path: str) -> tuple[Any, str]:
    parent, name = path.rsplit(".", 1)
    return _resolve(parent), name


def _resolve(path: str) -> Any:
    """Import as much of the path as is a module, and take attributes for the rest."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for name in parts[length:]:
            value = getattr(value, name)
        return value
    raise ImportError(path)
