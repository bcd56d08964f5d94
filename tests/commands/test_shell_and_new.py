"""`tutor completion`, `--version`, `new` and `content check --watch`, as real processes."""

import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from run_home import share_course, share_judge

from tutor.authoring.scaffold import list_kinds
from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.base.extras import say_missing
from tutor.cli import COMMANDS, tutor
from tutor.course.catalog.course import open_course
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.memory.record import open_record


def ran(*args: str, home: Path, status: int = 0, **environment: str) -> str:
    """Stdout of `tutor ARGS`, or the one line on stderr where it is to fail."""
    done = subprocess.run(
        [sys.executable, "-m", "tutor", *args],
        env={**os.environ, "TUTOR_HOME": str(share_judge(home)), **environment},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr if status else done.stdout


def test_a_mistyped_command_names_the_one_that_is_near() -> None:
    with pytest.raises(click.UsageError, match="No such command 'reveiw', did you mean review"):
        tutor.main(["reveiw"], standalone_mode=False)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(shell, tmp_path):
    script = ran("completion", shell, home=tmp_path)
    assert f"_TUTOR_COMPLETE={shell}_complete" in script


@pytest.mark.slow
def test_bash_completes_commands_exercises_and_days(tmp_path):
    """In a real bash, through the script that `tutor completion bash` prints."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "tutor"
    program.write_text(
        f'#!/bin/sh\nexec {sys.executable} -c "from tutor.__main__ import main; main()" "$@"\n'
    )
    program.chmod(0o755)
    script = (
        f'PATH={folder}:$PATH; eval "$(tutor completion bash)"\n'
        'for words in "tutor ch" "tutor check vec" "tutor lesson 2"; do\n'
        "  COMP_WORDS=($words); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()\n"
        '  _tutor_completion tutor; echo "${COMPREPLY[*]}"\ndone\n'
    )
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, "TUTOR_HOME": str(share_judge(tmp_path))},
    )
    commands, exercises, days = done.stdout.splitlines()
    assert commands.split() == ["check"]
    assert exercises.split() == ["vector_add"]
    written = [str(day.day) for day in open_course().overview().days if day.written]
    assert days.split() == [day for day in written if day.startswith("2")]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_says_what_it_does(name: str) -> None:
    said = CliRunner().invoke(tutor, [name, "--help"], prog_name="tutor")
    assert said.exit_code == 0
    assert said.stdout.startswith(f"Usage: tutor {name} ")
    assert len(said.stdout.splitlines()) > 5


@pytest.mark.slow
@pytest.mark.parametrize("call", ["list", "list --json", "--help", "lesson --help"])
def test_a_reader_that_has_gone_is_status_141(call: str, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tutor", *call.split()],
        env={**os.environ, "TUTOR_HOME": str(share_course(tmp_path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_a_caller_that_has_closed_the_output_gets_the_status(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", sys.executable, "-m", "tutor", "completion", "bash"],
        env={**os.environ, "TUTOR_HOME": str(tmp_path)},
        stderr=subprocess.PIPE,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_an_attempt_is_kept_though_its_reader_has_gone(tmp_path: Path) -> None:
    """`tutor check X | head -1`, and a disk that is full."""
    file = open_course().exercise("vector_add").solution
    check = [sys.executable, "-m", "tutor", "check", "vector_add", str(file), "--no-timing"]
    environment = {**os.environ, "TUTOR_HOME": str(share_judge(tmp_path))}
    reader, writer = os.pipe()
    os.close(reader)
    with open("/dev/full", "wb") as full:
        for output, status in ((writer, 141), (full, 2)):
            done = subprocess.run(
                check, env=environment, stdout=output, stderr=subprocess.PIPE, timeout=120
            )
            assert done.returncode == status, done.stderr
            assert b"Traceback" not in done.stderr
    os.close(writer)
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        assert [attempt.passed for attempt in record.activity.attempts("vector_add")] == [True] * 2


@pytest.mark.parametrize(
    ("call", "environment", "said"),
    [
        ("judge", {}, "tutor judge needs one of: serve, status, stop"),
        ("completion", {}, "Missing argument"),
        ("grade 1 /dev/zero", {}, "at most"),
        ("check vector_add --seed 99999999999999999999999", {}, "is not in the range"),
        ("due", {"TUTOR_HOME": "{home}/loop"}, "set TUTOR_HOME|set it to one|Too many levels"),
        ("due", {"TZ": "UTC+99"}, "is no time zone"),
        ("due", {"TUTOR_NOW": "0001-01-01T00:00:00+00:00"}, "TUTOR_NOW says the year 1,"),
        ("stats", {"TUTOR_NOW": "9999-12-31T23:59:59+00:00"}, "says the year 9999"),
    ],
    ids=[
        "a group",
        "no choice",
        "an endless file",
        "a huge seed",
        "links in a circle",
        "a zone of 99 hours",
        "the year 1",
        "the year 9999",
    ],
)
def test_what_cannot_be_meant_is_one_sentence(
    call: str, environment: dict[str, str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "pool")
    (tmp_path / "pool").symlink_to(tmp_path / "loop")
    given = {name: value.format(home=tmp_path) for name, value in environment.items()}
    line = ran(*call.split(), home=tmp_path, status=2, **given)
    assert re.search(said, line), line
    assert len(line.splitlines()) == 1


@pytest.mark.slow
def test_a_record_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    ran("backup", home=tmp_path, status=2)  # nothing is in it
    (tmp_path / "record.lock").unlink()
    (tmp_path / "record.lock").mkdir()  # stands for a folder of somebody else: root may write there
    target = tmp_path / "all.jsonl"
    for call in ("due", "search warp", "stats --plain", f"export jsonl {target}"):
        assert ran(*call.split(), home=tmp_path)
    assert target.read_text().startswith('{"tutor":"record"')
    assert "cannot use the record" in ran("backup", home=tmp_path, status=2)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("check zz.py", "no exercise 'zz.py', and no such file: `tutor list` names them"),
        ("check nowhere/vector_add.py", "and no such file: did you mean vector_add?"),
        ("check {file}", "vector_add.py': did you mean vector_add?"),
        (
            "export jsonl /proc/x",
            r"^cannot write /proc/x: (that folder takes no new file|you have)",
        ),
        ("start vector_add --dir /proc", r"^cannot write /proc/vector_add.py: (that|you have)"),
    ],
)
def test_a_file_that_is_not_there_is_said(
    call: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vector_add.py").write_text("")
    with pytest.raises(UsageError, match=said):
        tutor.main(call.format(file="./vector_add.py").split(), standalone_mode=False)


def test_a_backup_with_nothing_new_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        record.activity.section_read(1, 0)
    for backup in (tmp_path / "backups").iterdir():
        backup.unlink()
    first, second = (CliRunner().invoke(tutor, ["backup"]) for _ in range(2))
    assert first.stderr == ""
    assert second.stdout == first.stdout
    assert second.stderr == "Nothing is new since that backup: no other was made.\n"


def test_a_fault_in_the_settings_is_told_by_what_judges(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('judge_runner = "nosuch"\ntarget = 90\n')
    said = ran("check", "vector_add", "nofile.py", home=tmp_path, status=2)
    assert "config.toml:1: there is no runner" in said
    assert "config.toml:2: target must be a text in quotes, not 90; 'sm_90' stands" in said
    said = ran("xray", "nofile.py::f", home=tmp_path, status=2)
    assert said.count("there is no runner") == 1, "two parts of the command read the settings"


def test_a_fault_of_a_command_is_one_sentence_and_status_70(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import tutor.course.catalog.course as course\ncourse.Course.overview = None\n"
    )
    said = ran("list", home=tmp_path, status=70, PYTHONPATH=str(tmp_path))
    log = tmp_path / "cache" / "crash.log"
    assert (
        said
        == f"tutor: tutor stopped because of a fault of its own (TypeError). The details are in {log}\n"
    )
    assert "'NoneType' object is not callable" in log.read_text()


def test_version_says_what_a_report_needs_and_imports_nothing_heavy(tmp_path):
    lines = ran("--version", home=tmp_path).splitlines()
    assert lines[0].startswith("tutor ")
    assert lines[1].startswith("Python ")
    assert "torch " in lines[2]
    code = (
        "import sys\nfrom tutor.commands.tools.versions import version_lines\nlist(version_lines())\n"
        "print([m for m in ('torch', 'triton', 'textual', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture(scope="module")
def new_pack(tmp_path_factory):
    """A course made by `tutor new`: a day, its quiz and an exercise of each kind."""
    home = tmp_path_factory.mktemp("new")
    root = home / "pack"
    ran("new", "day", "1", "--title", 'Views "and" strides', "--course", str(root), home=home)
    ran("new", "quiz", "1", "--course", str(root), home=home)
    for kind in list_kinds():
        slug = "scaled" if kind == "kernel" else f"a_{kind}"
        of = ("--of", "scaled") if kind == "cases" else ()
        ran("new", "exercise", slug, "1", "--kind", kind, *of, "--course", str(root), home=home)
    return root


@pytest.fixture
def pack(new_pack, tmp_path):
    """A copy of that course, for one test."""
    return shutil.copytree(new_pack, tmp_path / "pack")


@pytest.mark.slow
def test_what_new_writes_holds_as_it_stands(pack, tmp_path):
    said = ran("content", "check", "--course", str(pack), home=tmp_path)
    assert "The course holds." in said
    assert "cells 2 run, 0 failed; computed answers 1, 0 failed" in said
    exercises = open_course(pack).exercises().values()
    here = [exercise for exercise in exercises if not say_missing(exercise.needs)]
    assert len(exercises) == len(list_kinds())
    assert f"solutions {len(here)} passed" in said
    wrong = sum(len(read_wrong_answers(exercise.folder)) for exercise in here)
    promises = sum(len(exercise.promises) for exercise in here)
    counted = (
        f"wrong answers {wrong} rejected, {wrong} for their reason; promises {promises} judged"
    )
    assert counted in said


@pytest.mark.slow
def test_another_course_has_a_record_of_its_own(pack, tmp_path):
    """By an option or a variable; a pack of that name left its record, which goes on."""
    home = tmp_path / "home"
    home.mkdir()
    assert "scaled" in ran("--course", str(pack), "list", home=home)
    path = ran("--course", str(pack), "start", "scaled", home=home).strip()
    assert path == str(home / "courses" / "pack" / "work" / "scaled.py")
    solution = str(pack / "kernels" / "scaled" / "solution.py")
    check = ("check", "scaled", solution, "--no-timing")
    assert "Right" in ran("--course", str(pack), *check, home=home)
    with closing(open_record(home / "courses" / "pack" / "record.sqlite3")) as record:
        assert record.activity.passed_exercises() == {"scaled"}
    assert not (home / "record.sqlite3").exists()
    (home / "courses").rename(home / "packs")
    ran("due", home=home, TUTOR_COURSE=str(pack))
    with closing(open_record(home / "packs" / "pack" / "record.sqlite3")) as record:
        assert record.activity.passed_exercises() == {"scaled"}
    assert not (home / "courses").exists()
    assert "holds no course" in ran("--course", str(home), "list", home=home, status=2)


@pytest.mark.slow
def test_the_option_for_a_course_may_name_one_that_is_to_be_made(tmp_path, monkeypatch, capsys):
    root, home = tmp_path / "mine", tmp_path / "home"
    home.mkdir()
    assert "holds no course" in ran("--course", str(root), "list", home=home, status=2)
    ran("--course", str(root), "new", "day", "1", "--title", "First", home=home)
    assert "First" in ran("--course", str(root), "list", home=home)
    monkeypatch.setenv(paths.COURSE, "")  # the option sets it, for other processes
    tutor.main(["--course", str(root), "new", "exercise", "mine", "1"], standalone_mode=False)
    said = capsys.readouterr().err
    assert f"`tutor content check --course {root} --only mine` proves them" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--kind cases", "name the exercise to break: --of SLUG"),
        ("--of scaled", "--of belongs to --kind cases"),
        ("--kind cases --of a_cases", "a_cases takes no cases"),
        ("--kind cases --of nosuch", "nosuch"),
    ],
)
def test_a_list_of_cases_breaks_a_kernel_of_its_course(
    pack: Path, tmp_path: Path, options: str, said: str
) -> None:
    call = ("new", "exercise", "broken", "1", *options.split(), "--course", str(pack))
    assert said in ran(*call, home=tmp_path, status=2)
    assert not (pack / "kernels" / "broken").exists()


def test_new_never_writes_over_a_file(pack, tmp_path):
    reference = pack / "kernels" / "scaled" / "reference.py"
    reference.write_text("mine")
    (pack / "kernels" / "scaled" / "wrong.toml").unlink()
    for args in (("day", "1"), ("quiz", "1"), ("exercise", "scaled", "1")):
        line = ran("new", *args, "--course", str(pack), home=tmp_path, status=2)
        assert "is there already" in line
    assert reference.read_text() == "mine"
    assert not (pack / "kernels" / "scaled" / "wrong.toml").exists()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("day", "9"), "has no day 9"),
        (("exercise", "No-Such", "1"), "cannot name an exercise"),
        (("day", "0"), "not in the range"),
    ],
)
def test_new_says_what_is_wrong_with_a_call(pack, tmp_path, args, words):
    assert words in ran("new", *args, "--course", str(pack), home=tmp_path, status=2)


@pytest.mark.slow
def test_watch_checks_again_what_was_saved(pack, tmp_path):
    lesson = next((pack / "lessons").glob("day-01-*.md"))
    said = tmp_path / "said"
    with said.open("w") as out:
        watching = subprocess.Popen(
            [
                sys.executable,
                "-u",
                "-m",
                "tutor",
                "content",
                "check",
                "--course",
                str(pack),
                "--only",
                "1",
                "--watch",
            ],
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TUTOR_HOME": str(share_judge(tmp_path))},
        )
    try:
        _until(said, "The course holds.")
        wrong = lesson.read_text().replace("expect: 15", "expect: 16")
        lesson.write_text(wrong)
        _until(said, "The course does not hold")
        assert f"cell {lesson.name}" in said.read_text() or "expect" in said.read_text()
    finally:
        watching.terminate()
        watching.wait(10)


def _until(file: Path, words: str) -> None:
    deadline = time.monotonic() + 60
    while words not in file.read_text():
        assert time.monotonic() < deadline, file.read_text()
        time.sleep(0.1)
