"""Each pattern of the tables of errors, provoked on the installed versions.

`NATIVE` runs here, where Triton compiles; `INTERPRETED` runs as a submission, where it interprets.
What needs a GPU is raised by the library's own exception class, with the text of its source.
"""

import re
import sys

import pytest
import torch
import triton.runtime.errors
from judging import KERNEL, TRITON, entry, judged

from tutor.base.errors import CannotHere
from tutor.judge.diagnosis.error_messages import TABLE, graph_break, match_error, translate
from tutor.judge.diagnosis.error_pattern import ErrorPattern
from tutor.judge.diagnosis.triton_errors import LAUNCHED
from tutor.judge.processes import learner_module
from tutor.judge.processes.worker_messages.records import LearnerError
from tutor.judge.worker import graph_capture

FILE = "/learner/file.py"

HEAD = """\
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from tutor.xray.triton_kernels.refusals import with_reasons

def compiled(kernel, signature, constants=None, target=GPUTarget("cuda", 90, 32)):
    source = ASTSource(kernel, signature=signature, constexprs=constants or {})
    with with_reasons(kernel):
        return triton.compile(source, target=target)

"""


def kernel(lines: str, args: str = "x", before: str = "") -> str:
    """A file whose `f()` compiles a kernel of these lines for sm_90."""
    signature = "{'x': '*fp32', 'n': 'i32'}" if "n" in args else "{'x': '*fp32'}"
    body = lines.replace("\n", "\n    ")
    return (
        f"{HEAD}{before}@triton.jit\ndef k({args}):\n    {body}\n\n"
        f"def f():\n    compiled(k, {signature})\n"
    )


def traced(
    lines: str, call: str = "torch.ones(4)", options: str = "backend='eager', fullgraph=True"
) -> str:
    """A file whose `f()` has Dynamo capture a function `g(x)` of these lines as one graph."""
    body = lines.replace("\n", "\n    ")
    return (
        f"import torch\n\ndef g(x):\n    {body}\n\n"
        f"def f():\n    torch.compile(g, {options})({call})\n"
    )


def raised_by_triton(message: str) -> str:
    """A file whose `f()` raises a RuntimeError of this message in a frame of Triton's."""
    lines = f"def run():\n    raise RuntimeError({message!r})"
    return (
        f"space = {{'__name__': 'triton.of_a_test'}}\nexec({lines!r}, space)\n\n"
        "def f():\n    space['run']()\n"
    )


def matching(report: dict) -> ErrorPattern:
    """The row that translates a report."""
    for row in (*LAUNCHED, *TABLE) if report.launched else TABLE:
        if re.fullmatch(row.type, report.type) and re.search(row.text, report.message):
            return row
    raise AssertionError(f"no row for {report.type}: {report.message}")


def told(source: str) -> LearnerError:
    """The report on an error at import or in `f()`."""
    try:
        learner_module.load_module(source, FILE, "translate_test").f()
    except learner_module.Unloadable as error:
        return error.report
    except BaseException as error:
        return learner_module.describe_error(error, FILE)
    raise AssertionError("an error was to be raised")


def of(word: str) -> ErrorPattern:
    (row,) = (row for row in (*LAUNCHED, *TABLE) if word in row.says)
    return row


# So many levels are too many for Python's compiler, or from 3.12 on for its parser.
NESTED = 5000 if sys.version_info < (3, 12) else 9000

