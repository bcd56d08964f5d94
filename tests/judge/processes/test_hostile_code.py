"""What a learner's file may do, by mistake or on purpose, and the verdict it gets. The judge lives on:
each test ends with a right answer that is judged right."""

import os
import threading

import pytest
from judging import BE_LEFTOVER, KERNEL, RIGHT, entry, first_code, judged, leftovers, until

from tutor.judge.client import Judge
from tutor.judge.processes.process_control import resident_bytes

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def still_working(strict):
    yield
    assert judged(strict, RIGHT).passed


# --- ends that are not answers --------------------------------------------------------------------

ENDS = {
    "endless loop at import": ("while True:\n    pass\n", "timeout"),
    "endless loop in the entry": (entry("while True:\n    pass"), "timeout"),
    "endless loop in the kernel": (
        RIGHT.replace("    mask = ", "    while True:\n        pass\n    mask = "),
        "timeout",
    ),
    "sleeping": (entry("import time\ntime.sleep(1000)"), "timeout"),
    "deaf to signals": (
        entry(
            "import signal\nfor s in range(1, 32):\n    try:\n        signal.signal(s, "
            "signal.SIG_IGN)\n    except OSError:\n        pass\nwhile True:\n    try:\n"
            "        while True:\n            pass\n    except BaseException:\n        pass"
        ),
        "timeout",
    ),
    "stopped": (entry("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"), "timeout"),
    "stops its parent": (
        entry("import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nreturn launched(x, y)"),
        "tampering",
    ),
    "stops the keeper": (
        entry(
            "import os, signal\nstat = open(f'/proc/{os.getppid()}/stat').read()\n"
            "os.kill(int(stat.rpartition(')')[2].split()[1]), signal.SIGSTOP)\nreturn launched(x, y)"
        ),
        "tampering",
    ),
    "os._exit at import": ("import os\nos._exit(0)\n", "crash"),
    "os._exit in the entry": (entry("import os\nos._exit(0)"), "crash"),
    "sys.exit at import": ("import sys\nsys.exit(0)\n", "crash"),
    "sys.exit in the entry": (entry("import sys\nsys.exit(0)"), "crash"),
    "a segmentation fault": (entry("import ctypes\nctypes.string_at(0)"), "crash"),
    "an abort": (entry("import os\nos.abort()"), "crash"),
    "without bottom": (entry("def f():\n    return f()\nf()"), "crash"),
    "100 GB at once": (entry("return torch.empty(25 * 10**9)"), "out-of-memory"),
    "100 GB of bytes": (entry("return bytearray(100 * 10**9)"), "out-of-memory"),
    "100 GB at import": ("import torch\nX = torch.empty(25 * 10**9)\n", "out-of-memory"),
    "more and more": (
        entry("kept = []\nwhile True:\n    kept.append(bytes(32 << 20))"),
        "out-of-memory",
    ),
    "more and more, in children": (
        entry(
            "import os\nfor _ in range(4):\n    if os.fork() == 0:\n"
            "        kept = bytearray(b'x') * (400 << 20)\n        while True:\n            pass\n"
            "while True:\n    pass"
        ),
        "out-of-memory",
    ),
    "printing for ever": (entry("while True:\n    print('x' * 1000)"), "too-much-output"),
    "printing for ever at import": ("while True:\n    print('x' * 1000)\n", "too-much-output"),
    "writing to descriptor 2 for ever": (
        entry("import os\nwhile True:\n    os.write(2, b'x' * 1000)"),
        "too-much-output",
    ),
}


@pytest.mark.parametrize(("source", "code"), ENDS.values(), ids=ENDS.keys())
def test_an_end_that_is_no_answer_has_its_code(strict, source, code):
    verdict = judged(strict, source)
    assert not verdict.passed
    assert first_code(verdict) == code, verdict.diagnosis
    assert verdict.diagnosis[0].message.endswith((".", "?"))
    assert len(verdict.output) <= 1 << 16


