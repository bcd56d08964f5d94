"""`tutor quiz` and `tutor grade` as real processes, on a course with one question of each kind."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from questions import right_value
from run_home import share_judge

from tutor.commands.plain.question import format_question
from tutor.course.catalog.course import open_course
from tutor.course.model import Question
from tutor.course.reading.variants import draw_variant
from tutor.quiz import format_answer
from tutor.quiz.option_order import shuffle_options

COURSE = Path(__file__).parent / "course"
DAY = 22
QUIZ = open_course(COURSE).quiz(DAY)
assert QUIZ is not None
QUESTIONS = QUIZ.questions
FIRST = shuffle_options(draw_variant(QUESTIONS[0]), 0)  # as it is asked for the first time
KNOWN = [q for q in QUESTIONS if q.kind not in ("predict", "open")]

PROGRAM = f"""
import pathlib
from tutor import __main__
from tutor.base import paths
paths.course_root = lambda: pathlib.Path({str(COURSE)!r})
__main__.main()
"""


def start(home: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        env={**os.environ, "TUTOR_HOME": str(share_judge(home))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # ignored in a background job
    )


def run(home: Path, *arguments: str, typing: str = "") -> tuple[int, str, str]:
    process = start(home, *arguments)
    out, err = process.communicate(typing, timeout=120)
    return process.returncode, out, err


def rows(home: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(home / "record.sqlite3")) as db:
        return db.execute("SELECT question, correct, confidence, origin FROM answers").fetchall()


def toml(values: dict[str, Any]) -> str:
    """JSON is TOML but for tables."""

    def shown(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k} = {shown(v)}" for k, v in value.items()) + "}"
        return json.dumps(value, ensure_ascii=False)

    return "".join(f"{name} = {shown(value)}\n" for name, value in values.items())


def graded(tmp_path: Path, values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    answers = tmp_path / "answers.toml"
    answers.write_text("# mine\n" + toml(values))
    status, out, err = run(tmp_path / "home", "grade", str(DAY), str(answers), "--json")
    assert err == ""
    return status, json.loads(out)


def test_right_answers_are_right_and_the_rest_is_wrong(tmp_path: Path) -> None:
    status, result = graded(tmp_path, {q.id: right_value(q) for q in KNOWN})
    assert status == 1
    assert set(result) == {"day", "score", "out_of", "band", "answers"}
    assert (result["day"], result["out_of"]) == (DAY, len(QUESTIONS))
    assert result["score"] == len(KNOWN)
    assert isinstance(result["score"], int)
    assert [a["id"] for a in result["answers"]] == [q.id for q in QUESTIONS]
    known = {q.id for q in KNOWN}
    for answer in result["answers"]:
        assert set(answer) == {"id", "right", "credit", "explanation"}
        assert answer["right"] is (answer["id"] in known)
        assert answer["credit"] == (answer["id"] in known)
        assert answer["explanation"]
    assert result["band"] == {"name": "Nearly", "advice": "Read on.", "revisit": [22]}


@pytest.mark.slow
def test_status_0_when_nothing_is_wrong(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    values = {q.id: right_value(q) for q in KNOWN} | {"d22-predict": 4, "d22-open": "masks"}
    status, result = graded(tmp_path, values)
    assert {a["id"]: a["right"] for a in result["answers"]}["d22-predict"] is True
    assert {a["id"]: a["right"] for a in result["answers"]}["d22-open"] is None
    assert status == 0


def test_no_answers_at_all(tmp_path: Path) -> None:
    status, result = graded(tmp_path, {})
    assert status == 1
    assert result["score"] == 0
    assert {a["right"] for a in result["answers"]} == {False}


def test_wrong_answers_are_told_why_they_tempt(tmp_path: Path) -> None:
    _, result = graded(tmp_path, {"d22-choice": "a"})
    answer = next(a for a in result["answers"] if a["id"] == "d22-choice")
    assert answer["explanation"] == "That is the grid.\n\nA program has a block of lanes."


def test_partial_credit_is_in_the_score(tmp_path: Path) -> None:
    _, result = graded(tmp_path, {"d22-fill": ["mask", "no"], "d22-order": ["a", "c", "b"]})
    assert result["score"] == 1.1667
    assert [a["credit"] for a in result["answers"] if a["credit"]] == [0.6667, 0.5]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("# one\n\nd22-no-such = 1\n", 3, "d22-no-such"),
        ("a = 1\nb = \n", 2, "value"),
        ("a = '''\n\nnever ends\n", 1, ""),
        ("a = " + "[" * 5000, 1, ""),
        ("a = 'caf\udce9'\n", 1, "UTF-8"),
        ("a = '\0'\n", 1, "control"),
    ],
)
def test_an_unreadable_file_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    answers = tmp_path / "answers.toml"
    answers.write_bytes(text.encode("utf-8", "surrogateescape"))
    status, out, err = run(tmp_path / "home", "grade", str(DAY), str(answers), "--json")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err
    assert f"{answers}:" in err
    if said:
        assert f"{answers}:{line}:" in err


@pytest.mark.parametrize("arguments", [("grade", "69", "x.toml"), ("quiz", "999")])
def test_a_day_without_a_quiz(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    status, out, err = run(tmp_path, *arguments)
    assert (status, out) == (2, "")
    assert f"{DAY}" in err


@pytest.mark.parametrize(("name", "said"), [("none.toml", "does not exist"), ("", "is a folder")])
def test_a_file_of_answers_that_is_not_there(tmp_path: Path, name: str, said: str) -> None:
    status, out, err = run(tmp_path / "home", "grade", str(DAY), str(tmp_path / name))
    assert (status, out) == (2, "")
    assert said in err
    assert "expected" not in err


def keystrokes(questions: tuple[Question, ...]) -> str:
    """Right answers, sure of each (5)."""
    return "".join(
        f"{format_answer(q, right_value(q))}\n5\n"
        for q in (shuffle_options(draw_variant(each), 0) for each in questions)
    )


def test_a_quiz_that_is_left_in_the_middle_keeps_its_answers(tmp_path: Path) -> None:
    first = QUESTIONS[:2]
    status, out, err = run(tmp_path, "quiz", str(DAY), typing=keystrokes(first))
    assert (status, err) == (0, "")
    assert out.count("Right.") == 2
    assert "Stopped after 2 of" in out
    assert first[0].explanation.split("\n")[0] in out
    assert rows(tmp_path) == [(q.id, 1, 5, "quiz") for q in first]


def test_an_answer_is_kept_when_the_input_ends_before_the_confidence(tmp_path: Path) -> None:
    question = FIRST
    status, out, _ = run(
        tmp_path, "quiz", str(DAY), "--plain", typing=format_answer(question, right_value(question))
    )
    assert status == 0
    assert "Stopped after 1 of" in out
    assert rows(tmp_path) == [(question.id, 1, None, "quiz")]


def test_what_cannot_be_read_is_asked_again(tmp_path: Path) -> None:
    question = FIRST
    answer = format_answer(question, right_value(question))
    huge = "x" * 3_000_000
    text = f"\n{huge}\n{answer}\nvery\n3\n?\n"
    status, out, err = run(tmp_path, "quiz", str(DAY), typing=text)
    assert (status, err) == (0, "")
    assert "at most 10000 characters" in out
    assert len(out) < 20_000
    assert rows(tmp_path) == [(question.id, 1, 3, "quiz"), (QUESTIONS[1].id, 0, None, "quiz")]


def test_ctrl_c_leaves_politely(tmp_path: Path) -> None:
    process = start(tmp_path, "quiz", str(DAY))
    assert process.stdin is not None
    process.stdin.write(keystrokes(QUESTIONS[:1]))
    process.stdin.flush()
    assert process.stdout is not None
    said = ""
    while not (f"\n2 of {len(QUESTIONS)}\n" in said and said.endswith("> ")):
        letter = process.stdout.read(1)
        assert letter, said
        said += letter
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == ""
    assert "Stopped after 1 of" in out
    assert len(rows(tmp_path)) == 1


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.kind)
def test_a_question_shows_all_it_takes_to_answer(question: Question) -> None:
    text = "\n".join(format_question(draw_variant(question)))
    for part in (question.prompt.strip(), *question.options.values(), *question.items.values()):
        assert part in text
    for line in question.code.split("\n"):
        assert line in text
    for part in (*question.left.values(), *question.right.values()):
        assert part in text
