"""`tutor check --ask`: questions about a right kernel in plain lines. The judge is a stand-in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from seen_programs import SOURCE, seen_addition

from tutor.base import paths
from tutor.base.errors import CannotHere
from tutor.commands import judge
from tutor.judge.model.verdict import CaseResult, Verdict
from tutor.judge.model.witness import ProgramRecord
from tutor.memory.record import open_record
from tutor.memory.store.rows import CardId

SLUG = "vector_add"
SAID = Verdict(SLUG, True, "cpu-interpreter", (CaseResult("six", "f32[6]", True, 0.0, 2e-6),))


class Seen:
    """A judge that takes any text for right."""

    def __init__(self, root: Path, *, cold: bool, runner: object) -> None:
        pass

    def warm(self) -> None:
        pass

    def __enter__(self) -> "Seen":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, submission: object) -> Iterator[object]:
        yield SAID

    def inputs(self, _: str) -> tuple[str, ...]:
        raise CannotHere("no ladder here")

    def record_program(self, *_: object) -> ProgramRecord:
        return seen_addition()


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    monkeypatch.setattr(judge, "Judge", Seen)
    own = tmp_path / "own.py"
    own.write_text(SOURCE)
    return own


def check(file: Path, *options: str, typed: str = "") -> Result:
    return CliRunner().invoke(judge.check_command, [SLUG, str(file), *options], input=typed)


def ratings() -> list[int]:
    record = open_record(paths.record_file())
    rows = record.reviews.history(CardId("exercise", SLUG))
    record.close()
    return [row.rating for row in rows if not row.undone]


def test_missed_questions_are_explained_and_lower_the_rating(file: Path) -> None:
    result = check(file, "--ask", typed="?\n999\n")
    assert result.exit_code == 0, "the answer is right all the same"
    assert "Say what yours does. :skip leaves the questions out" in result.output
    assert result.output.count("On the case “six”") == 2
    assert "Noted." in result.output
    assert "Wrong." in result.output
    assert f"See it: tutor access {SLUG} {file} --case six --program" in result.output
    assert "0 of 2 answers right. vector_add returns on" in result.output
    assert ratings() == [1]
    again = check(file, "--ask")
    assert "Say what yours does" not in again.output, "they are answered"


def test_skipping_is_free_once(file: Path) -> None:
    result = check(file, "--ask", typed=":later\n:skip\n")
    assert "There is no :later here, only :skip." in result.output
    assert "which costs nothing this once" in " ".join(result.output.split())
    assert ratings() == [3]
    assert "Say what yours does" not in check(file, "--ask").output


def test_without_a_terminal_they_are_offered_and_the_end_of_input_leaves_them_open(
    file: Path,
) -> None:
    assert f"Say what yours does: tutor check {SLUG} [FILE] --ask" in check(file).output
    assert "Say what yours does" not in check(file, "--no-ask").output
    result = check(file, "--ask", typed="")
    assert result.exit_code == 0
    assert "Say what yours does." in result.output
    assert "Say what yours does:" in check(file).output, "they are still open"


def test_questions_and_json_are_one_or_the_other(file: Path) -> None:
    result = check(file, "--ask", "--json")
    assert "leave out the other option" in str(result.exception)