# The words of a row's sentence -> what provokes it, the code, and words that must be in the sentence.
NATIVE = {
    "handed Python a text": ("def f():\n    eval('1 +')\n", "crash", "(line 2)"),
    "ran again in the backward pass": (
        "import torch\nfrom torch.utils.checkpoint import checkpoint\n\n"
        "def f():\n    h = x = torch.ones(3, requires_grad=True)\n"
        "    for steps in (3, 1):\n        def part(t):\n            for _ in range(steps):\n"
        "                t = torch.sin(t)\n            return t\n"
        "        h = checkpoint(part, h, use_reentrant=False)\n    h.sum().backward()\n",
        "crash",
        "such as the variable of a loop",
    ),
    "NUL bytes": ("x = '\0'\n", "compile-error", "NUL"),
    "cannot read the file": ("def f(:\n    pass\n", "compile-error", "line 1"),
    "There is no module": ("import no_such_module_here\n", "import-error", "`no_such_module_here`"),
    "has no `{0}`.": (
        "from math import no_such_name\n",
        "import-error",
        "`math` has no `no_such_name`",
    ),
    "a length that is a power of two": (
        kernel("tl.arange(0, 100)"),
        "compile-error",
        "next_power_of_2",
    ),
    "Both ends of": (kernel("tl.arange(0, n)", "x, n"), "compile-error", "tl.constexpr"),
    "A call leaves out": ("def g(a, b): pass\ndef f(): g(1)\n", "compile-error", "'b'"),
    "A kernel was called like a function": (
        f"{HEAD}@triton.jit\ndef k(x):\n    pass\n\ndef f():\n    k(1)\n",
        "compile-error",
        "kernel[grid]",
    ),
    "Triton's language has no": (
        f"{HEAD}def f():\n    tl.math.max\n",  # there is a `tl.max`
        "compile-error",
        "`tl.math.max`",
    ),
    "PyTorch has no": ("import torch\ndef f():\n    torch.no_such()\n", "crash", "`torch.no_such`"),
    "`{0}` is used but nothing": ("def f():\n    return nowhere\n", "crash", "`nowhere`"),
    "used in the kernel but": (kernel("tl.store(x, nowhere)"), "compile-error", "`nowhere`"),
    "has this function for other types of arguments": (
        kernel(
            "tl.store(x, libdevice.pow(2.0, tl.program_id(0).to(tl.int16)))",
            before="from triton.language.extra import libdevice\n",
        ),
        "compile-error",
        "none for (triton.language.float32, triton.language.int16)",
    ),
    "Two blocks of different shapes": (
        kernel("tl.arange(0, 4) + tl.arange(0, 8)"),
        "compile-error",
        "[:, None]",
    ),
    "More memory was asked": (
        "import torch\ndef f():\n    torch.empty(10**15)\n",
        "out-of-memory",
        "limit",
    ),
    "is used before it has": ("def f():\n    a += 1\n", "crash", "`a`"),
    "A call gives": ("def g(a): pass\ndef f(): g(1, a=2)\n", "compile-error", "`a` twice"),
    "The tensor has no dimension": (
        "import torch\ndef f():\n    torch.ones(2, 2).sum(5)\n",
        "crash",
        "dimension 5",
    ),
    "An index lies past the end": ("def f():\n    (1, 2)[5]\n", "crash", "number 0"),
    "A {0} has no `{1}`": ("def f():\n    (1).shape\n", "crash", "A int has no `shape`"),
    "divided by zero": ("def f():\n    1 / 0\n", "crash", "line 2"),
    "returned nothing that can be called": (
        "import torch\ndef b(graph, inputs): pass\n"
        "def f():\n    torch.compile(torch.sin, backend=b)(torch.ones(2))\n",
        "crash",
        "runs the graph",
    ),
    "The backend raised": (
        "import torch\ndef b(graph, inputs): raise ValueError('no')\n"
        "def f():\n    torch.compile(torch.sin, backend=b)(torch.ones(2))\n",
        "crash",
        "ValueError: no",
    ),
    # Triton's compiler.
    "counts upwards": (kernel("tl.arange(4, 0)"), "compile-error", "greater than its start"),
    "Every dimension of a tile": (kernel("tl.zeros((100,), tl.float32)"), "compile-error", "mask"),
    "A tile's shape must be known": (
        kernel("tl.zeros((n,), tl.float32)", "x, n"),
        "compile-error",
        "tl.constexpr",
    ),
    "is too large": (
        kernel("tl.zeros((2097152,), tl.float32)"),
        "compile-error",
        "2097152 elements",
    ),
    "cannot be broadcast to {0}": (
        kernel("tl.broadcast_to(tl.arange(0, 4), (8,))"),
        "compile-error",
        "4 elements cannot",
    ),
    "A reshape keeps": (kernel("tl.reshape(tl.arange(0, 4), (8,))"), "compile-error", "elements"),
    "too small for the matrix": (
        kernel("a = tl.zeros((4, 4), tl.float16)\ntl.dot(a, a)"),
        "compile-error",
        "and 16 here",
    ),
    "`tl.dot` do not fit": (
        kernel("a = tl.zeros((16, 32), tl.float16)\ntl.dot(a, a)"),
        "compile-error",
        "transposed",
    ),
    "tiles of one dtype": (
        kernel("a = tl.zeros((16, 16), tl.float16)\ntl.dot(a, a.to(tl.float32))"),
        "compile-error",
        "fp16 and fp32",
    ),
    "tiles of two dimensions": (
        kernel("a = tl.zeros((16,), tl.float16)\ntl.dot(a, a)"),
        "compile-error",
        "tl.sum",
    ),
    "stored at a single address": (
        kernel("tl.store(x, tl.arange(0, 4))"),
        "compile-error",
        "at offsets of its own",
    ),
    "The mask is a tile": (
        kernel("tl.load(x, mask=tl.arange(0, 4) < 2)"),
        "compile-error",
        "single address",
    ),
    "`other=` says": (
        kernel("tl.load(x + tl.arange(0, 4), other=0.0)"),
        "compile-error",
        "no `mask=`",
    ),
    "not a pointer": (kernel("tl.load(n)", "x, n"), "compile-error", "`tl.load` was given"),
    "Two pointers are added": (kernel("tl.load(x + x)"), "compile-error", "one pointer"),
    "A pointer and a value": (kernel("tl.load(x + 1.5)"), "compile-error", "float32"),
    "assigned one by one": (kernel("a = tl.arange(0, 4)\na[0] = 1"), "compile-error", "tl.where"),
    "cannot be indexed": (
        kernel("a = tl.arange(0, 4)\nb = a[0:2]"),
        "compile-error",
        "only add axes",
    ),
    "A tuple is used where": (
        kernel("p = (x + tl.arange(0, 4),)\ntl.load(p)"),
        "compile-error",
        "a comma",
    ),
    "nor to add": (
        kernel("a = tl.zeros((4,), tl.float32)\ntl.sum(a, axis=1)"),
        "compile-error",
        "There is no axis 1 here",
    ),
    "A grid has the axes": (kernel("tl.program_id(3)"), "compile-error", "axis 3"),
    "floating-point tiles": (kernel("tl.exp(tl.arange(0, 4))"), "compile-error", "got int32"),
    "changes its type or shape in the loop": (
        kernel("acc = 0\nfor i in range(n):\n    acc = acc + 1.5", "x, n"),
        "compile-error",
        "`acc` changes",
    ),
    "another after the `else`": (
        kernel(
            "if n > 1:\n    a = 1.0\nelse:\n    a = tl.zeros((4,), tl.float32)\ntl.store(x, a)",
            "x, n",
        ),
        "compile-error",
        "`a` has one type",
    ),
    "a tile has one for each lane": (
        kernel("a = tl.arange(0, 4)\nif a > 2:\n    pass"),
        "compile-error",
        "tl.where",
    ),
    "values of different types": (
        kernel("if n == 3:\n    return 1.0\nreturn 2", "x, n"),
        "compile-error",
        "the same",
    ),
    "no `break` or `continue`": (
        kernel("for i in range(4):\n    if n == 3:\n        break", "x, n"),
        "compile-error",
        "bound",
    ),
    "a part of Python": (kernel("a = {1: 2}"), "compile-error", "Dict"),
    "no chained comparison": (kernel("a = 0 < n < 4", "x, n"), "compile-error", "&"),
    "a variable of the module": (
        kernel("tl.store(x, SIZE)", before="SIZE = 3\n"),
        "compile-error",
        "SIZE = tl.constexpr",
    ),
    "an ordinary Python function": (
        kernel("h(n)", "x, n", before="def h(a):\n    return a\n"),
        "compile-error",
        "calls `h`",
    ),
    "exists only when the kernel runs": (kernel("len(x)"), "compile-error", "before the launch"),
    "`tl.static_assert`": (
        kernel("tl.static_assert(1 == 2, 'B must be even')"),
        "compile-error",
        "B must be even",
    ),
    "has no parameter": (kernel("tl.load(x, masks=None)"), "compile-error", "`masks`"),
    "found inconsistent": (
        kernel("tl.load(x + tl.arange(0, 4), mask=tl.arange(0, 4))"),
        "compile-error",
        "truths",
    ),
    "A list cannot grow": (kernel("a = []\na.append(x)"), "compile-error", "Keep a tile"),
    "takes a text first": (kernel("print(tl.load(x))"), "compile-error", "print("),
    "it has no f-strings": (kernel("print(f'{x}')"), "compile-error", "print("),
    "The kernel returns a value": (kernel("return tl.load(x)"), "compile-error", "stored"),
    "A block pointer cannot advance in a `while` loop": (
        kernel(
            "p = tl.make_block_ptr(x, (64,), (1,), (0,), (16,), (0,))\ni = 0\nwhile i < n:\n"
            "    tl.store(p, tl.load(p))\n    p = tl.advance(p, (16,))\n    i += 1",
            "x, n",
        ),
        "compile-error",
        "`for` loop",
    ),
    "The compiler's pass": (
        raised_by_triton("PassManager::run failed\npass without a reason: TritonGPUPipeline"),
        "compile-error",
        "`TritonGPUPipeline` failed on the kernel and gave no reason",
    ),
    "One of the compiler's passes": (
        raised_by_triton("PassManager::run failed"),
        "compile-error",
        "its reason is not known",
    ),
    "A pass of the compiler failed": (
        f"{HEAD}@triton.jit\ndef k(a, s, c):\n    i = tl.arange(0, 64)\n"
        "    x = tl.load(a + i[:, None] * 64 + i[None, :])\n"
        "    y = tl.load(s + i[:, None] * 2 + tl.arange(0, 2)[None, :])\n"
        "    z = tl.dot_scaled(x, y, 'e5m2', x, y, 'e5m2')\n"
        "    tl.store(c + i[:, None] * 64 + i[None, :], z)\n\n"
        "def f():\n    types = {'a': '*fp8e5', 's': '*u8', 'c': '*fp32'}\n"
        "    compiled(k, types, target=GPUTarget('hip', 'gfx942', 64))\n",
        "compile-error",
        "Unsupported DotScaleOp",
    ),
    "A `return` stands in a loop": (
        kernel("for i in range(n):\n    if i > 2:\n        return", "x, n"),
        "compile-error",
        "under an `if`",
    ),
    "it has {1}": (
        kernel("tl.load(x).to(tl.float8e4nv)").replace("*fp32", "*bf16")[:-2]
        + ", target=GPUTarget('cuda', 80, 32))\n",
        "compile-error",
        "'fp8e4b15', 'fp8e5'",
    ),
    "`num_warps` must be": (
        f"{HEAD}@triton.jit\ndef k(x):\n    pass\n\ndef f():\n"
        "    source = ASTSource(k, signature={'x': '*fp32'})\n"
        "    triton.compile(source, target=GPUTarget('cuda', 90, 32), options={'num_warps': 3})\n",
        "compile-error",
        "power of two",
    ),
    # Dynamo.
    "Which branch an": (
        traced("if x.sum() > 0:\n    return x\nreturn -x"),
        "graph-break",
        "line 4",
    ),
    "A number that comes out": (
        traced("for i in range(int(x.sum())):\n    x = x + 1\nreturn x"),
        "graph-break",
        "_check",
    ),
    "keeps out of graphs": (
        "import torch\n@torch.compiler.disable\ndef h(x): return x + 1\n"
        "def g(x): return h(x)\n"
        "def f(): torch.compile(g, backend='eager', fullgraph=True)(torch.ones(4))\n",
        "graph-break",
        "line 4",
    ),
    "`.tolist()`": (traced("return x * sum(x.tolist())"), "graph-break", "line 4"),
    "leaves `print` to Python": (
        traced("print(x)\nreturn x"),
        "graph-break",
        "Print after the call",
    ),
    "cannot trace Python's": (traced("open('/dev/null')\nreturn x"), "graph-break", "`open`"),
    "asks for a break itself": (
        traced("torch._dynamo.graph_break()\nreturn x"),
        "graph-break",
        "line 4",
    ),
    "a C extension": (traced("import time\ntime.time()\nreturn x"), "graph-break", "`time.time`"),
    "changes autograd's state": (
        traced("x.requires_grad_()\nreturn x * 2"),
        "graph-break",
        "`.requires_grad_()`",
    ),
    "changed in place, which": (traced("x.resize_(8)\nreturn x"), "graph-break", "new tensor"),
    "uses a name that nothing": (traced("return x + nowhere"), "crash", "nothing defines"),
    "torch's limit was reached": (
        "import torch\ndef g(x, n): return x * n\ndef f():\n"
        "    h = torch.compile(g, backend='eager', fullgraph=True, dynamic=False)\n"
        "    with torch._dynamo.config.patch(recompile_limit=2):\n"
        "        for i in range(2, 9): h(torch.ones(i), 1)\n",
        "recompiles",
        "guard",
    ),
    "is marked as dynamic": (
        "import torch\ndef g(x):\n    return x.reshape(4) if x.shape[0] == 4 else x\n"
        "def f():\n    x = torch.ones(4)\n    torch._dynamo.mark_dynamic(x, 0)\n"
        "    torch.compile(g, backend='eager', fullgraph=True)(x)\n",
        "recompiles",
        "holds for 4 only",
    ),
    "nested too deeply": (
        "x = 1\nif x == 0:\n    pass\n" + "elif x == 1:\n    pass\n" * NESTED,
        "compile-error",
        "`elif`",
    ),
    "calls itself without an end": (traced("return g(x)"), "crash", "an end"),
    "has no backend named": (traced("return x", options="backend='nope'"), "crash", "`nope`"),
    "Inductor has no option": (
        traced("return x", options="options={'nope': 1}"),
        "crash",
        "`nope`",
    ),
    "says nothing of its output's shape": (
        "import torch\n@torch.library.custom_op('told::no_fake', mutates_args=())\n"
        "def op(x: torch.Tensor) -> torch.Tensor:\n    return x.clone()\n"
        "def g(x): return op(x) * 2\n"
        "def f(): torch.compile(g, fullgraph=True, backend='aot_eager')(torch.ones(4))\n",
        "crash",
        "`told::no_fake`",
    ),
    "than its `register_fake`": (
        "import torch\n@torch.library.custom_op('told::wrong_fake', mutates_args=())\n"
        "def op(x: torch.Tensor) -> torch.Tensor:\n    return x.clone()\n"
        "@op.register_fake\ndef _(x): return torch.empty(3)\n"
        "def g(x): return op(x) + 1\ndef f(): torch.compile(g)(torch.ones(5))\n",
        "crash",
        "another shape",
    ),
    "symbolic_trace` met": (
        "import torch.fx\ndef g(x):\n    return x if x.sum() > 0 else -x\n"
        "def f(): torch.fx.symbolic_trace(g)\n",
        "graph-break",
        "records operations",
    ),
    "is erased while other nodes": (
        "import torch.fx\ndef g(x): return x.sin().cos()\ndef f():\n"
        "    gm = torch.fx.symbolic_trace(g)\n"
        "    gm.graph.erase_node(list(gm.graph.nodes)[1])\n",
        "crash",
        "`sin`",
    ),
    # Inductor.
    "found no compiler": (
        "import torch\ndef g(x): return x.sin() + 1\ndef f():\n"
        "    with torch._inductor.config.patch({'cpp.cxx': ('no-such-g++',), "
        "'fx_graph_cache': False}):\n        torch.compile(g)(torch.ones(7))\n",
        "crash",
        "`g++`",
    ),
    "could not lower": (
        "import torch\nfrom torch._inductor.lowering import register_lowering\n"
        "@torch.library.custom_op('told::unlowered', mutates_args=())\n"
        "def op(x: torch.Tensor) -> torch.Tensor:\n    return x.clone()\n"
        "@op.register_fake\ndef _(x): return torch.empty_like(x)\n"
        "@register_lowering(torch.ops.told.unlowered.default)\n"
        "def low(x): raise ValueError('nothing for this')\n"
        "def g(x): return op(x) + 1\ndef f(): torch.compile(g)(torch.ones(5))\n",
        "crash",
        "ValueError: nothing for this",
    ),
    # PyTorch itself.
    "cannot be multiplied": (
        "import torch\ndef f(): torch.ones(4, 3) @ torch.ones(4, 3)\n",
        "crash",
        "4x3 and 4x3",
    ),
    "have no product": (traced("return x @ torch.ones(5, 5)"), "crash", "[1, 4] and [5, 5]"),
    "along one dimension": (
        "import torch\ndef f(): torch.ones(4) + torch.ones(3)\n",
        "crash",
        "4 and 3 elements",
    ),
    "to the other tensor's": (traced("return x + torch.ones(5)"), "crash", "5 elements"),
    "of different dtypes": (
        "import torch\ndef f(): torch.ones(4, 4) @ torch.ones(4, 4).double()\n",
        "crash",
        "float and double",
    ),
    "wants a gradient": (
        "import torch\ndef f(): torch.ones(4, requires_grad=True).add_(1)\n",
        "crash",
        "no_grad",
    ),
    "cannot rearrange memory": (
        "import torch\ndef f(): torch.ones(4, 4).t().view(16)\n",
        "crash",
        "`reshape`",
    ),
    "this tensor has many": (
        "import torch\ndef f():\n    if torch.ones(4) > 0: pass\n",
        "crash",
        ".any()",
    ),
    "receives from itself": (
        "import os\nimport tempfile\nimport torch\nimport torch.distributed as dist\n"
        "def f():\n    os.environ['GLOO_SOCKET_IFNAME'] = 'lo'\n"
        "    with tempfile.TemporaryDirectory() as folder:\n"
        "        store = dist.FileStore(f'{folder}/store', 1)\n"
        "        dist.init_process_group('gloo', store=store, rank=0, world_size=1)\n"
        "        try:\n            dist.recv(torch.ones(1), 0)\n"
        "        finally:\n            dist.destroy_process_group()\n",
        "crash",
        "not with itself",
    ),
    "`backward` ran twice": (
        "import torch\ndef f():\n    y = (torch.ones(3, requires_grad=True) ** 2).sum()\n"
        "    y.backward()\n    y.backward()\n",
        "crash",
        "twice",
    ),
    "is unrolled by the compiler": (
        kernel("for i in tl.static_range(n):\n    tl.store(x + i, 1.0)", "x, n"),
        "compile-error",
        "`tl.constexpr`",
    ),
    # What only a machine without a GPU says.
    "Triton is asked for its GPU": (
        "import torch, triton\n@triton.jit\ndef k(x): pass\ndef f(): k[(1,)](torch.ones(4))\n",
        "compile-error",
        "`x.device`",
    ),
    "is called inside the compiled function": (
        "import torch\n@torch.compile(backend='eager')\ndef f():\n"
        "    x = torch.ones(4)\n    torch._dynamo.mark_dynamic(x, 0)\n    return x\n",
        "crash",
        "`mark_dynamic` is called inside",
    ),
    "none here that this PyTorch can use": (
        "import torch\ndef f(): torch.ones(4, device='cuda')\n",
        "crash",
        "x.device",
    ),
    "ended the program": ("import sys\ndef f():\n    sys.exit(0)\n", "crash", "ended"),
}

