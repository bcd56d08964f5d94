"""The compilers that a function can be lowered by, and the stages of each. None is imported here.

A stage that exists once for each unit of the compiled program (a kernel, a dispatch, a loop nest) says
so; its texts carry the unit's name in `Stage.kernel`. Every compiler counts in one vocabulary, so that
they can be compared:

    units        what the function has become: kernels, dispatches, fusions, nodes, loop nests
    operations   operations of the stage's own language
    loops        loops that are written out
    buffers      blocks of memory that the program asks for between its inputs and its results
    bytes        of these buffers together
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tutor.base.errors import UsageError
from tutor.base.extras import EXTRAS, Extra
from tutor.xray.model.stages import Number, Stage


@dataclass(frozen=True)
class StageKind:
    """One stage of a compiler. `language` as in `Stage`; `term` is the glossary's word for it, or "".

    `by_hand` is the command that prints or keeps this text without tutor, with PROGRAM for the learner's
    file; "" where lines of Python do it (tutor/xray/model/by_hand.py), or no public way is known.
    """

    name: str
    title: str
    language: str
    of_unit: bool = False
    term: str = ""
    by_hand: str = ""


@dataclass(frozen=True)
class Compiler:
    """A compiler that an X-ray goes through.

    `unit` is its own word for one piece of compiled code. `before` and `after` name the stages whose
    `units` are compared: before fusion and after it. `memory` are the stages whose `buffers` and `bytes`
    are, together, those of the compiled form. `targets` are what it lowers for beside or
    instead of a GPU of `tutor.hardware.gpus`; `gpus` are the GPUs that it lowers for. `extra` has the
    packages that bring it. Below the stage `lines_until`, where there is one, lines are tied by the
    names of whole functions: they do not count as kept. `forks_after_use` is
    False where a process that has compiled must not fork. `rehearsed_until`: the stage up to which a
    warm worker has lowered a function before; None for all of them.
    """

    name: str
    unit: str
    stages: tuple[StageKind, ...]
    before: str
    after: str
    memory: tuple[str, ...]
    targets: tuple[str, ...]
    gpus: tuple[str, ...]
    extra: Extra
    lines_until: str = ""
    forks_after_use: bool = True
    rehearsed_until: str | None = None

    @property
    def module(self) -> str:
        """The module that lowers by it, in its worker; Inductor for a GPU has another way."""
        return f"tutor.xray.compilers.{self.name.replace('-', '_')}"

    @property
    def mode(self) -> str:
        """The mode of the worker that runs it (tutor/judge/worker/modes.py)."""
        return "xray" if self.name == "inductor" else f"compiler:{self.name}"

    @property
    def title(self) -> str:
        """Its name as people write it."""
        return self.extra.title

    def is_here(self) -> bool:
        """Return True if its modules can be found. Imports none of them."""
        return self.extra.is_here()

    def say_missing(self) -> str:
        """Return the sentence for a machine without it, with the line that installs it."""
        return self.extra.say_missing()

    def refuse_target(self, target: str) -> str:
        """Return a sentence where it does not lower for `target` ("cpu" or a GPU), else ""."""
        offered = (*self.targets, *self.gpus)
        if target in offered:
            return ""
        return f"{self.title} is not lowered for {target} here: take one of {', '.join(offered)}"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its stages, in order."""
        return tuple(kind.name for kind in self.stages)

    @property
    def function_stages(self) -> tuple[str, ...]:
        """The names of the stages of the whole function, in order."""
        return tuple(kind.name for kind in self.stages if not kind.of_unit)

    @property
    def unit_stages(self) -> tuple[str, ...]:
        """The names of the stages that each unit has, in order."""
        return tuple(kind.name for kind in self.stages if kind.of_unit)

    def stage(self, name: str) -> StageKind | None:
        return next((kind for kind in self.stages if kind.name == name), None)

    def make_stage(
        self,
        name: str,
        text: str,
        notes: tuple[str, ...] = (),
        ms: float = 0.0,
        unit: str = "",
        counts: Mapping[str, Number] | None = None,
    ) -> Stage:
        """Return its stage `name`. Raises `KeyError` if it has none."""
        kind = {kind.name: kind for kind in self.stages}[name]
        return Stage(
            name,
            kind.title,
            kind.language,
            text,
            notes,
            ms,
            unit,
            tuple((counts or {}).items()),
            self.name,
        )

    def wanted(self, last: str | None) -> frozenset[str]:
        """The names of the stages up to `last`, of all where it is None."""
        names = self.names
        return frozenset(names if last is None else names[: names.index(last) + 1])


