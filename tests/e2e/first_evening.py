"""A new user's first evening, and the next one, in the real program on a real terminal.

`python tests/e2e/first_evening.py` prints what each step took, without the time people think. The
program's clock is given by TUTOR_NOW; the kernels are put in by an "editor" that copies a text, as a
learner's own editor would save it.
"""

import shlex
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from course_answers import wrong_program

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))

from ptyterm import Terminal

from tutor.course.catalog.course import open_course

SOLUTION = Path(__file__).parents[2] / "kernels" / "add_ten" / "solution.py"
QUESTIONS = 12  # of Day 1's quiz
EVENING, NEXT_EVENING = "2026-11-20T19:30:00+01:00", "2026-11-21T19:30:00+01:00"
F2, F3, F5, F6 = "\x1bOQ", "\x1bOR", "\x1b[15~", "\x1b[17~"
ENTER, ESCAPE, PAGE_UP = "\r", "\x1b", "\x1b[5~"
SMALL, WIDE = (80, 24), (120, 40)


class Evening:
    """The program and a stopwatch: `took` has the seconds of each step."""

    def __init__(self, home: Path, now: str, size: tuple[int, int]) -> None:
        self.took: list[tuple[str, float]] = []
        self._text = home / "in_the_editor.py"
        copy = f"cp {shlex.quote(str(self._text))}"  # the program adds the file to edit
        self._from = time.monotonic()
        self.terminal = Terminal(*size, home, TUTOR_NOW=now, VISUAL=copy)

    def step(self, name: str, keys: str, *then: str) -> str:
        """Press keys and wait until all of `then` is on the screen at once; returns the screen."""
        self._from = time.monotonic() if keys else self._from
        self.terminal.press(keys)
        for text in then:
            self.terminal.until(text)
        self.took.append((name, time.monotonic() - self._from))
        return self.terminal.settle()

    def write(self, text: str, line: str) -> None:
        """Have the learner's own editor save this text as the exercise's file; `line` is of it."""
        self._text.write_text(text, "utf-8")
        self.leave_text()
        self.step("the own editor", "e", "i edit")
        if line not in self.terminal.seen():  # a small window has room for one side
            self.step("the other side", F6, line)

    def leave_text(self) -> None:
        """Leave the editor, in which letters are text."""
        if "esc keys" in self.terminal.seen():
            self.step("out of the editor", ESCAPE, "i edit")

    def quit(self) -> None:
        self.terminal.press("q")
        status = self.terminal.ended()
        assert status == 0, f"left with status {status}"


@contextmanager
def evening(home: Path, now: str, size: tuple[int, int]) -> Iterator[Evening]:
    """Leaves no process behind."""
    one = Evening(home, now, size)
    try:
        yield one
    finally:
        one.terminal.close()


def first_evening(home: Path, size: tuple[int, int] = WIDE) -> list[tuple[str, float]]:
    """Launch, placement, Day 1, a cell, a question, a wrong kernel, its cause, a right one."""
    with evening(home, EVENING, size) as tutor:
        tutor.step("launch", "", "How would you like to begin?", "Placement")
        placement = open_course().placement()
        assert placement is not None
        topics = len({strand.topic for strand in placement.strands})
        tutor.step("placement", "p", f"topic 1 of {topics}", "as one")
        tutor.step("not known: on to the next topic", F3, "Matrix products", "A colleague removes")
        line = open_course().question("d06-line-second-barrier")
        assert line is not None
        tutor.step("known: the day's next question", f"{line.answer}{ENTER}", "How many FLOP")
        tutor.step("to what it showed", ESCAPE, "1 of 2 questions right", "Nothing to skip")
        tutor.step("home", ENTER, "Begin", "Day 1")

        tutor.step("Day 1", "c", "section 1 of")
        tutor.step("a cell asks for a guess first", "x", "f1 …")  # letters are text now
        tutor.step("the guess", f"three times{F2}", "Noted.", "x runs it")
        seen = tutor.step("the cell runs", "x", "╍╍╍")  # the line above what it printed
        if "cell 1 of" not in seen:  # a small window has no room for the title as well
            tutor.step("the cell's title", PAGE_UP, "✓ cell 1 of")
        tutor.step("quiz", "z", "Put the events in")
        tutor.step("an answer not known", F3, "Noted. The answer:")
        tutor.step("home again", f"{ESCAPE}", "section 1 of")
        tutor.step("home", "q", "Continue", "Kernel")

        tutor.step("the first kernel", "iK", "add_ten · Day 22")
        tutor.write(wrong_program("add_ten", "counts_from_one"), "offsets = 1 + tl.arange")
        seen = tutor.step("wrong, and why", F5, "✗", "outside a tensor")
        assert "offsets = tl.arange" not in seen, "the cause is named, the solution is not"
        tutor.write(SOLUTION.read_text("utf-8"), "offsets = tl.arange")
        tutor.step("right", F5, "✓ Right")
        tutor.leave_text()
        tutor.step("home", "q", "Next up")
        tutor.quit()
        return tutor.took