# Raised on a GPU only. The classes are the libraries' own; the texts are those of
# triton/runtime/errors.py, third_party/nvidia/backend/driver.c and c10/cuda (CUDACachingAllocator.cpp,
# CUDAException.cpp; torch 2.13); test_gpu_errors.py provokes them where there is one.
ON_A_GPU = (
    (
        triton.runtime.errors.OutOfResources(262144, 232448, "shared memory"),
        "too-many-resources",
        "needs 262144 bytes of shared memory; the device has 232448",
    ),
    (
        triton.runtime.errors.OutOfResources(2048, 1024, "threads"),
        "too-many-resources",
        "needs 2048 threads a block; the device has 1024",
    ),
    (
        triton.runtime.errors.PTXASError(
            "PTXAS error: Internal Triton PTX codegen error\n`ptxas` stderr:\n"
            "ptxas error   : Entry function 'k' uses too much shared data\n"
        ),
        "too-many-resources",
        "uses too much shared data. Use smaller tiles",
    ),
    (
        triton.runtime.errors.PTXASError(
            "PTXAS error: Internal Triton PTX codegen error\n`ptxas` stderr:\n"
            "ptxas /tmp/k.ptx, line 32; error   : Modifier '.wait' requires .target sm_90 or higher\n"
        ),
        "compile-error",
        "requires .target sm_90 or higher. It needs sm_90 or later as its target.",
    ),
    (
        torch.AcceleratorError(
            "CUDA error: an illegal memory access was encountered\n"
            "Search for `cudaErrorIllegalAddress' in https://docs.nvidia.com/cuda/cuda-runtime-api/"
        ),
        "out-of-bounds-store",
        "memory that is not its own",
    ),
    # What a GPU's own compilation prints is not read.
    (RuntimeError("error encountered during parsing"), "compile-error", "truths"),
    (
        RuntimeError("LLD failed to link hsaco source a into b because \nerror: no, at `s_x`"),
        "compile-error",
        "AMD's assembler refused the kernel: no, at `s_x`",
    ),
    (
        triton.runtime.errors.PTXASError(
            "PTXAS error: Internal Triton PTX codegen error\n`ptxas` stderr:\n"
            "ptxas /tmp/k.ptx, line 3; error   : Unknown symbol 'q'\n"
        ),
        "compile-error",
        "refused the kernel: Unknown symbol 'q'.",
    ),
    (
        CannotHere("`torch.cuda.mem_get_info` asks a GPU, and there is none: this needs a GPU"),
        "not-interpretable",
        "`torch.cuda.mem_get_info` asks a GPU",
    ),
    (torch.AcceleratorError("CUDA error: misaligned address"), "out-of-bounds-load", "multiple"),
    (torch.AcceleratorError("CUDA error: device-side assert triggered"), "crash", "assertion"),
    (
        torch.AcceleratorError("CUDA error: invalid configuration argument"),
        "compile-error",
        "launch",
    ),
    (
        torch.AcceleratorError(
            "CUDA error: no kernel image is available for execution on the device"
        ),
        "compile-error",
        "another GPU",
    ),
    (
        torch.OutOfMemoryError(
            "CUDA out of memory. Tried to allocate 93.13 GiB. GPU 0 has a total capacity of 139.80 GiB"
        ),
        "out-of-memory",
        "More memory was asked for",
    ),
    (
        ValueError("Pointer argument (at 1) cannot be accessed from Triton (cpu tensor?)"),
        "crash",
        "Argument 1 of the launch",
    ),
    (
        RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            "cuda:0 and cpu!"
        ),
        "crash",
        "x.device",
    ),
)

