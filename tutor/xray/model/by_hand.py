"""What gives a stage's text without tutor: a command, or a few lines of Python with the compiler.

In it `PROGRAM` stands for the learner's file. The lines for a compiler beside Inductor take two names
from it: `MODULE`, a `torch.nn.Module`, and `INPUTS`, a tuple of tensors.
"""

from __future__ import annotations

import re

from tutor.xray.model.compiler import (
    COMPILERS,
    INDUCTOR,
    INDUCTOR_CPU,
    IREE,
    MLIR,
    ONNX,
    RESULT,
    TVM,
    XLA,
    log_command,
)
from tutor.xray.model.mlir_steps import STEPS
from tutor.xray.model.stages import Stage

_EXPORT = """\
import torch
from PROGRAM import MODULE, INPUTS
program = torch.export.export(MODULE, INPUTS, strict=True)
"""

_LOWERED = """\
import runpy
import torch
from torch._inductor.graph import GraphLowering
torch.compiler.config.force_disable_caches = True
compile_to_module = GraphLowering.compile_to_module
def show(graph):
    print(*graph.operations, sep="\\n\\n")
    return compile_to_module(graph)
GraphLowering.compile_to_module = show
runpy.run_path("PROGRAM", run_name="__main__")
"""
_COMPILED = """\
import torch
from PROGRAM import MODULE, INPUTS
print(torch.compile(MODULE)(*INPUTS))
"""

_TVM = """\
import tvm
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program
module = from_exported_program(program)
"""
_TVM_CPU = """\
from tvm.relax.backend.cpu_generic import pipeline
goal = tvm.target.Target({"kind": "llvm", "mcpu": "x86-64-v3"})
"""
_TVM_GPU = """\
from tvm.relax.backend.cuda import pipeline
goal = tvm.target.Target({
    "kind": "cuda", "arch": "sm_80", "thread_warp_size": 32,
    "max_threads_per_block": 1024, "max_num_threads": 1024,
    "max_shared_memory_per_block": 49152}, host="llvm")
"""
# The passes in their order, up to the one that is named.
_TVM_PASSES = """\
passes = [*pipeline.library_dispatch_passes(goal),
          *pipeline.legalize_passes(goal),
          *pipeline.dataflow_lower_passes(goal),
          *pipeline.finalize_passes(goal)]
for one in passes:
    if one.info.name == "{stop}":
        break
    with goal:
        module = one(module)
"""
_TVM_UNTIL = {
    "legalize": "FuseOps",
    "fuse_ops": "FuseTIR",
    "fuse_tir": "RewriteDataflowReshape",
    "memory": "LowerAllocTensor",
}
_TVM_BUILT = """\
built = relax.build(module, goal, relax_pipeline=None)
"""
_TVM_LOOPS = """\
from tvm.ir.instrument import PassInstrument, pass_instrument
@pass_instrument
class Show(PassInstrument):
    def run_before_pass(self, module, info):
        if info.name == "tirx.SplitHostDevice":
            print(module.script(show_meta=False))
with tvm.transform.PassContext(opt_level=3, instruments=[Show()]):
    relax.build(module, goal, relax_pipeline=None)
"""
_TVM_CUDA = """\
import os
os.environ["TVM_COMPILE_FORCE_FALLBACK"] = "1"  # text, not compiled
built = relax.build(module, goal, relax_pipeline=None)
waiting = [built.mod]
while waiting:
    part = waiting.pop()
    waiting.extend(part.imports)
    if part.kind == "cuda":
        print(part.inspect_source())
"""
_TVM_RESULT = """\
machine = relax.VirtualMachine(built, tvm.cpu())
given = [tvm.runtime.from_dlpack(one.contiguous()) for one in INPUTS]
print(*map(torch.from_dlpack, machine["main"](*given)))
"""
_SHOW_TVM = "print(module.script(show_meta=False))\n"

_MLIR = """\
from torch_mlir import fx, ir
from torch_mlir.passmanager import PassManager
module = fx.export_and_import(program, func_name="main")
"""
_MLIR_INTERFACE = """\
for each in module.body.operations:  # functions that C can call
    with module.context:
        each.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
"""
_MLIR_OBJECT = """\
from torch_mlir.execution_engine import ExecutionEngine
engine = ExecutionEngine(module, opt_level=2, enable_object_dump=True)
"""
_MLIR_ASM = """\
import os
engine.dump_to_object_file("module.o")
os.system("objdump -d --no-show-raw-insn -M intel module.o")
"""
_MLIR_RESULT = """\
from ctypes import pointer
from torch_mlir.runtime import get_ranked_memref_descriptor as describe
result = torch.empty_like(MODULE(*INPUTS))
arrays = [one.numpy() for one in (*INPUTS, result)]
engine.invoke("main", *(pointer(pointer(describe(one))) for one in arrays))
print(result)
"""

