"""Text of StableHLO as the subject of a pass: a pass gets a text and returns one. XLA runs it on the
CPU, and what gives the right results there is compiled and run by IREE as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, cast

import torch

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")  # XLA would tell of each device on stderr

import jax
import numpy
from iree import runtime
from iree.compiler.api import Invocation, Output, Session, Source
from jax._src.interpreters.mlir import make_ir_context
from jaxlib import xla_client
from jaxlib.mlir import ir
from torch.utils.dlpack import from_dlpack

from tutor.judge.cases.result_difference import RESULT, Seen, find_difference
from tutor.judge.processes.worker_messages.rewrite_report import Operation, RewriteFault
from tutor.judge.worker.subjects.subject import Inputs, Run, to_kind

_RTOL = 1e-5  # between XLA and IREE, which may add in another order
_MOST_KEPT = 200  # verdicts of IREE on texts with their inputs
_FLAGS = (
    "--iree-input-type=stablehlo",
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=generic",
    "--iree-opt-level=O0",  # its code is run once
)

_said: dict[tuple[Any, ...], str] = {}  # for the next pass that this worker is given


class StableHlo:
    """Texts with one function `main` of tensors. Nothing is computed before the first program is run, so
    that a process which has only opened the subject may fork."""

    called = "text of StableHLO"

    def __init__(self) -> None:
        self._last: tuple[Inputs, Run] | None = None  # what XLA ran last

    def parse(self, text: str, inputs: Inputs) -> Any:
        _read_main(text)
        return text

    def owns(self, program: Any) -> bool:
        return isinstance(program, str)

    def check(self, program: Any, text: str) -> RewriteFault | None:
        now, before = (_read_main(each)[0] for each in (program, text))
        if now == before:
            return None
        said = f"the type of `main` is {now} in the place of {before}."
        return RewriteFault("renamed", "wrong-graph", said[:300])

    def run(self, program: Any, inputs: Inputs) -> Run:
        seen: list[Seen] = [(RESULT, part) for part in _run_xla(program, inputs)]
        done = tuple(
            Operation(to_kind(name), name.removeprefix("stablehlo.")[:200])
            for name in _read_main(program)[1]
        )
        run = Run([seen], done)
        self._last = inputs, run
        return run

    def inspect(self, program: Any, text: str) -> RewriteFault | None:
        """Let IREE run a program that XLA has run, unless it is the one from before."""
        assert self._last is not None
        if program == text:
            return None
        inputs, run = self._last
        key = (program, *(tuple(x.flatten().tolist()) for x in inputs))
        if key not in _said:
            if len(_said) >= _MOST_KEPT:
                _said.clear()
            _said[key] = _refuse_iree(program, inputs, run)
        said = _said[key]
        return RewriteFault("differs", "wrong-values", said) if said else None

    def write(self, program: Any) -> str:
        with make_ir_context() as context:
            return str(ir.Module.parse(program, context))


SUBJECT = StableHlo


def _read_main(text: str) -> tuple[str, list[str]]:
    """Return the type of the function `main`, and the names of its operations, inner ones too.

    Raises `ValueError` with the place of what is wrong.
    """
    with make_ir_context() as context:
        try:
            module = ir.Module.parse(text, context)
        except ir.MLIRError as error:
            said = next(iter(str(error).splitlines()[1:2]), "").replace('error: "-":', "")
            line, _, rest = said.partition(":")
            raise ValueError(f"line {line}: {rest.partition(':')[2].strip()}") from None
        for operation in module.body.operations:
            attributes = operation.attributes
            if operation.operation.name == "func.func" and str(attributes["sym_name"]) == '"main"':
                return str(attributes["function_type"]), list(_names(operation))
    raise ValueError("there is no function `main`")


def _names(operation: Any) -> Iterator[str]:
    for region in operation.regions:
        for block in region:
            for inner in block:
                yield str(inner.operation.name)
                yield from _names(inner.operation)


def _run_xla(text: str, inputs: Inputs) -> list[torch.Tensor]:
    cast(Any, jax.config).update("jax_platforms", "cpu")
    device = jax.devices()[0]
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    executable = device.client.compile_and_load(text, xla_client.DeviceList((device,)), options)
    given = [jax.device_put(x.numpy(), device) for x in inputs]
    results = executable.execute_sharded(given).disassemble_into_single_device_arrays()
    return [from_dlpack(result[0]).clone() for result in results]


def _refuse_iree(text: str, inputs: Inputs, run: Run) -> str:
    """Return what is wrong with the text for IREE, or with its results there; "" for nothing."""
    session = Session()
    session.set_flags(*_FLAGS)
    invocation: Any = Invocation(session)
    source = Source.wrap_buffer(session, text.encode() + b"\0")
    if not (invocation.parse_source(source) and invocation.execute()):
        return "XLA runs the text, and IREE does not compile it."
    output = Output.open_membuffer()
    invocation.output_vm_bytecode(output)
    config = runtime.Config("local-sync")
    module = runtime.load_vm_module(
        runtime.VmModule.copy_buffer(config.vm_instance, bytes(output.map_memory())), config
    )
    results = module["main"](*(x.numpy() for x in inputs))
    arrays = results if isinstance(results, (tuple, list)) else (results,)
    seen: list[Seen] = [
        (RESULT, torch.from_numpy(numpy.array(array.to_host()))) for array in arrays
    ]
    difference = find_difference(run.seen, [seen], _RTOL)
    return f"IREE's results are not XLA's: {difference.said}." if difference else ""
