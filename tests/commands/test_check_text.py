"""What `tutor check` and `tutor watch` print of a verdict. The judge is a stand-in: no Triton here."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tutor.commands import judge
from tutor.judge.model.verdict import Break, CaseResult, GraphSummary, Verdict

SOURCE = "def model(x):\n    print(x)\n    return x\n"
CASE = CaseResult("a vector", "f32[8]", True, 1e-7, 2e-6, 5e-8)
SAID = Verdict(
    "fix_graph_breaks", False, "cpu", (CASE,), graph=GraphSummary(2, (Break("a print", 2),)), seed=11
)  # fmt: skip


class StandIn:
    def __init__(self, root: Path) -> None:
        pass

    def __enter__(self) -> "StandIn":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, submission: object) -> Iterator[object]:
        yield CASE
        yield SAID


@pytest.mark.parametrize(
    "command", [judge.check_command, judge.watch_command], ids=["check", "watch"]
)
def test_both_errors_each_break_with_its_line_and_how_to_replay(
    command: click.Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    monkeypatch.setattr(judge, "Judge", StandIn)
    monkeypatch.setattr(judge, "_versions", lambda *_: [SOURCE])  # the first, and no wait for more
    file = tmp_path / "own.py"
    file.write_text(SOURCE)
    text = CliRunner().invoke(command, ["fix_graph_breaks", str(file)]).output
    assert "error 1e-07 (eager's 5e-08), allowed 2e-06" in text
    assert "break, line 2: a print\n      2 | print(x)\n" in text
    assert "For the same inputs again: tutor check fix_graph_breaks [FILE] --seed 11\n" in text
