"""What a lesson that waits for the learner says: order, wording, and what follows its end."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import small_course
from course_answers import wrong_program
from test_plain import asked, course_with_a_drill, drill_file

from tutor.commands.plain.question import format_question, settle, take_answer
from tutor.commands.support import console
from tutor.course.catalog.course import open_course
from tutor.course.reading.variants import draw_variant
from tutor.memory.record import open_record

pytestmark = pytest.mark.slow

TWICE = """\
```predict
id = "d01-twice"
kind = "number"
prompt = "How much is twice the total?"
answer_from = "2 * total"
explanation = "Two and two."
```

```python run
"""


def with_two_predictions(home: Path) -> None:
    course = small_course.course(home / "course")
    lesson = small_course.LESSON.replace("```python run\n", TWICE)
    (course / "lessons" / "day-01-one.md").write_text(lesson)


def test_all_predictions_of_a_cell_are_asked_before_it_prints(tmp_path):
    with_two_predictions(tmp_path)
    out = asked(tmp_path, "\n2\n\n5\n\n\n\n")
    order = (
        "How much?",
        "How much is twice the total?",
        "Cell 1 printed:",
        "You were asked: How much?\nYou said: 2\nRight.",
        "You were asked: How much is twice the total?\nYou said: 5\nWrong.",
    )
    places = [out.index(part) for part in order]
    assert places == sorted(places)
    assert out.count("Cell 1 printed:") == 1


def test_the_first_of_two_predictions_is_kept_where_the_input_ends(tmp_path):
    with_two_predictions(tmp_path)
    out = asked(tmp_path, "\n2\n\n")
    assert "Stopped. What was read and answered is kept." in out
    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        assert record.activity.last_answer("d01-sum").right is True
        assert record.activity.last_answer("d01-twice") is None


def test_an_answer_is_kept_where_its_cell_is_interrupted(tmp_path, monkeypatch):
    root = small_course.course(tmp_path / "course")
    question = draw_variant(open_course(root).lesson(1).predictions[0].question)
    lines = iter(["7", "3"])
    monkeypatch.setattr("tutor.commands.plain.question.read_line", lambda _: next(lines))

    def interrupted(*_):
        raise KeyboardInterrupt

    with closing(open_record(tmp_path / "record.sqlite3")) as record:
        with pytest.raises(KeyboardInterrupt):
            settle([take_answer(question)], record, interrupted, "predict")
        answer = record.activity.last_answer("d01-sum")
        assert (answer.value, answer.right, answer.confidence) == (7, None, 3)


def test_the_end_of_a_day_says_what_comes_next(tmp_path, monkeypatch):
    monkeypatch.setenv("TUTOR_NOW", "2026-11-23T12:00+01:00")
    out = asked(tmp_path, "\n2\n\n\n\n")
    end = out[out.index("Day 1 done.") :]
    assert "Predictions: 1 of 1 right." in end
    assert "Exercises: 0 of 1 right." in end
    assert "- the exercise add: tutor start add\n" in end
    assert "- the quiz, 1 question: tutor quiz 1\n" in end
    assert "tomorrow 1 card to review: tutor review" in end


def test_the_end_of_a_day_at_night_says_from_when_its_card_is_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("TUTOR_NOW", "2026-11-23T01:00+01:00")
    out = asked(tmp_path, "\n2\n\n\n\n")
    assert "- today 1 card to review, from 4:00 on: tutor review" in out


def test_a_wrong_drill_is_wrapped_at_words_on_a_terminal(tmp_path, monkeypatch):
    monkeypatch.setattr(console, "is_terminal", lambda _: True)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    course_with_a_drill(tmp_path)
    wrong = wrong_program("tail", "mask_includes_n")
    drill_file(tmp_path, wrong)
    out = asked(tmp_path, "2\n\n\n?\n\n", "--section", "2")
    verdict = out[out.index("\nWrong.") : out.index("Change it and press Enter again.")]
    assert len(verdict.split()) > 20
    assert max(map(len, verdict.splitlines())) <= 60


def test_the_code_of_a_question_is_never_wrapped(tmp_path, monkeypatch):
    monkeypatch.setattr(console, "is_terminal", lambda _: True)
    monkeypatch.setenv("COLUMNS", "40")
    question = draw_variant(
        open_course(small_course.course(tmp_path)).lesson(1).predictions[0].question
    )
    long = "x = " + " + ".join(["first_operand"] * 6)
    shown = [console.fit_line(line) for line in format_question(replace(question, code=long))]
    assert any(f"    {long}" in line for line in shown)


ORDER_AND_WORDS = """\
[[question]]
id = "d01-order"
kind = "order"
prompt = "Which first?"
explanation = "So it is."
items = { first = "x", second = "y", third = "z" }
answer = ["first", "second", "third"]
"""


def test_a_quiz_that_was_stopped_goes_on_at_the_next_question(tmp_path):
    course = small_course.course(tmp_path / "course")
    second = ORDER_AND_WORDS.replace("d01-", "d01-second-").replace("Which first?", "Which next?")
    text = small_course.QUIZ_HEAD + ORDER_AND_WORDS + second
    (course / "quizzes" / "day-01.toml").write_text(text)
    out = asked(tmp_path, "?\n", command=("quiz", "1"))
    assert "Stopped after 1 of 2. Every answer given is kept." in out
    out = asked(tmp_path, "first second third\n\n", command=("quiz", "1"))
    assert "Continued where you left off: 1 answered." in out
    assert "\n1 of 2\n" not in out
    assert "\n1 of 2 points\n" in out
    assert "Not right yet:\n- Which first?" in out


def test_a_quiz_says_what_was_missed_where_to_read_it_and_when_it_returns(tmp_path):
    course = small_course.course(tmp_path / "course")
    text = small_course.QUIZ_HEAD + ORDER_AND_WORDS
    (course / "quizzes" / "day-01.toml").write_text(text)
    out = asked(tmp_path, "first third second\n\n", command=("quiz", "1"))
    assert "(these words, first to last, separated by spaces: " in out
    assert "Partly right (67%)." in out
    assert "\n0.7 of 1 points\n" in out
    assert "Not right yet:\n- Which first? Read: Day 1" in out
    assert "They return in your reviews: 1 " in out
    out = asked(tmp_path, "first second third\n\n", command=("quiz", "1"))
    assert "Not right yet" not in out
