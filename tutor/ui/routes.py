"""The table from targets to screens. This is the only module that names screens of a feature.

A target is a kind, a colon and a name; the colon may be left out where there is no name. Kinds are those
of `tutor.course.reading.links`, those of `_SCREENS`, and "quiz:DAY", "question:ID", "idea:PHASE/ID".
"exercise:SLUG/DAY" opens an exercise as a part of another day, such as a milestone of a project.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from tutor.base.errors import UsageError
from tutor.course.reading.faults import CourseFault
from tutor.memory.placement import take_back
from tutor.ui.kit.core.services import Services
from tutor.ui.kit.text.phrases import ROMAN

if TYPE_CHECKING:
    from tutor.course.model import Question, Quiz

# Each is imported when it is first opened. A target's name and details are its arguments.
_SCREENS = {
    "access": "tutor.ui.verdict.access_map:AccessScreen",
    "break": "tutor.ui.lab.break_screen:BreakScreen",
    "cards": "tutor.ui.review.cards:CardsScreen",
    "checkpoint": "tutor.ui.quiz.checkpoint:CheckpointScreen",
    "exercise": "tutor.ui.lab.screen:LabScreen",
    "explanation": "tutor.ui.kit.dialogs.explanation:EntryScreen",
    "faulty-lesson": "tutor.ui.kit.dialogs.broken_lesson:FaultyScreen",
    "ideas": "tutor.ui.home.concept_map:ConceptMapScreen",
    "introduction": "tutor.ui.home.welcome:WelcomeScreen",
    "keys": "tutor.ui.settings.key_bindings:RebindScreen",
    "ladder": "tutor.ui.ladder.screen:LadderScreen",
    "lesson": "tutor.ui.lesson.screen:LessonScreen",
    "map": "tutor.ui.home.course_map:MapScreen",
    "placement": "tutor.ui.home.placement:PlacementScreen",
    "questions": "tutor.ui.quiz.screen:QuizScreen",
    "report": "tutor.ui.review.project_report:ReportScreen",
    "review": "tutor.ui.review.screen:ReviewScreen",
    "review-lab": "tutor.ui.lab.screen:review_lab",
    "says": "tutor.ui.lab.program_questions:ProgramQuestionsScreen",
    "search": "tutor.ui.search:SearchScreen",
    "settings": "tutor.ui.settings.settings:SettingsScreen",
    "statistics": "tutor.ui.review.statistics:StatisticsScreen",
    "written": "tutor.ui.quiz.written_answers:WrittenScreen",
}


def screen_class(kind: str) -> "type[Screen[Any]]":
    """Import the screen of a kind. Raises `KeyError` if no screen has this kind."""
    module, _, name = _SCREENS[kind].partition(":")
    screen: type[Screen[Any]] = getattr(import_module(module), name)
    return screen


def prepare_screens() -> None:
    """Import the screens that home leads to and prepare the editor, so that they open at once."""
    from tutor.ui.editor import highlights

    for kind in ("lesson", "questions", "exercise", "review"):
        screen_class(kind)
    highlights.compile_query()


def _make(kind: str, *arguments: Any) -> Screen[Any]:
    made: Callable[..., Screen[Any]] = screen_class(kind)
    return made(*arguments)


def open_target(app: Services, target: str, *details: Any, replace: bool = False) -> None:
    """Open the screen for `target` above the current screen or in its place, or notify why it cannot."""
    kind, _, name = target.partition(":")
    try:
        screen = _screen(app, kind, name, details)
    except UsageError as error:
        app.notify(str(error), severity="error", timeout=15, markup=False)
        return
    if screen is not None and replace:
        app.switch_screen(screen)
    elif screen is not None:
        app.push_screen(screen, lambda link: app.open(link) if isinstance(link, str) else None)


def _screen(
    app: Services, kind: str, name: str, details: tuple[Any, ...] = ()
) -> Screen[Any] | None:
    """The screen to show; None if a notification says why there is none."""
    if kind in _RESOLVERS:
        return _RESOLVERS[kind](app, name)
    if kind in _SCREENS:
        return _make(kind, *([name] if name else ()), *details)
    app.notify(f"{kind}:{name}", markup=False)
    return None


def quiz_screen(quiz: "Quiz") -> Screen[None]:
    """The checkpoint screen for the quiz of a checkpoint, the quiz screen for any other."""
    if quiz.is_checkpoint:
        return _make("checkpoint", quiz)
    return _make("questions", quiz.questions, f"Quiz · Day {quiz.day}")


def _lesson(app: Services, name: str) -> Screen[Any] | None:
    """The lesson of a day at the named or the last read section; its mistakes if it is faulty."""
    day_name, _, section = name.partition("/")
    if not day_name.isdecimal():
        raise UsageError(f"no day {day_name[:20]!r}")
    day = int(day_name)
    try:
        lesson = app.course.lesson(day)
    except CourseFault as error:
        return _make("faulty-lesson", day, error)
    if lesson is None:
        from tutor.course.catalog.unwritten_days import (
            explain_unwritten_day,
        )  # reads Markdown: 33 ms

        app.notify(explain_unwritten_day(app.course, day, places=False), timeout=6, markup=False)
        return None
    take_back(app.record, day)
    return _make("lesson", day, section)


def _exercise(app: Services, name: str) -> Screen[Any]:
    from tutor.ui.lab.mode import LabMode

    slug, _, day = name.partition("/")
    app.course.exercise(slug)  # raises if there is none
    return _make("exercise", slug, LabMode(day=int(day)) if day else None)


def _quiz(app: Services, day: str) -> Screen[Any] | None:
    quiz = app.course.quiz(int(day))
    if quiz is None:
        app.notify(f"Day {day} has no quiz.", timeout=6, markup=False)
    return quiz_screen(quiz) if quiz else None


def _misses(app: Services, day: str) -> Screen[Any] | None:
    """The questions of a day's quiz whose newest answer is wrong."""
    from tutor.memory.day_summary import find_missed

    quiz = app.course.quiz(int(day))
    questions = find_missed(app.record, quiz.questions) if quiz else ()
    if not questions:
        app.notify(f"You missed no question of Day {day}.", timeout=6, markup=False)
        return None
    return _make("questions", questions, f"Misses · Day {day}", None, True)