# Breaks of a function that need not be one graph, as `torch._dynamo.explain` tells them.
BREAKS = {
    "`.item()` takes": lambda x: x * x.sum().item(),
    "output depends on values": lambda x: x[x > 0] * 2,
}

INTERPRETED = {
    "Triton has no `**`": ("tl.load(x) ** 2", "(1,)", "compile-error"),
    "Triton has no `@`": ("tl.load(x) @ tl.load(x)", "(1,)", "compile-error"),
    "Python's built-in functions": ("abs(tl.load(x))", "(1,)", "compile-error"),
    "`//` is for whole": ("tl.load(x) // 2.0", "(1,)", "compile-error"),
    "This operator does not": ("tl.load(x) & tl.load(x)", "(1,)", "compile-error"),
    "`~` turns truths": ("~tl.load(x)", "(1,)", "compile-error"),
    "Python wants one number": ("range(tl.arange(0, 4))", "(1,)", "compile-error"),
    "A function of PyTorch": ("torch.add(tl.load(x), 1.0)", "(1,)", "compile-error"),
    "can be neither indexed": ("tl.load(x)[0]", "(1,)", "compile-error"),
    "A tile stands where a number": (
        "tl.max(tl.arange(0, 4), tl.arange(0, 4))",
        "(1,)",
        "compile-error",
    ),
    "Types in a kernel": ("tl.load(x).to('float')", "(1,)", "compile-error"),
    "A type of Triton is": ("tl.float32(tl.load(x))", "(1,)", "compile-error"),
    "A kernel works with pointers": ("tl.load(None)", "(1,)", "compile-error"),
    "Only a tensor descriptor has": ("x.load([0])", "(1,)", "compile-error"),
    "A tile is no tensor": ("tl.load(x).t()", "(1,)", "compile-error"),
    "a bare address": ("tl.store(x, x.shape[0])", "(1,)", "compile-error"),
    "`.item()` makes": ("tl.arange(0, 4).item()", "(1,)", "compile-error"),
    "The addresses are a tile": (
        "tl.store(x + tl.arange(0, 4), tl.zeros([4, 4], tl.float32))",
        "(1,)",
        "compile-error",
    ),
    "The addresses, the value": (
        "tl.atomic_add(x, tl.zeros([4], tl.float32))",
        "(1,)",
        "compile-error",
    ),
    "The third argument of": (
        "tl.dot(tl.zeros([16, 16], tl.float16), tl.zeros([16, 16], tl.float16), "
        "tl.zeros([32, 16], tl.float32))",
        "(1,)",
        "compile-error",
    ),
    "Addresses stand where": (
        "tl.store(x + tl.arange(0, 4), x + tl.arange(0, 4))",
        "(1,)",
        "compile-error",
    ),
    "was given a value for": ("tl.store(tl.load(x), x)", "(1,)", "compile-error"),
    "A grid is a tuple": ("tl.store(x, 1.0)", "3", "compile-error"),
    "one number for each axis": ("tl.store(x, 1.0)", "1.5", "compile-error"),
    "A fraction stands": ("tl.store(x, 1.0)", "(1.5,)", "compile-error"),
    "a length that is a power of two": ("tl.arange(0, 100)", "(1,)", "compile-error"),
    "Both ends of": ("tl.arange(0, n)", "(1,)", "compile-error"),
    "Triton's language has no": ("tl.no_such_function(x)", "(1,)", "compile-error"),
    "at most three dimensions": ("tl.store(x, 1.0)", "(1, 1, 1, 1)", "compile-error"),
    "`{0}` is used but nothing": ("tl.store(x, nowhere)", "(1,)", "crash"),
    "atomic operations in bfloat16": (
        "tl.atomic_add(x.to(tl.pointer_type(tl.bfloat16)), 1.0)",
        "(1,)",
        "not-interpretable",
    ),
    "cannot run libdevice's": ("libdevice.j0(tl.load(x))", "(1,)", "not-interpretable"),
    "is reduced along an axis that it lacks": (
        "tl.max(tl.arange(0, 4), tl.max(tl.arange(0, 4) - 5, axis=0))",
        "(1,)",
        "compile-error",
    ),
    "A whole tile goes to a single address": (
        "tl.atomic_add(x, tl.zeros([4], tl.float32), mask=tl.arange(0, 4) < n)",
        "(1,)",
        "compile-error",
    ),
    "not a block pointer": (
        "tl.atomic_add(tl.make_block_ptr(x, (4,), (1,), (0,), (4,), (0,)), 1.0)",
        "(1,)",
        "compile-error",
    ),
    "asks the GPU that runs the kernel": ("tl.extra.cuda.smid()", "(1,)", "not-interpretable"),
    "cannot run inline assembly": (
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [tl.load(x)], tl.float32, True, 1)",
        "(1,)",
        "not-interpretable",
    ),
    "cannot run `tl.dot_scaled`": (
        "tl.dot_scaled(x, None, 'e4m3', x, None, 'e4m3')",
        "(1,)",
        "not-interpretable",
    ),
    "lacks an operation": (
        "tl.make_tensor_descriptor(x, [16], [1], [16]).atomic_add([0], tl.zeros([16], tl.float32))",
        "(1,)",
        "not-interpretable",
    ),
    "The index of `tl.gather`": (
        "tl.gather(tl.arange(0, 4), tl.zeros([4], tl.float32), 0)",
        "(1,)",
        "compile-error",
    ),
    "Triton does not convert": (
        "tl.zeros([4], tl.float8e5).to(tl.float8e4nv)",
        "(1,)",
        "compile-error",
    ),
    "Triton does not compute": (
        "tl.zeros([4], tl.float8e5) + tl.zeros([4], tl.float8e5)",
        "(1,)",
        "compile-error",
    ),
}
OF_TRITON_3_9 = [
    (
        NotImplementedError(
            "Block pointers have been removed in favor of the tensor descriptor API"
        ),
        "compile-error",
        "has no block pointers",
    ),
    (
        RuntimeError(
            "AMD LLVM 6bc4: AMD assembler rejected generated AMDGCN\n"
            "error: invalid instruction, at `mov.u32 v0, %smid`"
        ),
        "compile-error",
        "refused the kernel: invalid instruction, at `mov.u32",
    ),
]