def test_a_loop_that_does_not_go_on_is_told_with_the_lines_that_move_it(strict) -> None:
    source = entry("i = 4\nwhile i > 0:\n    i = abs(i)")
    (finding,) = judged(strict, source).diagnosis
    rows = source.split("\n")
    head = next(i for i, row in enumerate(rows, 1) if "while" in row)
    assert (
        f"the loop of line {head} was running. It sets `i` in line {head + 1}." in finding.message
    )
    assert finding.line is None  # the condition may be wrong, or the step


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "endless loop at import",
            "while the file was loaded, before any case: the loop of line 1 ",
        ),
        ("endless loop in the kernel", "in the case “one element”: the loop of line {} "),
        ("sleeping", "in the case “one element”: line {} was running"),
    ],
)
def test_the_line_where_time_ran_out_is_named(strict, name, said):
    source, _ = ENDS[name]
    (finding,) = judged(strict, source).diagnosis
    lines = source.split("\n")
    at = next(i for i, line in enumerate(lines, 1) if "while" in line or "sleep" in line)
    assert said.format(at) in finding.message
    assert finding.line == at


def test_a_signal_is_named(strict):
    verdict = judged(strict, ENDS["a segmentation fault"][0])
    assert "SIGSEGV" in verdict.diagnosis[0].message


def test_the_line_where_memory_ran_out_is_named(strict):
    verdict = judged(strict, ENDS["100 GB at once"][0])
    assert verdict.diagnosis[0].line == ENDS["100 GB at once"][0].count("\n")


def test_printing_for_ever_fills_neither_the_server_nor_its_caller(strict):
    judged(strict, RIGHT)
    both = (os.getpid(), strict.server)
    before = [resident_bytes(pid) for pid in both]
    judged(strict, ENDS["printing for ever"][0])
    assert all(resident_bytes(pid) - b < 64 << 20 for pid, b in zip(both, before, strict=True))


# --- texts ------------------------------------------------------------------------------------------

