"""The kept overview: fresh after every change, harmless when damaged; and `tutor list` on it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import small_course
from run_home import share_course

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.course.catalog.overview import (
    DayOverview,
    find_written_neighbour,
    list_unwritten_between,
    without_early_checkpoints,
)
from tutor.course.catalog.overview import build as build_overview


def kept() -> Path:
    (path,) = paths.cache_dir().glob("course-*.json")
    return path


def test_overview_counts(course: Path) -> None:
    overview = open_course(course).overview()
    one, two = overview.days
    assert (one.written, one.minutes, one.sections) == (True, 10, ("One", "Cells", "Last"))
    assert (one.cells, one.predictions, one.questions, one.exercises) == (1, 1, 1, ("add",))
    assert (two.written, two.minutes, two.kind) == (False, 0, "checkpoint")
    assert overview.phases == {1: "First"}
    assert overview.faults == ()


def test_the_exercises_of_a_day_stand_in_their_order_and_then_by_name(course: Path) -> None:
    added = {"aaa": "", "zzz": "order = 1\n", "mmm": "order = 2\n"}
    for slug, order in added.items():
        shutil.copytree(course / "kernels" / "add", course / "kernels" / slug)
        file = course / "kernels" / slug / "exercise.toml"
        file.write_text(order + file.read_text())
    reopened = open_course(course)
    assert tuple(reopened.exercises()) == ("zzz", "mmm", "aaa", "add")
    overview = build_overview(course)
    assert overview.days[0].exercises == ("zzz", "mmm", "aaa", "add")
    assert tuple(e.slug for e in overview.exercises) == ("zzz", "mmm", "aaa", "add")


def test_a_second_reading_is_equal_and_comes_from_the_cache(course: Path) -> None:
    first = open_course(course).overview()
    assert open_course(course).overview() == first == build_overview(course)
    record = json.loads(kept().read_text())
    record["overview"]["phases"]["1"] = "from the cache"
    kept().write_text(json.dumps(record))
    assert open_course(course).overview().phases == {1: "from the cache"}


def test_a_changed_or_new_or_removed_file_makes_it_anew(course: Path) -> None:
    open_course(course).overview()
    lesson = course / "lessons" / "day-01-one.md"
    lesson.write_text(small_course.LESSON.replace("minutes = 10", "minutes = 25"))
    os.utime(lesson, ns=(1, 1))
    assert open_course(course).overview().days[0].minutes == 25
    second = small_course.LESSON.replace("day = 1\n", "day = 2\n").replace("d01-", "d02-")
    (course / "lessons" / "day-02-two.md").write_text(second)
    assert open_course(course).overview().days[1].written
    lesson.unlink()
    assert not open_course(course).overview().days[0].written


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"stamp": 1}', b"\xff", b"null"], ids=repr)
def test_a_damaged_cache_is_made_anew(course: Path, damage: bytes) -> None:
    first = open_course(course).overview()
    kept().write_bytes(damage)
    assert open_course(course).overview() == first
    assert json.loads(kept().read_text())["stamp"]


def test_works_where_the_cache_cannot_be_written(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "file"))  # no folder can be made in a file
    assert open_course(course).overview() == build_overview(course)


def test_a_faulty_file_is_left_out_and_named(course: Path) -> None:
    (course / "lessons" / "day-01-one.md").write_text("no front matter\n")
    overview = open_course(course).overview()
    assert not overview.days[0].written
    assert overview.days[0].questions == 1
    (fault,) = overview.faults
    assert "day-01-one.md:1: front matter" in fault


def tutor(*words: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tutor", *words],
        capture_output=True,
        text=True,
        env=os.environ | {"TUTOR_HOME": str(home)},
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home for the commands that only read."""
    return share_course(tmp_path_factory.mktemp("home"))


def test_list_json_is_the_contracts(home: Path) -> None:
    result = tutor("list", "--json", home=home)
    assert result.returncode == 0
    value = json.loads(result.stdout)
    assert set(value) == {"days", "exercises", "projects"}
    assert [day["day"] for day in value["days"]] == list(range(1, 71))
    fields = "day title phase week kind minutes sittings sections cells questions exercises"
    assert set(value["days"][21]) == set(fields.split())
    assert all(set(e) == {"slug", "title", "day", "kind", "needs"} for e in value["exercises"])


