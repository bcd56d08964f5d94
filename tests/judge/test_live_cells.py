"""Cells of a lesson: shared names, streamed output, and ends that do not take the lesson along."""

import itertools
import sys
import time

import pytest
import torch
from judging import cell

from tutor.judge.client import CellDone, CellOutput, Judge

_sessions = itertools.count()


@pytest.fixture
def session(judge):
    name = f"cells {next(_sessions)}"
    yield name
    judge.end_session(name)


def test_cells_of_a_session_share_names_and_sessions_do_not(judge, session):
    assert cell(judge, session, "a = 41")[1].ok
    text, done = cell(judge, session, "print(a + 1)")
    assert (text, done.ok, done.lost) == ("42\n", True, False)
    _, done = cell(judge, session + " other", "print(a)")
    judge.end_session(session + " other")
    assert not done.ok
    assert "NameError" in done.error


def test_a_session_that_was_ended_starts_anew(judge, session):
    cell(judge, session, "a = 1")
    judge.end_session(session)
    _, done = cell(judge, session, "a")
    assert "NameError" in done.error


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("def", "SyntaxError"),
        ("a\0b", "null bytes"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise ValueError('[/red] kernel[grid](x)')", "[/red] kernel[grid](x)"),
        ("import no_such_module", "no_such_module"),
    ],
)
def test_an_error_is_told_and_the_session_goes_on(judge, session, code, word):
    cell(judge, session, "kept = 7")
    _, done = cell(judge, session, code)
    assert not done.ok
    assert not done.lost
    assert word in done.error
    assert cell(judge, session, "print(kept)")[0] == "7\n"


def test_an_error_names_the_cells_own_line(judge, session):
    _, done = cell(judge, session, "x = 1\ny = 2\nraise ValueError('third')\n")
    assert "line 3" in done.error
    assert "raise ValueError('third')" in done.error
    assert "worker.py" not in done.error


def test_output_comes_while_the_cell_runs(judge, session):
    cell(judge, session, "import time")
    arrived: list[tuple[str, float]] = []
    done_at = 0.0
    for event in judge.run_cell(session, "print('first')\ntime.sleep(0.7)\nprint('second')"):
        if isinstance(event, CellOutput):
            arrived.append((event.text, time.monotonic()))
        elif isinstance(event, CellDone):
            done_at = time.monotonic()
    assert "".join(text for text, _ in arrived) == "first\nsecond\n"
    assert done_at - arrived[0][1] > 0.5


def test_everything_that_is_printed_is_caught(judge, session):
    code = (
        "import os, sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.stdout.flush()\n"
        "os.write(1, b'raw \\xff\\n')\nos.system('echo child')\nprint('ä€', end='')"
    )
    text, done = cell(judge, session, code)
    assert done.ok
    for word in ("out\n", "err\n", "raw \\xff\n", "child\n", "ä€"):
        assert word in text


RECORDED_CELL = """\
from tutor.course import package_cells
package_cells.is_module = lambda name: False
package_cells.name_of = lambda function, arguments: next(iter(package_cells.recorded(45).said))

@package_cells.with_packages(45, "onnx")
def taken():
    raise AssertionError

"""


def test_a_cell_says_below_its_output_that_it_is_recorded_unless_it_has_said_so(judge, session):
    text, done = cell(judge, session, RECORDED_CELL + "taken()\nprint('an opset')")
    assert done.ok
    assert text.startswith("an opset\nRECORDED, not run here: onnx ")
    text, _ = cell(judge, session, "taken()\nprint(package_cells.made_with(45, 'onnx'))")
    assert text.count("RECORDED") == 1
    text, _ = cell(judge, session, "print('nothing of it')")
    assert text == "nothing of it\n"


@pytest.mark.slow
def test_an_endless_cell_is_stopped_after_its_seconds(judge, session):
    cell(judge, session, "kept = 7")
    started = time.monotonic()
    _, done = cell(judge, session, "while True:\n    pass", seconds=1.0)
    assert 0.9 < time.monotonic() - started < 60
    assert not done.ok
    assert done.lost
    assert "1 s" in done.error
    assert done.error.endswith(".")
    _, after = cell(judge, session, "print(kept)")
    assert "NameError" in after.error


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("print('x' * 10_000_000)", "KiB"),
        ("while True:\n    print('x' * 1000)", "KiB"),
        ("import os\nos._exit(0)", "exit status 0"),
        ("import ctypes\nctypes.string_at(0)", "SIGSEGV"),
    ],
)
def test_a_cell_that_goes_too_far_is_stopped_with_a_sentence(judge, session, code, word):
    text, done = cell(judge, session, code)
    assert done.lost
    assert not done.ok
    assert word in done.error
    assert len(text) < 2 << 20
    assert cell(judge, session, "print(1)")[0] == "1\n"