# The last stage of a compiler whose code runs here (tutor/xray/compilers/results.py).
RESULT = StageKind("result", "What the compiled form computed", "text")

# What every compiler starts from (tutor/xray/compilers/run.py); Inductor has no exported graph.
SHARED = ("source", "exported")

# Inductor's stages in order, as docs/contract.md names them: the function's own, then each kernel's.
_INDUCTOR_LANGUAGES = {
    "source": "python",
    "bytecode": "bytecode",
    "dynamo": "fx",
    "guards": "text",
    "rewritten": "bytecode",
    "joint": "fx",
    "forward": "fx",
    "backward": "fx",
    "post_grad": "fx",
    "lowered": "inductor",
    "ir_pre_fusion": "inductor",
    "ir_post_fusion": "inductor",
    "wrapper": "python",
    "triton": "python",
    "ttir": "ttir",
    "ttgir": "ttgir",
    "passes": "ttgir",
    "llir": "llvm",
    "ptx": "ptx",
    "sass": "sass",
    "amdgcn": "amdgcn",
}


def log_command(channel: str) -> str:
    """Return the command that prints a channel of TORCH_LOGS.

    Inductor takes a program that it compiled before from its cache, and then there are no steps to
    print: the command switches the cache off. Dynamo keeps no such cache.
    """
    off = "" if channel in _OF_DYNAMO else "TORCHINDUCTOR_FORCE_DISABLE_CACHES=1 "
    return f"{off}TORCH_LOGS={channel} python PROGRAM"


_OF_DYNAMO = ("graph_code", "guards", "bytecode", "graph_breaks", "recompiles")

# Where the program compiles: a kernel's files appear where it is launched, so these need its GPU.
_DUMP = "TRITON_KERNEL_DUMP=1 TRITON_ALWAYS_COMPILE=1 TRITON_DUMP_DIR=dump python PROGRAM"
_INDUCTOR_BY_HAND = {
    "bytecode": "python -m dis PROGRAM",
    "dynamo": log_command("graph_code"),
    "guards": log_command("guards"),
    "rewritten": log_command("bytecode"),
    "joint": log_command("aot_joint_graph"),
    "forward": log_command("aot_graphs"),
    "backward": log_command("aot_graphs"),
    "post_grad": log_command("post_grad_graphs"),
    "ir_pre_fusion": log_command("ir_pre_fusion"),
    "ir_post_fusion": log_command("ir_post_fusion"),
    "wrapper": log_command("output_code"),
    "triton": log_command("kernel_code"),
    "ttir": f"{_DUMP}; less dump/*/*.ttir",
    "ttgir": f"{_DUMP}; less dump/*/*.ttgir",
    "passes": "MLIR_ENABLE_DUMP=1 TRITON_ALWAYS_COMPILE=1 python PROGRAM",
    "llir": f"{_DUMP}; less dump/*/*.llir",
    "ptx": f"{_DUMP}; less dump/*/*.ptx",
    "sass": f"{_DUMP}; nvdisasm -g -c -ndf dump/*/*.cubin",
    "amdgcn": f"{_DUMP}; less dump/*/*.amdgcn",
}

_OF_A_KERNEL = ("triton", "ttir", "ttgir", "passes", "llir", "ptx", "sass", "amdgcn")