@pytest.fixture(autouse=True)
def _compiler_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    # To precompile C++ headers takes longer than they save one function.
    monkeypatch.setattr(torch._inductor.config, "cpp_cache_precompile_headers", False)
    torch._dynamo.reset()


@pytest.mark.slow
@pytest.mark.parametrize(("words", "case"), NATIVE.items(), ids=NATIVE.keys())
def test_an_error_of_python_torch_or_the_compiler(words, case):
    absent = ("where there is no GPU", "none here that this PyTorch can use")
    if words in absent and torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    source, code, says = case
    report = told(source)
    assert matching(report) is of(words), report
    finding = translate(report)
    assert finding.code == code
    assert says in finding.message
    assert finding.detail == report.detail


def test_an_error_of_a_decorator_is_not_told_as_one_of_a_kernel():
    decorated = "@triton.autotune([], [], restore_value=1)\n@triton.jit\ndef k():\n    pass\n"
    finding = translate(told(f"import triton\n{decorated}"))
    assert "TypeError: 'int' object is not iterable (line 2)" in finding.message


@pytest.mark.parametrize("words", BREAKS)
def test_a_break_is_told_as_what_the_code_does(words):
    (found,) = graph_capture.explain_graphs(BREAKS[words], (torch.ones(4),), __file__).breaks
    assert graph_break(found.reason) == of(words).says.rstrip(".")
    assert found.line == BREAKS[words].__code__.co_firstlineno


