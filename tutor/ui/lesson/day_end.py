"""The end of a day: how it went, and the ways on, each with a key and a button."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.content import Content
from textual.widgets import Static

from tutor.base.day_text import say_not_written
from tutor.base.number_text import plural
from tutor.course.catalog.day_exercises import projects_of
from tutor.course.catalog.overview import (
    DayOverview,
    ProjectOverview,
    find_written_neighbour,
    list_unwritten_between,
)
from tutor.course.model import Lesson, Quiz
from tutor.judge.reports.timing_text import format_time as call_time
from tutor.memory.day_summary import (
    DaySummary,
    Score,
    day_summary,
    find_missed,
    say_predictions,
)
from tutor.memory.next_exercise import find_next_exercise
from tutor.memory.project_choice import exercises_to_do, find_project, is_chosen
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.phrases import format_minutes
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.press import Press

_TOPICS = 3  # the weakest are named
_NAMED = 3  # sections that were not read


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
        slugs = exercises_to_do(course, record, day)
        asked = [predict.question for predict in self._lesson.predictions]
        summary = day_summary(record, day, asked, questions, slugs)
        read = record.activity.read_sections(day)
        before = self._lesson.sections[:-1]  # the last one is being read where this stands
        unread = [section.title for i, section in enumerate(before) if i not in read]
        left = _unread_words(unread, len(self._lesson.sections))
        overview = course.overview()
        days = overview.days
        project = find_project(overview, record, day)
        following = find_written_neighbour(days, day)
        ends = day == days[-1].day
        missing = list_unwritten_between(
            days, 0 if ends else day, following.day if following else None
        )
        yield Static(
            Content("\n").join(_figures(day, summary, quiz, left, missing, ends=ends)), markup=False
        )
        for action_id, action, words in self._ways(
            summary,
            quiz,
            len(find_missed(record, questions)) if summary.questions.of else 0,
            following,
            project,
        ):
            yield Press(f"{key_of(self._screen, action_id)} · {words}", action)

    def _ways(
        self,
        summary: DaySummary,
        quiz: Quiz | None,
        misses: int,
        following: DayOverview | None,
        project: ProjectOverview | None,
    ) -> Iterator[tuple[str, str, str]]:
        """An action's id, the action and what it does."""
        if misses:
            yield "lesson.misses", "of_day('misses')", f"{plural(misses, 'missed question')} again"
        if self._lesson.milestones:
            done = sum(kernel.passed for kernel in summary.kernels)
            words = f"the report, {done} of {plural(len(summary.kernels), 'milestone')} right"
            yield "lesson.report", "of_day('report')", words
        tutor = self._screen.tutor
        if project and len(projects_of(overview := tutor.course.overview(), project.day)) > 1:
            chosen = is_chosen(overview, tutor.record, project)
            words = "your project" if chosen else "counts until you choose"
            yield "lesson.project", "project", f"{make_visible(project.title)}: {words}"
        slug = find_next_exercise(tutor.course, tutor.record, self._lesson.day)
        if slug in [kernel.slug for kernel in summary.kernels]:
            yield "lesson.kernels", "kernels", f"the next exercise, {slug}"
        elif summary.kernels:
            yield "lesson.kernels", "kernels", "an exercise again"
        if quiz and quiz.is_checkpoint:
            yield "lesson.quiz", "quiz", f"the checkpoint, {len(quiz.questions)} questions and more"
        elif quiz:
            again = " again" if summary.questions.of else ""
            yield "lesson.quiz", "quiz", f"the quiz{again}, {len(quiz.questions)} questions"
        if following:
            skips = following.day > self._lesson.day + 1
            words = "the next day that is written" if skips else "the next day"
            title = make_visible(following.title)
            yield "lesson.next_day", "day(1)", f"{words}, Day {following.day} · {title}"
        if self._lesson.sources:
            yield "lesson.sources", "sources", "the sources this day cites"
        yield "lesson.home", "home", "home"

    def show_again(self) -> None:
        if self.is_attached:
            self.refresh(recompose=True)

    def keys_changed(self) -> None:
        self.show_again()


def _unread_words(unread: list[str], of: int) -> str:
    """How many sections were not read to their end, and the titles of the first ones."""
    if not unread:
        return ""
    more = ", …" if len(unread) > _NAMED else ""
    titles = ", ".join(make_visible(title) for title in unread[:_NAMED])
    read = f"{of - len(unread)} of {plural(of, 'section')} to the last line"
    return f"{read}; not yet: {titles}{more}"


def _figures(
    day: int,
    summary: DaySummary,
    quiz: Quiz | None,
    left: str,
    missing: tuple[int, ...],
    *,
    ends: bool,
) -> Iterator[Content]:
    """`missing`: the days up to the next one that is written; where the course `ends` with this day,
    all that are not."""
    yield Content.styled(f"The end of Day {day}", "bold")
    if left:
        yield _row("Read", left)
    if summary.predictions.of or summary.left_open:
        yield _row("Predictions", say_predictions(summary))
    if summary.questions.of:
        compared = f", {summary.compared} compared by you" if summary.compared else ""
        yield _row("Questions", f"{_format_score(summary.questions)} right{compared}")
        weak = [(topic, score) for topic, score in summary.topics if score.right < score.of]
        if weak:
            topics = (
                f"{topic.replace('-', ' ')} {_format_score(score)}"
                for topic, score in weak[:_TOPICS]
            )
            yield _row("  weakest", make_visible(", ".join(topics)))
    elif quiz:
        yield _row("Questions", f"none of {len(quiz.questions)} answered yet")
    if summary.kernels:
        passed = [kernel for kernel in summary.kernels if kernel.passed]
        yield _row("Exercises", f"{len(passed)} of {len(summary.kernels)} right")
        for kernel in passed:
            if kernel.best_ms is not None:
                yield _row("", f"{kernel.slug}: {call_time(kernel.best_ms)} a call at best")
    yield _row("Time spent", f"{format_minutes(max(summary.minutes, 1))} on this day")
    if summary.tomorrow:
        waiting = f", {summary.waiting} new ones wait" if summary.waiting else ""
        cards = f"{plural(summary.tomorrow, 'card')} to review{summary.begin}"
        yield _row("Today" if summary.begin else "Tomorrow", f"{cards}{waiting}")
    if ends:
        yield _row("The course", "This is its last day. Reviews and open exercises go on.")
    if missing:
        yield _row("To come", say_not_written(missing))
    yield Content()


def _format_score(score: Score) -> str:
    return f"{score.right} of {score.of}"


def _row(name: str, text: str) -> Content:
    return Content.assemble((name.ljust(13), "$primary"), text)