_STABLEHLO = """\
from torch_mlir import fx
module = fx.export_and_import(
    program, output_type="stablehlo", func_name="main")
"""
_XLA = """\
import jax
from jaxlib import xla_client
jax.config.update("jax_platforms", "cpu")
options = xla_client.CompileOptions()
options.num_replicas = options.num_partitions = 1
debug = options.executable_build_options.debug_options
debug.xla_dump_to = "dump"
debug.xla_dump_hlo_as_text = True
debug.xla_dump_hlo_pass_re = ".*"
device = jax.devices()[0]
built = device.client.compile_and_load(
    str(module), xla_client.DeviceList((device,)), options)
"""
_XLA_FILES = {
    "hlo": "*.before_optimizations.txt",
    "passes": "*.after_*.before_*.txt",
    "optimized": "*.cpu_after_optimizations.txt",
    "buffers": "*-buffer-assignment.txt",
    "llvm": "*.ir-with-opt.ll",
}
_READ = """\
from pathlib import Path
for file in sorted(Path("dump").glob("{files}")):
    print(file.read_text())
"""
_XLA_ASM = """\
import os
os.system("objdump -d --no-show-raw-insn -M intel dump/*.o")
"""
_XLA_RESULT = """\
arrays = [jax.dlpack.from_dlpack(one.contiguous()) for one in INPUTS]
results = built.execute_sharded(arrays)
for one in results.disassemble_into_single_device_arrays():
    print(torch.from_dlpack(one[0]))
"""

_IREE = """\
import iree.compiler
from iree.compiler.extras.fx_importer import FxImporter
importer = FxImporter()
importer.import_frozen_program(program)
compiled = iree.compiler.compile_str(
    str(importer.module), input_type="torch", extra_args=[
{flags}])
"""
_IREE_CPU = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
)
_IREE_GPU = ("--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80")
_IREE_DUMP = "--iree-hal-dump-executable-intermediates-to=dump"
_IREE_BINARIES = "--iree-hal-dump-executable-binaries-to=dump"
_IREE_RESULT = """\
from iree import runtime
config = runtime.Config("local-sync")
code = runtime.VmModule.copy_buffer(config.vm_instance, compiled)
module = runtime.load_vm_module(code, config)
print(module["main"](*(one.numpy() for one in INPUTS)).to_host())
"""

_ONNX = """\
import onnx
model = torch.onnx.export(program, INPUTS, dynamo=True,
    optimize=False, verbose=False).model_proto
"""
_ORT = """\
import onnxruntime as ort
options = ort.SessionOptions()
levels = ort.GraphOptimizationLevel
options.graph_optimization_level = levels.ORT_ENABLE_{level}
{option}
session = ort.InferenceSession(model.SerializeToString(), options)
"""
_ORT_RUN = """\
names = [each.name for each in session.get_inputs()]
given = dict(zip(names, (one.numpy() for one in INPUTS)))
results = session.run(None, given)
"""
_ORT_PROFILE = """\
import json
from pathlib import Path
for each in json.loads(Path(session.end_profiling()).read_text()):
    if each["name"].endswith("_kernel_time"):
        print(each["args"]["op_name"], each["args"]["provider"])
"""


_ROW = re.compile(r".{1,64}(?<=[, ])|[^, ]+[, ]?")


def by_hand(stage: Stage) -> str:
    """Return the command or the lines that give the stage's text without tutor, or "".

    PyTorch says nothing of a kernel that the learner wrote: its file is the text.
    """
    if stage.name == "log":
        return log_command(stage.kernel)
    if stage.name == "exported":
        return f"{_EXPORT}program.graph_module.print_readable()"
    return recipe(stage.compiler, stage.name, "Inductor" in stage.title).rstrip("\n")