@pytest.mark.skipif(torch.cuda.is_available(), reason="CUDA maps more than any limit")
def test_memory_of_a_cell_is_limited(judge, session):
    _, done = cell(judge, session, "import torch\ntorch.empty(25 * 10**9)")
    assert not done.ok
    assert not done.lost
    assert "memory" in done.error


def test_cancel_stops_a_cell(judge, session):
    lost = None
    for event in judge.run_cell(session, "print('here')\nwhile True:\n    pass", seconds=60):
        if isinstance(event, CellOutput):
            judge.cancel()
        elif isinstance(event, CellDone):
            lost = event.lost
    assert lost is True


def test_a_session_whose_judge_never_began_runs_its_first_cell(judge, monkeypatch):
    with Judge(judge.course_root) as mine:
        mine.wait_warm()
        mine.close()
        with monkeypatch.context() as broken:  # the warm judge belongs to another Python
            broken.setattr(sys, "executable", "/no/such/python")
            with pytest.raises(OSError, match="/no/such/python"):
                cell(mine, "first", "x = 1")
        assert cell(mine, "first", "x = 2\nprint(x)")[0] == "2\n"


def test_values_are_evaluated_after_the_cell(judge, session):
    asked = (
        "a",
        "a * 2.5",
        "[a, 'x', None]",
        "torch.ones(2)",
        "torch.tensor(3)",
        "{'k': (1, 2)}",
        "type(a)",
        "a > 2",
        "torch.zeros(1000).shape[0]",
    )
    _, done = cell(judge, session, "import torch\na = 3", evaluate=asked)
    assert done.ok, done.error
    assert list(done.values.values()) == [
        3,
        7.5,
        [3, "x", None],
        [1.0, 1.0],
        3,
        {"k": [1, 2]},
        "<class 'int'>",
        True,
        1000,
    ]


@pytest.mark.parametrize("expression", ["10 ** 5000", "float('nan')", "'x' * (50 << 20)", "loop"])
def test_a_value_that_json_cannot_carry_does_not_cost_the_session(judge, session, expression):
    cell(judge, session, "loop = []\nloop.append(loop)\nkept = 7")
    _, done = cell(judge, session, "", evaluate=(expression,))
    assert not done.lost
    assert cell(judge, session, "print(kept)")[0] == "7\n"


def test_an_expression_that_fails_is_an_error_of_the_cell(judge, session):
    _, done = cell(judge, session, "a = 1", evaluate=("b",))
    assert not done.ok
    assert "NameError" in done.error


def test_a_kernel_of_one_cell_is_launched_by_the_next(judge, session):
    kernel = """\
import torch, triton
import triton.language as tl

@triton.jit
def double(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)
"""
    assert cell(judge, session, kernel)[1].ok
    text, done = cell(
        judge, session, "x = torch.arange(5.0)\ndouble[(2,)](x, 5, B=4)\nprint(x.tolist())"
    )
    assert done.ok, done.error
    assert text == "[0.0, 2.0, 4.0, 6.0, 8.0]\n"


def test_a_kernel_may_be_defined_again(judge, session):
    source = "import triton\n\n@triton.jit\ndef k(x):\n    tl.store(x, {0}.0)\n"
    cell(judge, session, "import torch\nimport triton.language as tl\nx = torch.zeros(1)")
    for number in (1, 2):
        cell(judge, session, source.format(number))
        assert cell(judge, session, "k[(1,)](x)\nprint(x.item())")[0] == f"{number}.0\n"


def test_classes_and_pickles_of_a_cell_know_where_they_live(judge, session):
    code = (
        "import pickle\nclass P:\n    pass\nprint(type(pickle.loads(pickle.dumps(P()))).__name__)"
    )
    text, done = cell(judge, session, code)
    assert done.ok, done.error
    assert text == "P\n"