def _question(app: Services, id_: str) -> Screen[Any] | None:
    """The explanation of an answered question, or the screen that asks an open one.

    A prediction is asked in its lesson.
    """
    from tutor.ui.explanations import explain_question

    question = app.course.question(id_)
    if question is None:
        app.notify(f"The course has no question {id_}.", markup=False)
        return None
    if id_ in app.record.notes.list_explained():
        return _make("explanation", explain_question(app.course, question))
    quiz = app.course.quiz(question.day)
    if quiz is None or question not in quiz.questions:
        return _lesson(app, f"{question.day}/{_section_of(app, question)}")
    if quiz.is_checkpoint:  # its questions are asked together, with the notes closed
        return quiz_screen(quiz)
    return _make("questions", (question,), f"Day {question.day} · one question")


def _section_of(app: Services, question: "Question") -> str:
    """The slug of the section that asks a prediction; "" if none does."""
    lesson = app.course.lesson(question.day)
    for section in lesson.sections if lesson else ():
        asked = (getattr(block, "question", None) for block in section.blocks)
        if any(
            question_asked is not None and question_asked.id == question.id
            for question_asked in asked
        ):
            return section.slug
    return ""


def _ideas(app: Services, name: str) -> Screen[Any] | None:
    phase, _, way = name.partition("/")
    concepts = app.course.concept_map(int(phase))
    if concepts is None:
        name = ROMAN.get(int(phase), phase)
        app.notify(f"The ideas of Phase {name} are not drawn yet.", markup=False)
        return None
    return _make("ideas", concepts, way == "ask")


def _report(app: Services, day: str) -> Screen[Any]:
    """The report of a project. Raises `UsageError` for a day without milestones."""
    from tutor.judge.reports.project_report import project_lesson

    return _make("report", project_lesson(app.course, int(day)))


def _placement(app: Services, _: str) -> Screen[Any] | None:
    """The placement with questions of days that are neither read nor skipped."""
    from tutor.ui.home.placement import resume_placement

    session = resume_placement(app.course, app.record)
    if not session.strands:
        if app.course.placement() is None:
            app.notify("This course has no placement: it lacks quizzes/placement.toml.")
        else:
            app.notify("A placement has nothing to ask: its days are read, or skipped already.")
        return None
    return _make("placement", session)


def _term(app: Services, name: str) -> Screen[Any] | None:
    from tutor.ui.explanations import explain_term

    term = next((term for term in app.course.glossary() if term.id == name), None)
    if term is None:
        app.notify(f"term:{name}", markup=False)
    return _make("explanation", explain_term(app.course, term)) if term else None


def _idea(app: Services, name: str) -> Screen[Any] | None:
    from tutor.ui.explanations import explain_idea

    phase, _, id_ = name.partition("/")
    concepts = app.course.concept_map(int(phase)) if phase.isdecimal() else None
    node = next((node for node in concepts.nodes if node.id == id_), None) if concepts else None
    if concepts is None or node is None:
        app.notify(f"idea:{name}", markup=False)
        return None
    return _make("explanation", explain_idea(app.course, concepts, node))


# Kinds whose screen depends on what the course and the record hold.
_RESOLVERS: dict[str, Callable[[Services, str], Screen[Any] | None]] = {
    "day": _lesson,
    "exercise": _exercise,
    "idea": _idea,
    "ideas": _ideas,
    "lesson": _lesson,
    "misses": _misses,
    "placement": _placement,
    "question": _question,
    "quiz": _quiz,
    "report": _report,
    "term": _term,
}