def next_evening(home: Path, size: tuple[int, int] = WIDE) -> list[tuple[str, float]]:
    """The clock a day later: what was not known returns until it is, then a quiz to its end."""
    with evening(home, NEXT_EVENING, size) as tutor:
        seen = tutor.step("launch", "", "Next up", "? …")
        for words in ("Review", "1 question is due today", "on 1 day · 1 day in all", "Continue"):
            assert words in seen, f"{words!r} is not in\n{seen}"
        tutor.step(
            "review", "r", "Put the events in", "1 for the first time · 0 again · 0 asked before"
        )
        seen = tutor.step("not known again", F3, "Again soon")
        assert "Good" not in seen, "what is given up has one rating"
        tutor.step(
            "it returns at once",
            "1",
            "0 for the first time · 1 again · 0 asked before",
            "Put the events in",
        )
        tutor.step("shown once more", F3, "Again soon")
        seen = tutor.step("enough for today", ESCAPE, "Next up")
        assert "known" not in seen.split("Hardware")[1].split("\n")[0], "nothing was recalled yet"

        tutor.step("Day 1 again", "d", "section 1 of")
        tutor.step("the quiz", "z", "Quiz · Day 1", "Put the events in")
        for number in range(2, QUESTIONS + 1):
            tutor.step(f"question {number - 1}", F3, "The answer:")
            tutor.step(f"on to question {number}", ENTER, f"{number} of {QUESTIONS}")
        tutor.step("the last question", F3, "Noted.")
        seen = tutor.step(
            "the end of the quiz", ENTER, f"0 of {QUESTIONS} points", "a misses again"
        )
        assert "Enter or a click opens the page" in seen
        tutor.step("the misses again", "a", f"1 of {QUESTIONS}", "Put the events in")
        tutor.step("back to the lesson", ESCAPE, "section 1 of")
        tutor.step("home", "q", "Next up", "Continue")
        tutor.quit()
        return tutor.took


def straight_to_a_kernel(home: Path, size: tuple[int, int] = WIDE) -> list[tuple[str, float]]:
    """From launch to the first verdict; the program's time, without a person's reading and typing."""
    with evening(home, EVENING, size) as tutor:
        tutor.step("launch", "", "Exercise")
        tutor.step("the first kernel", "K", "add_ten · Day 22")
        tutor.write(wrong_program("add_ten", "counts_from_one"), "offsets = 1 + tl.arange")
        tutor.step("the first verdict", F5, "✗", "outside a tensor")
        tutor.leave_text()
        tutor.step("home", "q", "Next up")
        tutor.quit()
        return tutor.took


def main() -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        parts = {
            "The first evening": first_evening(Path(one)),
            "The next evening": next_evening(Path(one)),
            "Straight to a kernel": straight_to_a_kernel(Path(other)),
        }
    for name, took in parts.items():
        print(f"{name}, {sum(seconds for _, seconds in took):.1f} s")
        for step, seconds in took:
            print(f"{seconds:8.2f} s  {step}")


if __name__ == "__main__":
    main()
