"""The device that the learner's code sees while Dynamo traces it on tensors of the CPU.

`x.is_cuda` and `x.device` answer as on the target, `device="cuda"` and `.cuda()` are taken as they
stand into the graph, and each operation is tried out on CPU tensors all the same. Python code between
two graphs that makes a tensor on the GPU gets one of the CPU.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import CodeType
from typing import Any
from unittest import mock

import torch
from torch.fx import GraphModule, Node

from tutor.base.errors import CannotHere
from tutor.hardware.gpus import Target
from tutor.xray.fake_gpu import host_answers
from tutor.xray.fake_gpu.fake_gpu import answering_for, private, replace_private
from tutor.xray.fake_gpu.generators import generators_on_cpu
from tutor.xray.fake_gpu.host_answers import answering_cuda, handle_answers
from tutor.xray.fake_gpu.launch_recorder import RecordedLaunch, record_launches
from tutor.xray.fake_gpu.pretended_device import device_on_cpu, memory_on_cpu
from tutor.xray.fake_gpu.tensor_methods import map_values

_SPECIALIZE = "torch._dynamo.variables.tensor.TensorVariable.specialize"
_SKIP = "torch._dynamo.eval_frame.skip_code"
_RUN_NODE = "torch._dynamo.utils.run_node"
_NODES_OF_CLASSES = (
    "torch._dynamo.variables.user_defined.UserDefinedClassVariable._in_graph_classes"
)
_OWN_BACKWARD = "torch._functorch.autograd_function.AutogradFunctionApply.__call__"
# `G['table'].bias` and `L['self'].bias` are of the program, `L['self']._buffers['bias']` of a module.
_ROOT = re.compile(r"^[GL]\['(\w+)'\]")
_OF_A_MODULE = re.compile(r"\._(?:parameters|buffers)\b")
# Functions that make a tensor: without `device=` it is the CPU's, on every machine.
_FACTORIES = (
    "tensor",
    "zeros",
    "ones",
    "full",
    "empty",
    "arange",
    "linspace",
    "logspace",
    "rand",
    "randn",
    "randint",
    "randperm",
    "eye",
    "tril_indices",
    "triu_indices",
    "scalar_tensor",
    "as_tensor",
)


@contextmanager
def trace_as_on(target: Target) -> Iterator[list[RecordedLaunch]]:
    """Inside, Dynamo takes the CPU's tensors for the target's. Yields what is launched, which does not
    run: kernels between the graphs, and those of a graph before a break."""
    seen: list[RecordedLaunch] = []
    specialize, run_node = private(_SPECIALIZE), private(_RUN_NODE)
    own_backward = private(_OWN_BACKWARD)

    def specialize_on_device(value: torch.Tensor) -> Any:
        properties = specialize(value)
        if value.device.type == "cpu":
            properties["device"] = torch.device("cuda", 0)
        return properties

    def run_on_cpu(tracer: Any, node: Node, args: Any, kwargs: Any, module: Any) -> Any:
        if node.op == "call_method" and node.target == "cuda":
            return args[0]
        return run_node(tracer, node, _on_cpu(args), _on_cpu(kwargs), module)

    def differentiate_on_cpu(operator: Any, *graphs_and_values: Any, **named: Any) -> Any:
        """Autograd ends the process for a tensor of a device that this torch was built without."""
        for value in graphs_and_values:
            if isinstance(value, GraphModule):
                move_to_cpu(value)
        return own_backward(operator, *graphs_and_values, **named)

    with ExitStack() as stack:
        stack.enter_context(answering_for(target))
        stack.enter_context(replace_private(_OWN_BACKWARD, differentiate_on_cpu))
        _remember_classes()
        stack.enter_context(answering_cuda(handle_answers()))
        # torch breaks a graph at such a call, and Python makes it.
        disable: Any = torch.compiler.disable
        untraced = disable(host_answers.refuse_elapsed_time)
        stack.enter_context(mock.patch.object(host_answers, "refuse_elapsed_time", untraced))
        stack.enter_context(generators_on_cpu())
        stack.enter_context(replace_private(_SPECIALIZE, staticmethod(specialize_on_device)))
        stack.enter_context(replace_private(_RUN_NODE, run_on_cpu))
        stack.enter_context(record_launches(seen))
        # Where Python calls these, as between two graphs, Dynamo does not trace them.
        for code in (*_list_codes(record_launches), *_list_codes(memory_on_cpu)):
            private(_SKIP)(code)
        private(_SKIP)(device_on_cpu.__code__)
        # Dynamo leaves the device of a call that it does not trace in the code as a constant.
        stack.enter_context(memory_on_cpu(torch.compiler.disable))
        yield seen


def _remember_classes() -> None:
    """Have Dynamo note torch's own classes of streams and events, whose objects become nodes of a graph.

    It looks once. Those that stand in their place while it traces are Python's, which it traces through.
    """
    with suppress(CannotHere, AttributeError):
        classes = private(_NODES_OF_CLASSES)
        classes.cache_clear()
        classes()


def _list_codes(function: Callable[..., Any]) -> Iterator[CodeType]:
    """Yield the code of each function that stands in `function`."""
    left = [inspect.unwrap(function).__code__]
    while left:
        inner = [part for part in left.pop().co_consts if isinstance(part, CodeType)]
        left += inner
        yield from inner


def move_to_cpu(module: GraphModule) -> None:
    """Have the graph name no other device than the CPU, in place."""
    for part in [m for m in module.modules() if isinstance(m, GraphModule)]:
        for node in list(part.graph.nodes):
            if getattr(node.target, "__name__", "") == "_enter_autocast":
                continue  # which device it is for decides what is cast
            node.args, node.kwargs = _on_cpu(node.args), _on_cpu(node.kwargs)
            if node.op == "call_method" and node.target == "cuda":
                node.replace_all_uses_with(node.args[0])
                part.graph.erase_node(node)
        part.recompile()


def on_host(module: GraphModule, *, named: bool = False) -> tuple[str, ...]:
    """Return the nodes of Dynamo's graph that make a tensor of the CPU: those that name no device, which
    do so on a machine with a GPU too, or those for which the code names the CPU."""
    return tuple(
        node.name
        for node in module.graph.nodes
        if node.op == "call_function" and _makes_tensor(node) and _is_on_host(node, named)
    )


def moved_to_host(module: GraphModule) -> tuple[str, ...]:
    """Return the nodes of Dynamo's graph that copy a tensor to the CPU."""
    return tuple(
        node.name
        for node in module.graph.nodes
        if node.op == "call_method"
        and (node.target == "cpu" or (node.target == "to" and _names_device(node, "cpu")))
    )


