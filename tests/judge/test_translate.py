"""Each row of the table of errors, provoked on the installed versions.

`NATIVE` runs here, where Triton compiles; `INTERPRETED` runs as a submission, where it interprets.
What needs a GPU is raised by the library's own exception class, with the text of its source.
"""

import re

import pytest
import torch
import triton.runtime.errors
from judging import KERNEL, entry, judged

from tutor.judge import learner
from tutor.judge.translate import TABLE, Row, translate

FILE = "/learner/file.py"

HEAD = """\
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

def compiled(kernel, signature, constants=None):
    source = ASTSource(kernel, signature=signature, constexprs=constants or {})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32))

"""


def kernel(line: str, args: str = "x") -> str:
    signature = "{'x': '*fp32', 'n': 'i32'}" if "n" in args else "{'x': '*fp32'}"
    return (
        f"{HEAD}@triton.jit\ndef k({args}):\n    {line}\n\ndef f():\n    compiled(k, {signature})\n"
    )


def matching(report: dict) -> Row:
    """The row that translates a report."""
    for row in TABLE:
        if re.fullmatch(row.type, report["type"]) and re.search(row.text, report["message"]):
            return row
    raise AssertionError(f"no row for {report['type']}: {report['message']}")


def told(source: str) -> dict:
    """The report on an error at import or in `f()`."""
    try:
        learner.load(source, FILE, "translate_test").f()
    except learner.Unloadable as error:
        return error.report
    except BaseException as error:
        return learner.describe(error, FILE)
    raise AssertionError("an error was to be raised")


def of(word: str) -> Row:
    (row,) = (row for row in TABLE if word in row.says)
    return row


# The words of a row's sentence -> what provokes it, the code, and words that must be in the sentence.
NATIVE = {
    "NUL bytes": ("x = '\0'\n", "compile-error", "NUL"),
    "cannot read the file": ("def f(:\n    pass\n", "compile-error", "line 1"),
    "There is no module": ("import no_such_module_here\n", "import-error", "`no_such_module_here`"),
    "has no `{0}`.": ("from math import no_such_name\n", "import-error", "`math` has no `no_such_name`"),
    "power of two": (kernel("tl.arange(0, 100)"), "compile-error", "next_power_of_2"),
    "annotated `tl.constexpr`": (kernel("tl.arange(0, n)", "x, n"), "compile-error", "tl.constexpr"),
    "A call leaves out": ("def g(a, b): pass\ndef f(): g(1)\n", "compile-error", "'b'"),
    "called like a function": (
        f"{HEAD}@triton.jit\ndef k(x):\n    pass\n\ndef f():\n    k(1)\n",
        "compile-error", "kernel[grid]"),
    "Triton's language has no": (
        f"{HEAD}def f():\n    tl.no_such_function\n", "compile-error", "`tl.no_such_function`"),
    "PyTorch has no": ("import torch\ndef f():\n    torch.no_such()\n", "crash", "`torch.no_such`"),
    "`{0}` is used but nothing": ("def f():\n    return nowhere\n", "crash", "`nowhere`"),
    "used in the kernel but": (kernel("tl.store(x, nowhere)"), "compile-error", "`nowhere`"),
    "Two blocks of different shapes": (
        kernel("tl.arange(0, 4) + tl.arange(0, 8)"), "compile-error", "[:, None]"),
    "More memory was asked": (
        "import torch\ndef f():\n    torch.empty(10**15)\n", "out-of-memory", "limit"),
    "A {0} has no": ("def f():\n    (1).shape\n", "crash", "A int has no `shape`"),
    "divided by zero": ("def f():\n    1 / 0\n", "crash", "line 2"),
    "returned nothing that can be called": (
        "import torch\ndef b(graph, inputs): pass\n"
        "def f():\n    torch.compile(torch.sin, backend=b)(torch.ones(2))\n",
        "crash", "runs the graph"),
    "The backend raised": (
        "import torch\ndef b(graph, inputs): raise ValueError('no')\n"
        "def f():\n    torch.compile(torch.sin, backend=b)(torch.ones(2))\n",
        "crash", "ValueError: no"),
    "ended the program": ("import sys\ndef f():\n    sys.exit(0)\n", "crash", "ended"),
}  # fmt: skip

