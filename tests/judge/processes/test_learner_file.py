"""A learner's text as a module: what is found in it, and how its errors are told."""

import inspect
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.msgpack import Decoder, Encoder

from tutor.judge.processes import learner_module
from tutor.judge.processes.learner_module import (
    MAX_DETAIL,
    MAX_MESSAGE,
    Unloadable,
    describe_error,
    find_entry,
    load_module,
)
from tutor.judge.processes.wire import decode_message
from tutor.judge.processes.worker_messages.records import LearnerError


def module(source: str, name: str = "learner_test"):
    return load_module(source, f"/learner/{name}.py", name)


def refused(source: str, entry: str = "add(x, y)") -> Unloadable:
    with pytest.raises(Unloadable) as caught:
        find_entry(module(source), entry)
    return caught.value


# --- loading ----------------------------------------------------------------------------------------


def test_functions_of_the_module_have_their_source():
    found = module("def f():\n    # a comment\n    return 1\n")
    assert found.f() == 1
    assert "# a comment" in inspect.getsource(found.f)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def f(:\n", 1),
        ("x = 1\n  y = 2\n", 2),
        ("x = (\n", 1),
        ("if x:\n\tpass\n        pass\n", 3),
    ],
)
def test_a_syntax_error_has_its_line(source, line):
    error = refused(source)
    assert error.code == "compile-error"
    assert error.report.line == line
    assert error.report.message


def test_a_file_that_reads_its_arguments_has_none():
    assert module("import sys\nnumber = len(sys.argv)\n").number == 1


def test_a_package_is_found_behind_a_folder_of_its_name_elsewhere(tmp_path, monkeypatch):
    elsewhere, project = tmp_path / "elsewhere", tmp_path / "project"
    (elsewhere / "parts_of_it").mkdir(parents=True)
    (project / "parts_of_it").mkdir(parents=True)
    (project / "parts_of_it" / "norms.py").write_text("WIDTH = 7\n")
    (project / "scripts").mkdir()
    file = project / "scripts" / "runs.py"
    file.write_text("import parts_of_it.norms\nwidth = parts_of_it.norms.WIDTH\n")
    (project / "pyproject.toml").touch()
    monkeypatch.setattr(sys, "path", [str(elsewhere), *sys.path])
    before = set(sys.modules)
    try:
        assert load_module(file.read_text(), str(file), "runs_of_it").width == 7
    finally:
        for name in set(sys.modules) - before:
            del sys.modules[name]


def test_nul_bytes_are_a_compile_error():
    error = refused("x = 1\0\n")
    assert error.code == "compile-error"
    assert "null bytes" in error.report.message


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import sys; sys.exit(0)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("import no_such", "ModuleNotFoundError"),
    ],
)
def test_an_error_at_import_has_type_and_line(statement, kind):
    error = refused(f"x = 1\n{statement}\n")
    assert error.code == "import-error"
    assert (error.report.type, error.report.line) == (kind, 2)


# --- the entry --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "def add(x, y): pass",
        "def add(x, y, z=1): pass",
        "def add(*args): pass",
        "def add(a, b, /): pass",
        "add = lambda x, y: x",
        "class A:\n    def __call__(self, x, y): pass\nadd = A()",
        "import functools\nadd = functools.partial(lambda a, x, y: a, 1)",
        "import functools\ndef d(f):\n    @functools.wraps(f)\n"
        "    def g(*a):\n        return f(*a)\n    return g\n@d\ndef add(x, y): pass",
    ],
)
def test_what_can_be_called_with_the_arguments_is_an_entry(source):
    assert callable(find_entry(module(source), "add(x, y)"))


@pytest.mark.parametrize(
    "source",
    [
        "def add(x): pass",
        "def add(x, y, z): pass",
        "def add(x, *, y): pass",
        "add = 5",
        "class add: pass",
        "add = None",
    ],
)
def test_what_cannot_is_a_wrong_signature(source):
    error = refused(source)
    assert error.code == "wrong-signature"
    assert "add" in error.report.message


def test_a_missing_entry_names_what_there_is():
    error = refused("def sum_of(x, y): pass\n")
    assert "sum_of" in error.report.message
    assert refused("").report.message == "Your file defines no function `add`."


def test_defaults_of_the_wanted_signature_may_be_left_out_or_given():
    both = "def model(x, training=True): pass"
    assert find_entry(module(both), "model(x, training=True)")
    assert refused("def model(x): pass", "model(x, training=True)").code == "wrong-signature"


def test_the_signature_line_is_the_functions_own():
    assert refused("\n\ndef add(x):\n    pass\n").report.line == 3


def test_constants_are_the_plain_ones():
    found = module(
        "A = 1\nB = 2.5\nC = 'w'\nD = True\nE = [1]\ndef F(): pass\n__G = 3\nH = 1 << 80\n"
    )
    assert learner_module.constants(found) == {"A": 1, "B": 2.5, "C": "w", "D": True}


# --- telling ----------------------------------------------------------------------------------------


def raised(source: str) -> LearnerError:
    found = module(source)
    try:
        found.f()
    except BaseException as error:
        return describe_error(error, found.__file__)
    raise AssertionError("f was to raise")


def test_the_innermost_cause_speaks_and_its_line_is_the_learners():
    report = raised(
        "def g():\n    raise KeyError('inner')\ndef f():\n    try:\n        g()\n"
        "    except KeyError as e:\n        raise RuntimeError('outer') from e\n"
    )
    assert (report.type, report.message, report.line) == ("KeyError", "'inner'", 2)
    assert "outer" in report.detail


def test_lines_of_libraries_are_not_the_learners():
    report = raised("import json\n\ndef f():\n    return json.loads('{')\n")
    assert report.line == 4
    assert report.detail.startswith("Traceback")
    assert "test_learner_file" not in report.detail


def test_long_messages_and_deep_stacks_are_cut():
    report = raised("def f():\n    raise ValueError('x' * 10_000_000)\n")
    assert len(report.message) <= MAX_MESSAGE
    assert len(report.detail) <= MAX_DETAIL
    deep = raised("def f():\n    f()\n")
    assert deep.type == "RecursionError"
    assert len(deep.detail) <= MAX_DETAIL


@given(text=st.text(max_size=200))
@settings(max_examples=100)
def test_any_message_can_be_told_sent_and_stored(text):
    """Also one with half a surrogate pair, which neither UTF-8 nor SQLite takes."""
    try:
        raise ValueError(text)
    except ValueError as error:
        report = describe_error(error, "/nowhere.py")
    assert decode_message(Encoder().encode(report), Decoder(LearnerError)) == report
    assert report.message.encode() == text.encode("utf-8", "backslashreplace")
