"""A graph captured on CPU tensors, moved to the device that is pretended."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule
from torch.fx.node import map_aggregate

from tutor.xray.fake_gpu.fake_gpu import private

_FAKE = "torch._subclasses.fake_tensor.FakeTensor"
_FEW = 64  # elements of a constant whose values are kept


def moved(module: GraphModule) -> tuple[GraphModule, list[Any], Any]:
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

    def value(found: Any) -> Any:
        if isinstance(found, torch.Tensor):
            with mode:
                return torch.empty_strided(
                    found.size(), found.stride(), dtype=found.dtype, device=device
                )
        if isinstance(found, (tuple, list)):
            return type(found)(value(item) for item in found)
        return found

    def argument(found: Any) -> Any:
        return device if isinstance(found, torch.device) else found

    for submodule in [m for m in module.modules() if isinstance(m, GraphModule)]:
        for node in submodule.graph.nodes:
            if "val" in node.meta:
                node.meta["val"] = value(node.meta["val"])
            node.meta.pop("tensor_meta", None)
            node.args = map_aggregate(node.args, argument)
            node.kwargs = map_aggregate(node.kwargs, argument)
            if node.op == "get_attr":
                _move_constant(submodule, str(node.target), value)
        submodule.recompile()
    inputs = [n.meta.get("val") for n in module.graph.nodes if n.op == "placeholder"]
    return module, inputs, mode


def _move_constant(module: GraphModule, name: str, value: Any) -> None:
    owner_name, _, last = name.rpartition(".")
    owner = module.get_submodule(owner_name) if owner_name else module
    constant = getattr(owner, last, None)
    if isinstance(constant, torch.Tensor):
        there = value(constant)
        if constant.numel() <= _FEW and not isinstance(constant, private(_FAKE)):
            # Inductor writes small constants into the kernel, and asks for them so
            values = constant.tolist()
            there.tolist = there.item = lambda: values
        owner.register_buffer(last, there) if last in owner._buffers else setattr(
            owner, last, there
        )


def _shapes_of(value: Any) -> Any:
    """The environment of symbolic sizes that a fake tensor's mode has."""
    return getattr(getattr(value, "fake_mode", None), "shape_env", None)