def test_a_break_that_no_row_knows_keeps_dynamos_first_line():
    assert graph_break("\n Something new\n  Explanation: no") == "Something new"
    assert graph_break("") == "an untraceable call"


@pytest.mark.parametrize(("error", "code", "says"), [*ON_A_GPU, *OF_TRITON_3_9])
def test_an_error_of_a_gpu_or_another_release(error, code, says):
    finding = translate(learner_module.describe_error(error, FILE))
    assert finding.code == code
    assert says in finding.message


@pytest.mark.slow
@pytest.mark.parametrize(("words", "case"), INTERPRETED.items(), ids=INTERPRETED.keys())
def test_an_error_in_the_interpreter(judge, words, case):
    line, grid, code = case
    if "make_block_ptr" in line and TRITON >= (3, 9):
        pytest.skip("this Triton has no block pointers")
    library = "from triton.language.extra import libdevice\n"
    before = f"{library}@triton.jit\ndef k(x, n):\n    {line}\n"
    source = entry(f"k[{grid}](x, 8)\nreturn x", before)
    finding = judged(judge, source, device="cpu").diagnosis[0]
    assert finding.code == code
    assert of(words).says.split("{0}")[0].split(".")[0][:40] in finding.message
    assert finding.line is not None
    assert source.splitlines()[finding.line - 1].strip() in (line, f"k[{grid}](x, 8)")


