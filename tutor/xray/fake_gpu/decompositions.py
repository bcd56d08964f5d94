"""Decompositions that ask for the device of their tensors, answered as on the target.

AOTAutograd traces CPU tensors here, and some of torch's decompositions choose by device: a matrix
product of vectors, the gradient of a convolution's bias, the integers that index a grid, random masks.
Each of those is traced on fake tensors of the device, and what it did there is done to the CPU's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Interpreter
from torch.fx.experimental.proxy_tensor import make_fx

from tutor.xray.fake_gpu.fake_gpu import private, with_fake_tensors
from tutor.xray.fake_gpu.tensor_methods import map_values

# Read in torch/_inductor/decomposition.py, torch/_decomp/decompositions.py and torch/_refs (2.11, 2.13).
_BY_DEVICE = (
    "mm",
    "bmm",
    "addmm",
    "_addmm_activation",
    "bernoulli",
    "bernoulli_",
    "convolution_backward",
    "grid_sampler_2d",
    "index_reduce",
    "log_sigmoid_forward",
    "native_group_norm",
    "native_layer_norm",
    "native_batch_norm",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training",
    "_batch_norm_with_update",
    "_batch_norm_with_update_functional",
    "upsample_bicubic2d",
    "upsample_linear1d",
    "upsample_bilinear2d",
    "upsample_trilinear3d",
    "upsample_nearest1d",
    "upsample_nearest2d",
    "upsample_nearest3d",
    "_upsample_nearest_exact1d",
    "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d",
    "reflection_pad1d",
    "reflection_pad2d",
    "reflection_pad3d",
    "replication_pad1d",
    "replication_pad2d",
    "replication_pad3d",
)

Decomposition = Callable[..., Any]


class _Declined(Exception):
    """The decomposition leaves the operation as it is."""


def decompositions_on_device() -> dict[Any, Decomposition]:
    """Return Inductor's table of decompositions, those of `_BY_DEVICE` answered as on a device."""
    table = dict(private("torch._inductor.decomposition.select_decomp_table")())
    for operation, decomposition in table.items():
        packet = getattr(operation, "overloadpacket", None)
        if getattr(packet, "__name__", "") in _BY_DEVICE:
            table[operation] = _on_device(decomposition)
    return table


def _on_device(decomposition: Decomposition) -> Decomposition:
    def decompose(*args: Any, **kwargs: Any) -> Any:
        tensors: list[torch.Tensor] = []
        map_values((args, kwargs), lambda value: _keep(value, tensors))
        if not tensors or tensors[0].device.type != "cpu":
            return decomposition(*args, **kwargs)
        graph = _trace_decomposition(decomposition, args, kwargs, tensors)
        if graph is None:
            return NotImplemented
        return Interpreter(graph).run(*tensors)

    return decompose


def _trace_decomposition(
    decomposition: Decomposition, args: Any, kwargs: Any, tensors: list[torch.Tensor]
) -> GraphModule | None:
    """Return what the decomposition does to tensors of a device, as a graph for the CPU's.

    None where it leaves the operation as it is.
    """
    device = torch.device("cuda", 0)
    shapes = next((s for t in tensors if (s := getattr(t.fake_mode, "shape_env", None))), None)  # type: ignore[attr-defined]
    mode = private("torch._subclasses.fake_tensor.FakeTensorMode")(
        allow_non_fake_inputs=True, shape_env=shapes
    )

    def call(*twins: torch.Tensor) -> Any:
        given = iter(twins)

        def twin(value: Any) -> Any:
            return next(given) if isinstance(value, torch.Tensor) else value

        inputs, named = map_values((args, kwargs), twin)
        result = decomposition(*inputs, **named)
        if result is NotImplemented:
            raise _Declined
        return result

    without_modes = private("torch.utils._python_dispatch._disable_current_modes")
    with without_modes(), with_fake_tensors(), mode, torch.no_grad():
        twins = [
            torch.empty_strided(t.size(), t.stride(), dtype=t.dtype, device=device) for t in tensors
        ]
        with contextlib.suppress(_Declined):
            call(*twins)  # it is quicker to see first whether there is anything to trace
            graph = make_fx(call, decomposition_table={}, tracing_mode="real")(*twins)
            return _on_cpu(graph)
    return None


def _on_cpu(graph: GraphModule) -> GraphModule:
    cpu = torch.device("cpu")
    for node in graph.graph.nodes:
        node.args = map_values(node.args, lambda a: cpu if isinstance(a, torch.device) else a)
        node.kwargs = map_values(node.kwargs, lambda a: cpu if isinstance(a, torch.device) else a)
    graph.recompile()
    return graph


def _keep(value: Any, tensors: list[torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        tensors.append(value)
    return value
