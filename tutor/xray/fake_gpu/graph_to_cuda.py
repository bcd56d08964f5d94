"""A graph captured on CPU tensors, moved to the device that is pretended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule
from torch.fx.node import map_aggregate

from tutor.xray.fake_gpu.fake_gpu import private

_FAKE = "torch._subclasses.fake_tensor.FakeTensor"
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)
_FEW = 64  # elements of a constant whose values are kept


def move_to_cuda(module: GraphModule) -> tuple[GraphModule, list[Any], Any]:
    """(the graph on cuda:0, its fake inputs, their fake mode). Call it inside `pretending`.

    Values in the nodes' metadata, `device=` arguments and constant tensors become cuda:0's; nothing
    is allocated. The module is changed in place.
    """
    device = torch.device("cuda", 0)
    shapes = next(
        (
            _shapes_of(node.meta.get("val"))
            for node in module.graph.nodes
            if _shapes_of(node.meta.get("val")) is not None
        ),
        None,
    )
    mode = private("torch._subclasses.fake_tensor.FakeTensorMode")(
        allow_non_fake_inputs=True, shape_env=shapes
    )

    def make_fake(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            with mode:
                return torch.empty_strided(
                    value.size(), value.stride(), dtype=value.dtype, device=device
                )
        if isinstance(value, (tuple, list)):
            return type(value)(make_fake(item) for item in value)
        return value

    def to_device(argument: Any) -> Any:
        return device if isinstance(argument, torch.device) else argument

    for submodule in [m for m in module.modules() if isinstance(m, GraphModule)]:
        for node in submodule.graph.nodes:
            if "val" in node.meta:
                node.meta["val"] = make_fake(node.meta["val"])
            node.meta.pop("tensor_meta", None)
            node.args = map_aggregate(node.args, to_device)
            node.kwargs = map_aggregate(node.kwargs, to_device)
            if node.op == "get_attr":
                _move_constant(submodule, str(node.target), make_fake)
        submodule.recompile()
    inputs = [n.meta.get("val") for n in module.graph.nodes if n.op == "placeholder"]
    return module, inputs, mode


def _move_constant(module: GraphModule, name: str, make_fake: Callable[[Any], Any]) -> None:
    """Put a fake tensor in the place of the constant tensor that a node names."""
    owner_name, _, attribute = name.rpartition(".")
    owner = module.get_submodule(owner_name)
    constant = getattr(owner, attribute, None)
    if not isinstance(constant, torch.Tensor):
        return
    fake = make_fake(constant)
    if constant.numel() <= _FEW and not isinstance(constant, private(_FAKE)):
        _keep_numbers(fake, constant.tolist())
    if attribute in owner._buffers:
        owner.register_buffer(attribute, fake)
    else:
        setattr(owner, attribute, fake)


def _keep_numbers(fake: Any, numbers: Any) -> None:
    """Let a fake tensor tell the numbers of a small constant: Inductor writes them into the kernel."""
    fake.tolist = lambda: numbers
    fake.item = lambda: numbers


def _shapes_of(value: Any) -> Any:
    """The environment of symbolic sizes of a fake tensor or of a symbolic number."""
    holder = value.node if isinstance(value, _SYMBOLIC) else getattr(value, "fake_mode", None)
    return getattr(holder, "shape_env", None)
