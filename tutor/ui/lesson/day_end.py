"""The end of a day: how it went, and the ways on, each with a key and a button."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.content import Content
from textual.widgets import Static

from tutor.course.catalog.overview import written_beside
from tutor.course.model import Lesson, Quiz
from tutor.judge.reports.timing_text import duration as call_time
from tutor.memory.day_summary import DaySummary, Score, day_summary, missed
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.kernels import exercises_of
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.phrases import duration, plural
from tutor.ui.kit.text.safe_text import visible
from tutor.ui.kit.widgets.press import Press

_TOPICS = 3  # the weakest are named


class DayEnd(VerticalGroup):
    """Below the last section of a day. `show_again` computes the figures anew."""

    DEFAULT_CSS = """
    DayEnd { margin: 1 0; padding: 1 1 0 1; border-top: solid $border; }
    DayEnd > Static { height: auto; }
    """

    def __init__(self, screen: TutorScreen, lesson: Lesson) -> None:
        super().__init__()
        self._screen, self._lesson = screen, lesson

    def compose(self) -> ComposeResult:
        course, record, day = self._screen.tutor.course, self._screen.tutor.record, self._lesson.day
        quiz = course.quiz(day)
        questions = quiz.questions if quiz else ()
        slugs = exercises_of(course, day)
        asked = [predict.question for predict in self._lesson.predictions]
        found = day_summary(record, day, asked, questions, slugs)
        yield Static(Content("\n").join(_figures(day, found, quiz)), markup=False)
        for action_id, action, words in self._ways(found, quiz, len(missed(record, questions))):
            yield Press(f"{key_of(self._screen, action_id)} · {words}", action)

    def _ways(
        self, found: DaySummary, quiz: Quiz | None, misses: int
    ) -> Iterator[tuple[str, str, str]]:
        """An action's id, the action and what it does."""
        if misses:
            yield "lesson.misses", "of_day('misses')", f"{plural(misses, 'missed question')} again"
        if self._lesson.milestones:
            done = sum(kernel.passed for kernel in found.kernels)
            words = f"the report, {done} of {plural(len(found.kernels), 'milestone')} right"
            yield "lesson.report", "of_day('report')", words
        if open_ones := [kernel.slug for kernel in found.kernels if not kernel.passed]:
            yield "lesson.kernels", "kernels", f"the next kernel, {open_ones[0]}"
        elif found.kernels:
            yield "lesson.kernels", "kernels", "a kernel again"
        if quiz and quiz.is_checkpoint:
            yield "lesson.quiz", "quiz", f"the checkpoint, {len(quiz.questions)} questions and more"
        elif quiz:
            again = " again" if found.questions.of else ""
            yield "lesson.quiz", "quiz", f"the quiz{again}, {len(quiz.questions)} questions"
        days = self._screen.tutor.course.overview().days
        if following := written_beside(days, self._lesson.day):
            skips = following.day > self._lesson.day + 1
            words = "the next day that is written" if skips else "the next day"
            title = visible(following.title)
            yield "lesson.next_day", "day(1)", f"{words}, Day {following.day} · {title}"
        if self._lesson.sources:
            yield "lesson.sources", "sources", "the sources this day cites"
        yield "lesson.home", "home", "home"

    def show_again(self) -> None:
        if self.is_attached:
            self.refresh(recompose=True)

    def keys_changed(self) -> None:
        self.show_again()


def _figures(day: int, found: DaySummary, quiz: Quiz | None) -> Iterator[Content]:
    yield Content.styled(f"The end of Day {day}", "bold")
    if found.predictions.of:
        yield _row("Predictions", f"{_of(found.predictions)} right")
    if found.questions.of:
        yield _row("Questions", f"{_of(found.questions)} right")
        weak = [(topic, score) for topic, score in found.topics if score.right < score.of]
        if weak:
            topics = (f"{topic.replace('-', ' ')} {_of(score)}" for topic, score in weak[:_TOPICS])
            yield _row("  weakest", visible(", ".join(topics)))
    elif quiz:
        yield _row("Questions", f"none of {len(quiz.questions)} answered yet")
    if found.kernels:
        passed = [kernel for kernel in found.kernels if kernel.passed]
        yield _row("Kernels", f"{len(passed)} of {len(found.kernels)} right")
        for kernel in passed:
            if kernel.best_ms is not None:
                yield _row("", f"{kernel.slug}: {call_time(kernel.best_ms)} a call at best")
    yield _row("Time", f"{duration(max(found.minutes, 1))} on this day")
    if found.tomorrow:
        yield _row("Tomorrow", f"{plural(found.tomorrow, 'card')} to review")
    yield Content()


def _of(score: Score) -> str:
    return f"{score.right} of {score.of}"


def _row(name: str, text: str) -> Content:
    return Content.assemble((name.ljust(13), "$primary"), text)