INDUCTOR = Compiler(
    name="inductor",
    unit="kernel",
    stages=tuple(
        StageKind(
            name,
            name,
            language,
            of_unit=name in _OF_A_KERNEL,
            by_hand=_INDUCTOR_BY_HAND.get(name, ""),
        )
        for name, language in _INDUCTOR_LANGUAGES.items()
    ),
    before="ir_pre_fusion",
    after="ir_post_fusion",
    memory=("wrapper",),
    targets=(),
    gpus=("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "gfx942"),
    extra=Extra("", "torch.compile: Inductor and Triton", ("torch", "triton")),
    lines_until="ir_post_fusion",  # a kernel's first line stands for all that was fused into it
)

INDUCTOR_CPU = Compiler(
    name="inductor-cpu",
    unit="kernel",
    stages=(
        *(
            kind
            for kind in INDUCTOR.stages
            if kind.name in ("forward", "post_grad", "lowered", "wrapper") or "fusion" in kind.name
        ),
        StageKind("cpp", "C++ kernel", "cpp", of_unit=True, by_hand=log_command("output_code")),
        RESULT,
    ),
    before="ir_pre_fusion",
    after="ir_post_fusion",
    memory=("wrapper",),
    targets=("cpu",),
    gpus=(),
    extra=Extra("", "torch.compile: Inductor and C++", ("torch",)),
    lines_until="ir_post_fusion",
    rehearsed_until="cpp",  # below it g++ runs, and threads of OpenMP, which a fork has not
)

TVM = Compiler(
    name="tvm",
    unit="function",
    stages=(
        StageKind("relax", "Relax: the graph that TVM imports", "python", term="relax"),
        StageKind(
            "legalize", "LegalizeOps: each operation as loops", "python", term="legalize-ops"
        ),
        StageKind("fuse_ops", "FuseOps: operations in groups", "python", term="fuse-ops"),
        StageKind("fuse_tir", "FuseTIR: a function for each group", "python", term="fuse-tir"),
        StageKind("schedule", "DLight: loops scheduled for the GPU", "python", term="dlight"),
        StageKind(
            "memory", "Memory: storages that tensors share", "python", term="plan-block-memory"
        ),
        StageKind(
            "loops", "TensorIR, lowered: flat buffers and plain loops", "python", of_unit=True
        ),
        StageKind("llvm", "LLVM IR", "llvm"),
        StageKind("asm", "Assembly of this machine", "asm"),
        StageKind("cuda", "CUDA C", "cuda"),
        StageKind("vm", "Bytecode of Relax's virtual machine", "text"),
        RESULT,
    ),
    before="legalize",
    after="fuse_tir",
    memory=("memory", "loops"),  # between functions, and inside them
    targets=("cpu",),
    gpus=("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"),
    extra=EXTRAS["tvm"],
    lines_until="legalize",
)

XLA = Compiler(
    name="xla",
    unit="fusion",
    stages=(
        StageKind("stablehlo", "StableHLO: what torch-mlir gives to XLA", "mlir", term="stablehlo"),
        StageKind("hlo", "HLO before XLA optimises it", "hlo", term="hlo"),
        StageKind("passes", "What XLA's passes changed", "text", term="hlo-pass"),
        StageKind("optimized", "Optimised HLO: fusions", "hlo", term="hlo-fusion"),
        StageKind(
            "buffers", "Buffers, and which values share one", "text", term="buffer-assignment"
        ),
        StageKind("llvm", "LLVM IR of a fusion", "llvm", of_unit=True),
        StageKind("asm", "Assembly of this machine", "asm", of_unit=True),
        RESULT,
    ),
    before="hlo",
    after="optimized",
    memory=("buffers",),
    targets=("cpu",),
    gpus=(),
    extra=EXTRAS["xla"],
    lines_until="optimized",
    forks_after_use=False,  # XLA's threads: a child waits for them forever
)

IREE = Compiler(
    name="iree",
    unit="dispatch",
    stages=(
        StageKind("input", "Input: linear algebra on whole tensors", "mlir", term="iree-input"),
        StageKind(
            "dispatch-creation",
            "Dispatch regions: what is launched together",
            "mlir",
            term="dispatch-region",
        ),
        StageKind("flow", "Flow: an executable for each region", "mlir", term="flow-executable"),
        StageKind(
            "stream", "Stream: buffers, and what waits for what", "mlir", term="stream-resource"
        ),
        StageKind("executable-targets", "A dispatch in MLIR's LLVM dialect", "mlir", of_unit=True),
        StageKind("hal", "HAL: the host's calls of the device", "mlir", term="iree-hal"),
        StageKind("vm", "VM: the host's program", "mlir", term="iree-vm"),
        StageKind("asm", "Assembly of this machine", "asm", of_unit=True),
        StageKind("ptx", "PTX", "ptx", of_unit=True),
        RESULT,
    ),
    before="input",
    after="flow",
    memory=("stream",),
    targets=("cpu",),
    gpus=("sm_75", "sm_80", "sm_86", "sm_89", "sm_120"),
    extra=EXTRAS["iree"],
    forks_after_use=False,  # the compiler's threads: a child waits for them forever
)


MLIR = Compiler(
    name="mlir",
    unit="nest",
    stages=(
        StageKind("torch", "Torch dialect: the graph in MLIR", "mlir", term="torch-dialect"),
        StageKind("linalg", "Linalg: each operation as index maps", "mlir", term="linalg"),
        StageKind("linalg_fused", "Linalg, elementwise operations fused", "mlir", term="linalg"),
        StageKind("bufferized", "Buffers instead of tensors", "mlir", term="bufferization"),
        StageKind("affine", "Affine: loops written out", "mlir", term="affine-dialect"),
        StageKind("affine_fused", "Affine: loops fused", "mlir", term="affine-loop-fusion"),
        StageKind("scf", "SCF: loops with plain indices", "mlir", term="scf-dialect"),
        StageKind("cf", "CF: blocks and branches", "mlir", term="cf-dialect"),
        StageKind("llvm", "LLVM dialect", "mlir", term="llvm-dialect"),
        StageKind("asm", "Assembly of this machine", "asm"),
        RESULT,
    ),
    before="linalg",
    after="affine_fused",
    memory=("cf",),
    targets=("cpu",),
    gpus=(),
    extra=EXTRAS["mlir"],
)

ONNX = Compiler(
    name="onnx",
    unit="node",
    stages=(
        StageKind("export", "ONNX: the graph as PyTorch exports it", "onnx", term="onnx-graph"),
        StageKind("basic", "Basic rewrites of the graph", "onnx", term="ort-level"),
        StageKind("extended", "Extended: fused operators", "onnx", term="ort-level"),
        StageKind("layout", "Layout: blocks of channels", "onnx", term="ort-level"),
        StageKind("kernels", "Kernels that ran", "text", term="execution-provider"),
        RESULT,
    ),
    before="export",
    after="layout",
    memory=("layout",),
    targets=("cpu",),
    gpus=(),
    extra=EXTRAS["onnx"],
)

COMPILERS: dict[str, Compiler] = {
    compiler.name: compiler for compiler in (INDUCTOR, INDUCTOR_CPU, TVM, MLIR, XLA, IREE, ONNX)
}


def find_compiler_of_module(name: str) -> Compiler | None:
    """Return the compiler whose first module is in the top package of `name`, if it is missing here."""
    top = name.partition(".")[0]
    return next(
        (
            compiler
            for compiler in COMPILERS.values()
            if compiler.extra.packages
            and compiler.extra.modules[0].partition(".")[0] == top
            and not compiler.is_here()
        ),
        None,
    )


def choose_compilers(names: tuple[str, ...], target: str | None) -> tuple[str, ...]:
    """Return the names that are meant by `names` with this target: "cpu", a GPU, None for none.

    Inductor lowers for a GPU, and beside other compilers for the CPU too, as they do. `target` says
    which of the two it is.
    """
    if INDUCTOR.name not in names:
        return names
    if target == "cpu":
        return (INDUCTOR_CPU.name, *(name for name in names if name != INDUCTOR.name))
    if target is not None:
        return tuple(name for name in names if name != INDUCTOR_CPU.name)
    return (*names, INDUCTOR_CPU.name) if len(names) > 1 else names


def find_compilers(names: tuple[str, ...]) -> tuple[Compiler, ...]:
    """Return the compilers of these names, each once, in the order of `COMPILERS`.

    Raises `UsageError` for a name that is none.
    """
    for name in names:
        if name not in COMPILERS:
            raise UsageError(
                f"there is no compiler {name[:40]!r}; take one of {', '.join(COMPILERS)}, or all"
            )
    return tuple(compiler for name, compiler in COMPILERS.items() if name in names)


def place_of(stage: Stage) -> tuple[int, int]:
    """Return where a stage stands: the number of its compiler, and its number among that one's.

    The source and the exported graph, which compilers share, come first; what no compiler has, last.
    """
    if stage.name in SHARED:
        return (0, SHARED.index(stage.name) - len(SHARED))
    order = list(COMPILERS)
    if stage.compiler not in order:
        return (len(order), 0)
    names = [kind.name for kind in COMPILERS[stage.compiler].stages]
    rank = names.index(stage.name) if stage.name in names else len(names)
    return (order.index(stage.compiler), rank)
