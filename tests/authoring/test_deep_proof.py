"""The experiments behind `content check --deep`, on one exercise."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from tutor.authoring.deep_proof import (
    ACCEPTED,
    ELSEWHERE,
    FOUND,
    MENDED,
    NOT_FOUND,
    OTHER_WAY,
    REFUSED,
    UNKNOWN,
    _prove_slips,
    find_changed_lines,
    hold_to_list,
    prove_deeply,
)
from tutor.authoring.pieces import list_deep_pieces
from tutor.authoring.proof import CourseProof
from tutor.authoring.proof_cache import keep_outcomes
from tutor.base import paths
from tutor.commands.tools.content import _report_deeply, content_command
from tutor.course.catalog.course import Course, open_course
from tutor.course.model import AcceptedSlip, OtherRepair
from tutor.course.reading.accepted_slips import read_accepted_slips
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.other_repairs import read_other_repairs
from tutor.judge.client import Judge

SLUG = "occupancy"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("a\nb\nc", "a\nB\nc", {2}),
        ("a\nb\nc", "a\nc", {2}),  # the line that stands where one is gone
        ("a\nc", "a\nb\nc", {2}),
        ("a\nb", "a\n  b", set()),  # only farther in
    ],
)
def test_the_lines_that_differ(before: str, after: str, lines: set[int]) -> None:
    assert find_changed_lines(before, after) == lines


@pytest.mark.slow
def test_each_exercise_has_a_piece_of_its_own_key() -> None:
    pieces = list_deep_pieces(open_course(), 0)
    assert "row_sum" in pieces
    assert all(piece.key.startswith("deep-") for piece in pieces.values())
    assert "1" not in pieces, "a day has no repairs"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """The exercise with two right answers and the first eight of its wrong ones."""
    given = paths.course_root()
    exercise = tmp_path / "kernels" / SLUG
    shutil.copytree(given / "kernels" / SLUG, exercise)
    for name in ("lessons", "quizzes"):
        (tmp_path / name).mkdir()
    shutil.copy(given / "lessons" / "outline.toml", tmp_path / "lessons")
    for right in sorted((exercise / "right").iterdir())[1:]:
        right.unlink()
    wrong = (exercise / "wrong.toml").read_text("utf-8").split("[[wrong]]\n")
    (exercise / "wrong.toml").write_text("[[wrong]]\n".join(wrong[:9]), "utf-8")
    return open_course(tmp_path)


def test_what_came_out_before_is_told_again(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    key = list_deep_pieces(course, 0)[SLUG].key
    keep_outcomes(key, [("repaired", f"{SLUG} a", FOUND), ("repaired", f"{SLUG} b", ELSEWHERE)])
    said = CliRunner().invoke(
        content_command, ["check", "--deep", "--only", SLUG, "--course", str(course.root)]
    )
    assert f"repaired {SLUG} b: elsewhere" in said.output
    assert "wrong answers 1 repaired where they differ, 1 elsewhere" in said.output
    assert "exercises 0 tried, 1 kept from before, 0 left" in said.output


def test_an_accepted_slip_is_listed_and_a_listed_one_accepted() -> None:
    def is_sound(*proofs: CourseProof) -> bool:
        return _report_deeply(list(proofs), 1.0)[1]

    assert is_sound(CourseProof("slip", "a solution: x", FOUND), CourseProof("listed", "b", ""))
    assert not is_sound(CourseProof("slip", "a solution: x", ACCEPTED))
    assert not is_sound(CourseProof("listed", "a solution: x", REFUSED))


@pytest.mark.parametrize(
    ("outcome", "listed", "kind", "fault"),
    [
        (ELSEWHERE, True, "repaired", OTHER_WAY),
        (ELSEWHERE, False, "repaired", ELSEWHERE),
        (FOUND, True, "listed", MENDED),
        (FOUND, False, "repaired", FOUND),
        (NOT_FOUND, True, "repaired", NOT_FOUND),
    ],
)
def test_a_repair_elsewhere_is_listed_and_a_listed_one_elsewhere(
    outcome: str, listed: bool, kind: str, fault: str
) -> None:
    proof = hold_to_list(CourseProof("repaired", "a b", outcome), listed)
    assert (proof.kind, proof.fault) == (kind, fault)
    others = [CourseProof("repaired", f"a {n}", FOUND) for n in range(9)]
    sound = _report_deeply([proof, *others], 1.0)[1]
    assert sound == (fault not in (ELSEWHERE, MENDED))


def test_the_list_of_other_repairs_names_its_faults(tmp_path: Path) -> None:
    assert read_other_repairs(tmp_path) == ()
    (tmp_path / "other_repairs.toml").write_text('[[repair]]\nanswer = "x"\nwhy = "y"\n')
    assert read_other_repairs(tmp_path) == (OtherRepair("x", "y"),)
    (tmp_path / "other_repairs.toml").write_text('[[repair]]\nanswer = "x"\n')
    with pytest.raises(CourseFault, match="why"):
        read_other_repairs(tmp_path)


@pytest.mark.slow
def test_listed_slips_are_made_again(course: Course) -> None:
    exercise = course.exercise(SLUG)
    refused = "in_one_file = FILE % round_up(registers * 32, 256)"
    with Judge(course.root) as judge:
        solution = exercise.solution.read_text("utf-8")
        listed = {refused, "no slip gives this"}
        proofs = list(_prove_slips(judge, exercise, "solution", solution, listed, 0))
    faults = {p.name.partition(": ")[2]: p.fault for p in proofs if p.kind == "listed"}
    assert faults == {refused: REFUSED, "no slip gives this": UNKNOWN}


def test_the_list_of_slips_names_its_faults(tmp_path: Path) -> None:
    assert read_accepted_slips(tmp_path) == ()
    (tmp_path / "slips.toml").write_text('[[slip]]\nanswer = "solution"\nline = "x"\nwhy = "y"\n')
    assert read_accepted_slips(tmp_path) == (AcceptedSlip("solution", "x", "y"),)
    (tmp_path / "slips.toml").write_text('[[slip]]\nanswer = "solution"\nline = "x"\n')
    with pytest.raises(CourseFault, match="why"):
        read_accepted_slips(tmp_path)


@pytest.mark.slow
def test_renamed_answers_hold_and_wrong_ones_are_repaired_where_they_differ(course: Course) -> None:
    with Judge(course.root) as judge:
        proofs = list(prove_deeply(judge, course.exercise(SLUG), 0))
    report, _ = _report_deeply(proofs, 1.0)
    json.dumps(report)
    answers = len(course.exercise(SLUG).right) + 1
    assert answers == 2
    assert report["renamed"] == {"accepted": answers * (answers - 1), "failed": []}
    wrong = report["repaired"]
    assert not wrong["accepted"]
    assert wrong["found"] > len(wrong["elsewhere"]) + len(wrong["not_found"])
    assert (
        sum(len(of) for of in report["slip"].values() if isinstance(of, list))
        + report["slip"]["found"]
        == answers
    )