def test_list_says_in_words_which_days_exist(home: Path) -> None:
    lines = tutor("list", home=home).stdout.splitlines()
    written = {day.day for day in open_course().overview().days if day.written}
    days = [line for line in lines if line[:5].strip().isdecimal()]
    assert len(days) == 70
    for line in days:
        assert ("  ready  " in line) == (int(line[:5]) in written)


def test_list_begins_no_record(tmp_path: Path) -> None:
    """Of projects to choose from the first counts until the learner has chosen."""
    first, *others = open_course().overview().projects
    result = tutor("list", home=tmp_path)
    assert result.returncode == 0, result.stderr
    assert f"Project  Day {first.day}  {first.name}  counts" in result.stdout
    assert all(f"  {other.name}  open" in result.stdout for other in others)
    assert not list(tmp_path.rglob("*.sqlite3*"))


def test_lesson_of_an_unknown_day_or_one_to_come(home: Path) -> None:
    to_come = [str(day.day) for day in open_course().overview().days if not day.written]
    for day in ("99", *to_come[:1]):
        result = tutor("lesson", day, "--plain", home=home)
        assert result.returncode == 2
        assert result.stdout == ""
        assert result.stderr.startswith("tutor: ")
        assert result.stderr.count("\n") == 1


def test_lesson_prints_plain_text(home: Path) -> None:
    result = tutor("lesson", "22", "--plain", home=home)
    assert result.returncode == 0
    assert result.stdout.startswith("Day 22: ")
    assert "\nCompiler Infrastructure, week 4, day 22 of 70.\nAbout " in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.slow
def test_a_warm_list_imports_nothing_heavy(tmp_path: Path) -> None:
    tutor("list", home=tmp_path)
    script = (
        "import sys; sys.argv = ['tutor', 'list', '--json']\n"
        "from tutor.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'textual', 'torch', 'triton', 'numpy', 'markdown_it', 'tomli'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=os.environ | {"TUTOR_HOME": str(tmp_path)},
    )
    assert result.stderr.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_a_warm_list_takes_at_most_ten_bare_pythons(tmp_path: Path) -> None:
    """It opens the record too, which says what project counts."""
    tutor("list", home=tmp_path)

    def seconds(*command: str) -> float:
        """Processor time of one process: other work on the machine must not decide."""
        process = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"TUTOR_HOME": str(tmp_path)},
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_utime + usage.ru_stime

    rounds = [(seconds("-c", "pass"), seconds("-m", "tutor", "list")) for _ in range(10)]
    bare, listed = (min(times) for times in zip(*rounds, strict=True))
    assert listed <= 10 * bare


def days_with(written: set[int], checkpoint: int, last: int) -> list[DayOverview]:
    kinds = {checkpoint: "checkpoint"}
    return [
        DayOverview(day, f"T{day}", 1, 1, kinds.get(day, "lesson"), "", day in written)
        for day in range(1, last + 1)
    ]


def test_the_way_leads_over_days_that_are_not_written() -> None:
    days = days_with({1, 2, 6, 7, 8}, checkpoint=8, last=10)

    def neighbour(day: int, step: int = 1) -> int | None:
        found = find_written_neighbour(days, day, step)
        return found.day if found else None

    assert [neighbour(day) for day in (1, 2, 4, 6, 7, 8)] == [2, 6, 6, 7, 8, None]
    assert [neighbour(day, -1) for day in (2, 4, 6, 8, 10)] == [1, 2, 2, 7, 8]
    assert list_unwritten_between(days, 2, 6) == (3, 4, 5)
    assert list_unwritten_between(days, 6, 7) == ()
    assert list_unwritten_between(days, 8, None) == (9, 10)


def test_a_checkpoint_waits_for_the_day_before_it() -> None:
    early = days_with({1, 2, 8, 9}, checkpoint=8, last=10)
    assert [day.day for day in without_early_checkpoints(early, early) if day.written] == [1, 2, 9]
    found = find_written_neighbour(early, 2)
    assert found is not None
    assert found.day == 9
    very_next = find_written_neighbour(early, 7)
    assert very_next is not None
    assert very_next.day == 8