# Raised on a GPU only. The classes are the libraries' own; the texts are those of
# triton/runtime/errors.py and c10/cuda (CUDACachingAllocator.cpp, CUDAException.cpp; torch 2.13).
ON_A_GPU = {
    "too-many-resources": (
        triton.runtime.errors.OutOfResources(262144, 232448, "shared memory"),
        "needs 262144 bytes of shared memory; the device has 232448",
    ),
    "out-of-bounds-store": (
        torch.AcceleratorError(
            "CUDA error: an illegal memory access was encountered\n"
            "Search for `cudaErrorIllegalAddress' in https://docs.nvidia.com/cuda/cuda-runtime-api/"
        ),
        "memory that is not its own",
    ),
    "out-of-memory": (
        torch.OutOfMemoryError(
            "CUDA out of memory. Tried to allocate 93.13 GiB. GPU 0 has a total capacity of 139.80 GiB"
        ),
        "More memory was asked for",
    ),
}

INTERPRETED = {
    "power of two": ("tl.arange(0, 100)", "(1,)", "compile-error"),
    "annotated `tl.constexpr`": ("tl.arange(0, n)", "(1,)", "compile-error"),
    "Triton's language has no": ("tl.no_such_function(x)", "(1,)", "compile-error"),
    "at most three dimensions": ("tl.store(x, 1.0)", "(1, 1, 1, 1)", "compile-error"),
    "`{0}` is used but nothing": ("tl.store(x, nowhere)", "(1,)", "crash"),
}


@pytest.fixture(autouse=True)
def _compiler_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize(("words", "case"), NATIVE.items(), ids=NATIVE.keys())
def test_an_error_of_python_torch_or_the_compiler(words, case):
    source, code, says = case
    report = told(source)
    assert matching(report) is of(words), report
    finding = translate(report, source)
    assert finding.code == code
    assert says in finding.message
    assert finding.detail == report["detail"]


@pytest.mark.parametrize("code", ON_A_GPU)
def test_an_error_of_a_gpu(code):
    error, says = ON_A_GPU[code]
    finding = translate(learner.describe(error, FILE), "")
    assert finding.code == code
    assert says in finding.message


@pytest.mark.parametrize(("words", "case"), INTERPRETED.items(), ids=INTERPRETED.keys())
def test_an_error_in_the_interpreter(judge, words, case):
    line, grid, code = case
    before = f"@triton.jit\ndef k(x, n):\n    {line}\n"
    source = entry(f"k[{grid}](x, 8)\nreturn x", before)
    finding = judged(judge, source).diagnosis[0]
    assert finding.code == code
    assert of(words).says.split("{0}")[0].split(".")[0][:20] in finding.message
    assert finding.line is not None
    assert source.splitlines()[finding.line - 1].strip() in (line, f"k[{grid}](x, 8)")


def test_every_row_of_the_table_is_provoked():
    gpu = {matching(learner.describe(error, FILE)) for error, _ in ON_A_GPU.values()}
    provoked = {of(words) for words in (*NATIVE, *INTERPRETED)} | gpu
    assert [row for row in TABLE if row not in provoked] == []


@pytest.mark.parametrize(
    ("error", "code"),
    [(MemoryError(), "out-of-memory"), (ZeroDivisionError("division by zero"), "crash"),
     (IndentationError("unexpected indent"), "compile-error"), (KeyboardInterrupt(), "crash")],
)  # fmt: skip
def test_other_spellings_of_the_same_error(error, code):
    assert translate(learner.describe(error, FILE), "").code == code


def test_numpys_word_for_want_of_memory():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(MemoryError) as caught:
        numpy.empty(10**16)
    assert translate(learner.describe(caught.value, FILE), "").code == "out-of-memory"


def test_a_launch_that_leaves_out_an_argument(judge):
    source = entry("add_kernel[(1,)](x, y)\nreturn x")
    finding = judged(judge, source).diagnosis[0]
    assert finding.code == "compile-error"
    assert "'BLOCK'" in finding.message
    assert finding.line == len(KERNEL.splitlines()) + 3


def test_the_line_of_a_compiler_error_counts_from_the_files_first():
    source = kernel("tl.arange(0, 100)")
    report = told(source)
    assert source.splitlines()[report["line"] - 1].strip() == "tl.arange(0, 100)"


def test_an_error_that_no_row_knows_is_told_with_its_own_words():
    finding = translate(
        {"type": "OddError", "message": "[/red] {0} text\nmore", "line": 3}, "", case="one block"
    )
    assert finding.message == (
        "Your code raised OddError: [/red] {0} text (line 3). It happened in the case “one block”."
    )
    assert (finding.code, finding.line) == ("crash", 3)
    bare = translate({"type": "OddError", "message": ""}, "")
    assert bare.message == "Your code raised OddError."


def test_braces_in_what_a_pattern_found_are_text():
    finding = translate({"type": "SyntaxError", "message": "f-string: {x} {0}"}, "")
    assert "{x} {0}" in finding.message