def test_every_row_of_the_table_is_provoked():
    errors = [error for error, _, _ in (*ON_A_GPU, *OF_TRITON_3_9)]
    gpu = {matching(learner_module.describe_error(error, FILE)) for error in errors}
    provoked = {of(words) for words in (*NATIVE, *BREAKS, *INTERPRETED, CALLED)} | gpu
    assert [row for row in (*LAUNCHED, *TABLE) if row not in provoked] == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MemoryError(), "out-of-memory"),
        (ZeroDivisionError("division by zero"), "crash"),
        (IndentationError("unexpected indent"), "compile-error"),
        (KeyboardInterrupt(), "crash"),
    ],
)
def test_other_spellings_of_the_same_error(error, code):
    assert translate(learner_module.describe_error(error, FILE)).code == code


def test_numpys_word_for_want_of_memory():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(MemoryError) as caught:
        numpy.empty(10**16)
    assert translate(learner_module.describe_error(caught.value, FILE)).code == "out-of-memory"


CALLED = "A PyTorch tensor stands"


def test_a_kernel_that_is_called_like_a_function(judge):
    source = entry("out = torch.empty_like(x)\nadd_kernel(x, y, out, x.numel(), BLOCK)\nreturn out")
    finding = judged(judge, source, device="cpu").diagnosis[0]
    assert finding.code == "compile-error"
    assert finding.message.startswith(of(CALLED).says[:60])