def recipe(compiler: str, name: str, of_inductor: bool = True) -> str:
    """Return what makes a compiler's stage by hand, or "". `of_inductor`: a kernel is one it wrote."""
    own = COMPILERS.get(compiler)
    kind = own.stage(name) if own else None
    if kind is None or (compiler == INDUCTOR.name and name == "triton" and not of_inductor):
        return ""
    if name == "lowered":
        return _LOWERED
    if compiler == INDUCTOR_CPU.name and name == RESULT.name:
        return _COMPILED
    write = {
        TVM.name: _tvm,
        MLIR.name: _mlir,
        XLA.name: _xla,
        IREE.name: _iree,
        ONNX.name: _onnx,
    }.get(compiler)
    return f"{_EXPORT}{write(name)}" if write else kind.by_hand


def _tvm(name: str) -> str:
    if name == "relax":
        return _TVM + _SHOW_TVM
    if name in ("schedule", "cuda"):
        stop = "RewriteDataflowReshape" if name == "schedule" else ""
        end = _SHOW_TVM if name == "schedule" else _TVM_CUDA
        return _TVM + _TVM_GPU + _TVM_PASSES.format(stop=stop) + end
    made = _TVM + _TVM_CPU + _TVM_PASSES.format(stop=_TVM_UNTIL.get(name, ""))
    ends = {
        "memory": 'print(module["main"].script(show_meta=False))\n',
        "loops": _TVM_LOOPS,
        "llvm": f'{_TVM_BUILT}print(built.mod.imports[0].inspect_source("ll"))\n',
        "asm": f'{_TVM_BUILT}print(built.mod.imports[0].inspect_source("s"))\n',
        "vm": f"{_TVM_BUILT}print(built.as_text())\n",
        RESULT.name: _TVM_BUILT + _TVM_RESULT,
    }
    return made + ends.get(name, _SHOW_TVM)


def _mlir(name: str) -> str:
    names = [step.name for step in STEPS]
    last = names.index(name) if name in names else len(names) - 1
    above = _run_passes([step.passes for step in STEPS[: min(last + 1, len(names) - 1)]])
    if last < len(names) - 1:
        return f"{_MLIR}{above}print(module)\n"
    made = _MLIR + above + _MLIR_INTERFACE + _run_passes([STEPS[-1].passes])
    ends = {"asm": _MLIR_OBJECT + _MLIR_ASM, RESULT.name: _MLIR_OBJECT + _MLIR_RESULT}
    return made + ends.get(name, "print(module)\n")


def _run_passes(pipelines: list[str]) -> str:
    """Return lines of Python that run these pipelines."""
    rows = _ROW.findall(",".join(pipelines))
    text = "\n".join(f'    "{row}"' for row in rows)
    run = "with module.context:\n    PassManager.parse(passes).run(module.operation)\n"
    return f'passes = (\n    "builtin.module("\n{text}\n    ")")\n{run}'


def _xla(name: str) -> str:
    if name == "stablehlo":
        return f"{_STABLEHLO}print(module)\n"
    ends = {"asm": _XLA_ASM, RESULT.name: _XLA_RESULT}
    end = _READ.format(files=_XLA_FILES[name]) if name in _XLA_FILES else ends[name]
    return _STABLEHLO + _XLA + end


def _iree(name: str) -> str:
    if name == RESULT.name:
        return _compile_iree(_IREE_CPU) + _IREE_RESULT
    if name == "asm":
        return _compile_iree((*_IREE_CPU, _IREE_DUMP)) + _READ.format(files="*.s")
    if name == "ptx":
        return _compile_iree((*_IREE_GPU, _IREE_BINARIES)) + _READ.format(files="*.ptx")
    return f"{_compile_iree((*_IREE_CPU, f'--compile-to={name}'))}print(compiled.decode())\n"


def _compile_iree(flags: tuple[str, ...]) -> str:
    return _IREE.format(flags=",\n".join(f'        "{flag}"' for flag in flags))


def _onnx(name: str) -> str:
    if name == "export":
        return f"{_ONNX}print(onnx.printer.to_text(model))\n"
    if name in ("basic", "extended", "layout"):
        option = f'options.optimized_model_filepath = "{name}.onnx"'
        made = _ONNX + _ORT.format(level=name.upper(), option=option)
        return f'{made}print(onnx.printer.to_text(onnx.load("{name}.onnx")))\n'
    option = "options.enable_profiling = True" if name == "kernels" else ""
    made = _ONNX + _ORT.format(level="LAYOUT", option=option).replace("\n\n", "\n") + _ORT_RUN
    return made + (_ORT_PROFILE if name == "kernels" else "print(*results)\n")
