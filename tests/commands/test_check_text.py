"""What `tutor check` and `tutor watch` print of a verdict. The judge is a stand-in: no Triton here."""

import io
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tutor.commands import judge, watch
from tutor.commands.support import verdict_output
from tutor.course.catalog.course import open_course
from tutor.judge.model.events import Provisional
from tutor.judge.model.verdict import Break, CaseResult, Diagnosis, GraphSummary, Mismatch, Verdict
from tutor.judge.reports.verdict_text import format_verdict

SOURCE = "def model(x):\n    print(x)\n    return x\n"
CASE = CaseResult("a vector", "f32[8]", True, 1e-7, 2e-6, 5e-8)
SAID = Verdict(
    "fix_graph_breaks",
    False,
    "cpu",
    (CASE,),
    graph=GraphSummary(2, (Break("a print", 2),)),
    seed=11,
)


class StandIn:
    def __init__(self, root: Path, *, cold: bool, runner: object) -> None:
        pass

    def warm(self) -> None:
        pass

    def __enter__(self) -> "StandIn":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, submission: object) -> Iterator[object]:
        yield CASE
        yield SAID


def test_every_case_has_both_errors_on_request_and_each_break_its_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    monkeypatch.setattr(judge, "Judge", StandIn)
    file = tmp_path / "own.py"
    file.write_text(SOURCE)
    arguments = ["fix_graph_breaks", str(file)]
    text = CliRunner().invoke(judge.check_command, arguments).output
    assert text.startswith("✗ Not all that is asked. The one case is right (cpu).\n")
    assert "error 1e-07" not in text
    assert "break, line 2: a print\n      2 | print(x)\n" in text
    assert "Same inputs again: tutor check fix_graph_breaks [FILE] --seed 11\n" in text
    assert "Every case: tutor check fix_graph_breaks [FILE] -v\n" in text
    every = CliRunner().invoke(judge.check_command, [*arguments, "-v"]).output
    assert "error 1e-07, eager's 5e-08, allowed 2e-06" in every


def test_watch_prints_plain_lines_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    monkeypatch.setattr(watch, "Judge", StandIn)
    monkeypatch.setattr(watch, "_versions", lambda *_: [SOURCE])  # the first, and no wait for more
    file = tmp_path / "own.py"
    file.write_text(SOURCE)
    text = CliRunner().invoke(watch.watch_command, ["fix_graph_breaks", str(file)]).output
    assert text.startswith(f"\n{file}\n✗ Not all that is asked. The one case is right")
    assert "\x1b" not in text


RIGHT = replace(SAID, passed=True, device="cpu-interpreter", graph=None)
REFUSED = Diagnosis("compile-error", "It works in the interpreter, but not on sm_90.")


@pytest.mark.parametrize(
    ("final", "second", "count"),
    [
        (RIGHT, "  Checked in the interpreter, not timed.\n  Same inputs", 1),
        (replace(RIGHT, passed=False, diagnosis=(REFUSED,)), "✗ ", 2),
    ],
)
def test_a_right_answer_is_said_before_it_is_compiled_and_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, final: Verdict, second: str, count: int
) -> None:
    """A fault that only the compiler finds has the whole report after it."""

    class Compiles(StandIn):
        def submit(self, submission: object) -> Iterator[object]:
            yield CASE
            yield Provisional(RIGHT)
            said.append(output.getvalue())
            yield final

    said: list[str] = []
    output = io.StringIO()
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    monkeypatch.setattr(judge, "Judge", Compiles)
    for module in (judge, verdict_output):
        monkeypatch.setattr(
            module, "say", lambda *lines: output.writelines(f"{x}\n" for x in lines)
        )
    file = tmp_path / "own.py"
    file.write_text(SOURCE)
    CliRunner().invoke(judge.check_command, ["fix_graph_breaks", str(file)])
    assert said[0].startswith("✓ Right on 1 case ")
    assert said[0].count("\n") == 1
    rest = output.getvalue().removeprefix(said[0])
    assert rest.startswith(second)
    assert output.getvalue().count(" case ") == count


UNWRITTEN = CaseResult(
    "one element", "f32[1], f32[1]", False, None, 2e-6, None, Mismatch((0,), math.nan, 1.0, 1, 1)
)
STORED = replace(UNWRITTEN, mismatch=Mismatch((0,), 2.0, 1.0, 1, 1))
CAUSE = Diagnosis(
    "output-not-written", "The output was never stored. The kernel has no `tl.store`."
)


def checked(
    monkeypatch: pytest.MonkeyPatch,
    home: Path,
    source: str,
    cases: tuple[CaseResult, ...],
    *options: str,
) -> str:
    """Return what `tutor check fma` prints of a file that fails with these cases."""
    verdict = Verdict("fma", False, "cpu-interpreter", cases, (CAUSE,), seed=11)
    monkeypatch.setenv("TUTOR_HOME", str(home))
    monkeypatch.setattr(judge, "Judge", StandIn)
    monkeypatch.setattr(StandIn, "submit", lambda *_: iter([*cases, verdict]))
    file = home / "own.py"
    file.write_text(source)
    return CliRunner().invoke(judge.check_command, ["fma", str(file), *options]).output


def test_an_untouched_starter_has_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    starter = open_course().exercise("fma").starter.read_text("utf-8")
    source = starter.replace("    pass", "\n    pass  ")
    said = checked(monkeypatch, tmp_path, source, (UNWRITTEN, STORED)).splitlines()
    head, line, more = said
    assert head == "✗ Not written yet (cpu-interpreter)."
    assert more == "  Every case: tutor check fma [FILE] -v"
    assert line.startswith(
        "  This is still the starter, and line 10 says what is missing: “Write the kernel"
    )
    assert "and line 18: “Write the launch" in line


def test_nothing_stored_in_any_case_has_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = checked(monkeypatch, tmp_path, SOURCE, (UNWRITTEN, UNWRITTEN))
    assert text.startswith("✗ Not written yet (cpu-interpreter).\n")
    assert f"\n  Nothing was stored in any case. {CAUSE.message}\n" in text
    assert "one element" not in text


def test_equal_failures_are_one_line_and_the_lab_names_the_cause(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = checked(monkeypatch, tmp_path, SOURCE, (UNWRITTEN, STORED, UNWRITTEN))
    assert text.startswith("✗ Part of the output is never written. 0 of 3 cases are right")
    assert (
        "  ✗ 3 cases, such as “one element”: all wrong; first wrong element [0]: got nan, want 1\n"
        in text
    )
    assert "output-not-written" not in text
    every = checked(monkeypatch, tmp_path, SOURCE, (UNWRITTEN, STORED, UNWRITTEN), "-v")
    assert every.count("✗ wrong  one element") == 3
    assert every.index("✗ Part") < every.index("✗ wrong")


def test_a_line_that_begins_in_a_wrong_column_stands_below_the_one_before_it() -> None:
    source = "def f(x):\n" + "    # a\n" * 7 + "    y = x\n# b\n      return y\n"
    cause = Diagnosis(
        "compile-error", "Python cannot read the file: unexpected indent (line 11).", 11
    )
    verdict = Verdict("fma", False, "cpu", (), (cause,))
    assert format_verdict(verdict, source)[2:4] == ["     9 | y = x", "    11 |   return y"]


def test_the_json_of_an_untouched_starter_has_its_cases(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    starter = open_course().exercise("fma").starter.read_text("utf-8")
    found = json.loads(checked(monkeypatch, tmp_path, starter, (UNWRITTEN, UNWRITTEN), "--json"))
    assert len(found["cases"]) == 2
    assert found["diagnosis"][0]["code"] == "output-not-written"