def test_what_only_a_kernel_means_so_is_not_said_of_other_code():
    for wrong in ("len(3)", "'a'.type", "[][0]", "range(1.5)", "for i in 3: pass"):
        report = told(f"def f():\n    {wrong}\n")
        said = {row.says for row in LAUNCHED}
        assert not report.launched
        assert match_error(report.type, report.message, launched=True)[1].split("`")[0] in {
            each.split("`")[0] for each in said
        }
        told_of_it = match_error(report.type, report.message)
        assert told_of_it is None or told_of_it[1] not in said


def test_a_launch_that_leaves_out_an_argument(judge):
    source = entry("add_kernel[(1,)](x, y)\nreturn x")
    finding = judged(judge, source, device="cpu").diagnosis[0]
    assert finding.code == "compile-error"
    assert "'BLOCK'" in finding.message
    assert finding.line == len(KERNEL.splitlines()) + 3


def test_the_line_of_a_compiler_error_counts_from_the_files_first():
    source = kernel("tl.arange(0, 100)")
    report = told(source)
    assert source.splitlines()[report.line - 1].strip() == "tl.arange(0, 100)"


def test_an_error_that_no_row_knows_is_told_with_its_own_words():
    finding = translate(LearnerError("[/red] {0} text\nmore", "OddError", line=3), case="one block")
    assert finding.message == (
        "Your code raised OddError: [/red] {0} text (line 3). It happened in the case “one block”."
    )
    assert (finding.code, finding.line) == ("crash", 3)
    bare = translate(LearnerError("", "OddError"))
    assert bare.message == "Your code raised OddError."


def test_braces_in_what_a_pattern_found_are_text():
    finding = translate(LearnerError("f-string: {x} {0}", "SyntaxError"))
    assert "{x} {0}" in finding.message