def moved_to_device(module: GraphModule) -> tuple[str, ...]:
    """Return the tensors that the graph moves to a GPU and that no argument, parameter or buffer is."""
    names: dict[str, None] = {}
    for node in module.graph.nodes:
        if node.op != "call_method" or node.target not in ("to", "cuda"):
            continue
        whence = getattr(getattr(node.args[0], "meta", {}).get("grapharg"), "source", None)
        name = str(getattr(whence, "name", ""))
        outside = name.startswith("G[") or "]." in name
        if outside and not _OF_A_MODULE.search(name) and _names_device(node):
            names[_ROOT.sub(r"\1", name)] = None
    return tuple(names)


def _names_device(node: Node, kind: str = "cuda") -> bool:
    """Return True if `.to` or `.cuda` names a device of this kind; a tensor's is a GPU."""
    for value in (*node.args[1:], *node.kwargs.values()):
        if isinstance(value, (torch.device, str)):
            return torch.device(value).type == kind
        if isinstance(value, Node):
            return kind == "cuda"
    return node.target == kind


def _makes_tensor(node: Node) -> bool:
    if isinstance(node.target, type) and issubclass(node.target, torch.Tensor):
        return True  # `torch.Tensor([1.0, 2.0])`
    if isinstance(node.target, type(torch.FloatTensor)):
        # `torch.cuda.FloatTensor` is that of the CPU here, too.
        return ".cuda." not in (node.stack_trace or "").strip().rpartition("\n")[2]
    name = getattr(node.target, "__name__", "")
    # Of a list of tensors Dynamo makes a tensor by torch's own Python, `torch._refs.tensor` (2.13).
    makers = (getattr(torch, name, None), getattr(torch._refs, name, None))
    return name in _FACTORIES and node.target in makers


def _is_on_host(node: Node, named: bool) -> bool:
    device: Any = node.kwargs.get("device")
    if device is None:
        return not named
    return named and torch.device(device).type == "cpu"


def _on_cpu(values: Any) -> Any:
    return map_values(values, device_on_cpu)