TEXTS = {
    "markup": "[/red] [bold]x[/bold] [link=file:///]",
    "a launch": "kernel[grid](x)",
    "braces": "{0} {x!r} %s %(a)d",
    "escapes": "\x1b[31mred\x1b[0m \x07 \x00 end",
    "half a character": "\ud800 and \udcff",
    "right to left": "\u202eabc\u2066",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_the_text_of_an_error_survives_as_it_is(strict, text):
    finding = judged(strict, entry(f"raise ValueError({text!r})")).diagnosis[0]
    # Half a character cannot be stored or printed: it comes as its escape.
    assert text.encode("utf-8", "backslashreplace").decode() in finding.message
    assert "ValueError" in finding.detail
    assert finding.code == "crash"


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_what_is_printed_survives_as_it_is(strict, text):
    verdict = judged(strict, entry(f"print({text!r})\nreturn launched(x, y)"))
    assert verdict.passed
    assert text.encode("utf-8", "backslashreplace").decode() in verdict.output


def test_an_error_of_ten_megabytes_is_cut(strict):
    finding = judged(strict, entry("raise ValueError('x' * 10_000_000)")).diagnosis[0]
    assert finding.code == "crash"
    assert len(finding.message) < 1_000
    assert len(finding.detail) <= 16_000


RAISES = {
    "a __str__ that raises": "class E(Exception):\n    def __str__(self):\n        raise ValueError",
    "a __str__ that exits": "class E(Exception):\n    def __str__(self):\n        raise SystemExit",
    "a __str__ that is no text": "class E(Exception):\n    def __str__(self):\n        return 5",
    "a __repr__ that raises": (
        "class E(Exception):\n    def __repr__(self):\n        raise ValueError"
    ),
    "its own cause": "class E(Exception):\n    __cause__ = property(lambda self: self)",
    "a syntax error by hand": "class E(SyntaxError):\n    def __init__(self):\n"
    "        self.msg, self.lineno, self.text, self.offset = 5, 'x', 7, []",
}


@pytest.mark.parametrize("before", RAISES.values(), ids=RAISES.keys())
def test_an_exception_that_cannot_be_told_is_told_somehow(strict, before):
    verdict = judged(strict, entry("raise E()", before))
    assert not verdict.passed
    assert first_code(verdict) in ("crash", "compile-error")
    assert "E" in verdict.diagnosis[0].message


def test_a_ring_of_causes_ends(strict):
    verdict = judged(strict, entry("e = ValueError('round')\nraise e from e"))
    assert first_code(verdict) == "crash"
    assert "round" in verdict.diagnosis[0].message


def test_constants_of_any_size_are_carried_or_left_out(strict):
    odd = "BIG = 10**20000\nLONG = 'x' * (40 << 20)\nINF = float('inf')\nNAN = float('nan')\n"
    odd += "globals().update({f'n{i}': i for i in range(100_000)})\nglobals()[5] = 6\n"
    assert judged(strict, odd + RIGHT).passed


# --- what comes back --------------------------------------------------------------------------------

RETURNS = {
    "None": ("pass", "wrong-signature"),
    "a list": ("return [1.0]", "wrong-signature"),
    "numpy": ("return launched(x, y).numpy()", "wrong-signature"),
    "a number": ("return 1.0", "wrong-signature"),
    "a subclass": ("return launched(x, y).as_subclass(T)", "wrong-signature"),
    "sparse": ("return launched(x, y).to_sparse()", "wrong-signature"),
    "nested": ("return torch.nested.nested_tensor([x, y])", "wrong-signature"),
    "meta": ("return launched(x, y).to('meta')", "wrong-signature"),
    "complex": ("return launched(x, y).to(torch.complex64)", "wrong-signature"),
    "half": ("return launched(x, y).half()", "wrong-dtype"),
    "one row too many": ("return launched(x, y)[None]", "wrong-shape"),
    "larger than memory": ("launched(x, y)\nreturn torch.zeros(1).expand(10**12)", "out-of-memory"),
}


@pytest.mark.parametrize(("body", "code"), RETURNS.values(), ids=RETURNS.keys())
def test_what_is_no_output_is_said_to_be_none(strict, body, code):
    verdict = judged(strict, entry(body, "class T(torch.Tensor):\n    pass\n"))
    assert first_code(verdict) == code, verdict.diagnosis


ODD_BUT_RIGHT = {
    "requires grad": "return launched(x, y).requires_grad_()",
    "a parameter": "return torch.nn.Parameter(launched(x, y))",
    "computed with autograd": "return launched(x, y).requires_grad_().clone()",
    "not contiguous": "return launched(x, y).repeat(2, 1).T[:, 0]",
    "a lazily negated view": "return torch._neg_view(-launched(x, y))",
}


@pytest.mark.parametrize("body", ODD_BUT_RIGHT.values(), ids=ODD_BUT_RIGHT.keys())
def test_a_right_output_may_be_an_odd_one(strict, body):
    verdict = judged(strict, entry(body))
    assert all(case.passed for case in verdict.cases)
    # A negation in front of the view is work of PyTorch, and the only finding then.
    assert [d.code for d in verdict.diagnosis] == ["did-not-launch"] * ("_neg_view" in body)


# --- on purpose -------------------------------------------------------------------------------------

DAEMON = f"""\
import os, time
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            {BE_LEFTOVER.strip()}
            os.setsid()
            for fd in range(64):
                try:
                    os.close(fd)
                except OSError:
                    pass
            while True:
                time.sleep(0.1)
        os._exit(0)
daemon()
"""


def test_a_daemon_does_not_outlive_its_submission(strict_course, mark):
    with Judge(strict_course, cold=True) as judge:
        assert judged(judge, RIGHT).passed
        assert judged(judge, DAEMON + RIGHT).passed
        assert first_code(judged(judge, DAEMON + "while True:\n    pass\n")) == "timeout"
        until(lambda: not leftovers(mark))
        # One that kills the process which would have ended it: the server does, at the latest when
        # the judge is closed (`mark` looks after that).
        evil = DAEMON + "import signal\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(5)\n"
        assert first_code(judged(judge, evil)) == "crash"


TAMPERING = {
    "closes descriptors": (
        "import os\nfor fd in range(3, 11):\n    try:\n        os.close(fd)\n    except OSError:\n"
        "        pass\n"
    ),
    "closes its output": "import os\nfor fd in range(3):\n    os.close(fd)\n",
    "writes garbage everywhere": (
        "import os\nfor fd in range(3, 99):\n    try:\n        os.write(fd, b'\\xff' * 64)\n"
        "    except OSError:\n        pass\n"
    ),
    "answers for itself": (
        "import json, os, socket\nfor fd in range(3, 99):\n    try:\n"
        "        s = socket.socket(fileno=os.dup(fd))\n"
        "        body = json.dumps({'loaded': True, 'passed': True}).encode()\n"
        "        s.sendall(len(body).to_bytes(4, 'big') + body)\n    except OSError:\n"
        "        pass\n"
    ),
    "answers a half": (
        "import os\nfor fd in range(3, 99):\n    try:\n        os.write(fd, (99).to_bytes(4, 'big'))\n"
        "    except OSError:\n        pass\nimport time\ntime.sleep(30)\n"
    ),
    "answers as the judge would": (
        "import msgspec, os, socket\nfor fd in range(3, 99):\n    try:\n"
        "        s = socket.socket(fileno=os.dup(fd))\n"
        "        body = msgspec.msgpack.encode({'type': 'ModuleLoaded', 'passed': True})\n"
        "        s.sendall(len(body).to_bytes(4, 'big') + body)\n    except OSError:\n"
        "        pass\n"
    ),
    "sends a pipe for an output": (
        "import msgspec, os, socket\n"
        "def forge():\n    for fd in range(3, 99):\n        try:\n"
        "            s = socket.socket(fileno=os.dup(fd))\n"
        "            output = {'shape': [1], 'dtype': 'float32', 'device': 'cpu', 'alias': 99}\n"
        "            body = msgspec.msgpack.encode("
        "{'type': 'CaseAnswer', 'ms': 1.0, 'launches': 1, 'output': output})\n"
        "            socket.send_fds(s, [len(body).to_bytes(4, 'big') + body], [os.pipe()[0]])\n"
        "        except OSError:\n            pass\n"
        "launched = lambda x, y: forge() or x\n"
    ),
    "shortens what it got": (
        "import os\ndef launched(x, y):\n    for fd in range(3, 99):\n        try:\n"
        "            os.ftruncate(fd, 0)\n        except OSError:\n            pass\n"
        "    return x + y\n"
    ),
}


@pytest.mark.parametrize("before", TAMPERING.values(), ids=TAMPERING.keys())
def test_meddling_with_the_judges_descriptors_ends_in_a_verdict(strict, before):
    """Any verdict will do that does not take a wrong answer for right; the server must not fail."""
    wrong = KERNEL + before + "\ndef add(x, y):\n    return launched(x, y) + 1\n"
    verdict = judged(strict, wrong)
    assert not verdict.passed
    assert verdict.diagnosis


KILLS_SIBLINGS = (
    "import os, signal\nparent = os.getppid()\n"
    "for pid in open(f'/proc/{parent}/task/{parent}/children').read().split():\n"
    "    if int(pid) != os.getpid():\n        os.kill(int(pid), signal.SIGKILL)\n"
)


def test_killing_its_siblings_ends_in_a_verdict(strict_course):
    """In a judge of its own: the template's other workers may be those of other callers."""
    wrong = KERNEL + KILLS_SIBLINGS + "\ndef add(x, y):\n    return launched(x, y) + 1\n"
    with Judge(strict_course, cold=True) as judge:
        verdict = judged(judge, wrong)
        assert not verdict.passed
        assert verdict.diagnosis
        assert judged(judge, RIGHT).passed


@pytest.mark.parametrize("how", ["answers for itself", "answers as the judge would"])
def test_an_answer_of_the_wrong_shape_is_called_tampering(strict, how):
    verdict = judged(strict, KERNEL + TAMPERING[how] + RIGHT[len(KERNEL) :])
    assert first_code(verdict) == "tampering"


def test_patching_torchs_comparisons_changes_nothing(strict):
    patched = """
yes = lambda *a, **k: True
torch.allclose = torch.equal = torch.isclose = torch.Tensor.eq = yes
torch.testing.assert_close = lambda *a, **k: None
torch.isfinite = lambda t: torch.ones_like(t, dtype=torch.bool)
"""
    verdict = judged(strict, entry("return launched(x, y) + 1", patched))
    assert first_code(verdict) == "wrong-values"


def test_patching_the_judges_own_modules_in_the_process_changes_nothing(strict):
    patched = """
import sys
for name, module in list(sys.modules.items()):
    if name.startswith("tutor.judge"):
        for key in ("compare", "passed", "MAX_REPORTS"):
            if hasattr(module, key):
                setattr(module, key, lambda *a, **k: True)
"""
    assert not judged(strict, entry("return launched(x, y) + 1", patched)).passed


def test_the_file_cannot_reach_the_reference_through_its_modules(strict):
    looking = """
import sys
trusted = "tutor.judge.cases.reference"
if any(name.startswith("tutor_reference") or name == trusted for name in sys.modules):
    raise RuntimeError("the reference is here")
"""
    assert judged(strict, looking + RIGHT).passed


def test_two_threads_may_submit_to_one_judge(strict):
    results: dict[str, bool] = {}

    def submit(name: str, source: str) -> None:
        results[name] = judged(strict, source).passed

    threads = [
        threading.Thread(target=submit, args=("right", RIGHT)),
        threading.Thread(target=submit, args=("wrong", entry("return launched(x, y) + 1"))),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == {"right": True, "wrong": False}
