"""Opening what a link, a bookmark or a search hit names. Targets: see `tutor.course.reading.links`, and
"idea:PHASE/ID", "question:ID", "written:" (what was written at checkpoints)."""

from typing import TYPE_CHECKING

from textual.content import Content

from tutor.base.errors import UsageError
from tutor.course.catalog.glossary import Term
from tutor.course.model import Question
from tutor.ui.kit.dialogs.explanation import Entry, EntryScreen
from tutor.ui.kit.text.inline_markdown import inline, ticked
from tutor.ui.kit.text.safe_text import visible

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp


def go(app: "TutorApp", target: str) -> None:
    """Open it above the screen that is shown, or say in one line why that cannot be."""
    try:
        _go(app, target)
    except UsageError as error:
        app.notify(str(error), severity="error", timeout=15, markup=False)


def _go(app: "TutorApp", target: str) -> None:
    kind, _, name = target.partition(":")
    if kind == "day" and name.isdecimal():
        app.open_lesson(int(name))
    elif kind == "lesson":
        day, _, slug = name.partition("/")
        app.open_lesson(int(day), slug)
    elif kind == "exercise":
        app.course.exercise(name)  # raises where there is none
        app.open_lab(name)
    elif kind == "question":
        _question(app, name)
    elif kind == "written":
        from tutor.ui.quiz.written_answers import WrittenScreen

        app.push_screen(WrittenScreen())
    elif entry := entry_of(app, target):
        show(app, entry)
    else:
        app.notify(target, markup=False)


def show(app: "TutorApp", entry: Entry) -> None:
    """The pop-up; what is chosen in it is opened next."""

    def chosen(target: str | None) -> None:
        if target is not None:
            go(app, target)

    app.push_screen(EntryScreen(entry), chosen)


def entry_of(app: "TutorApp", target: str) -> Entry | None:
    """The pop-up of a term or an idea; None where the target names neither."""
    kind, _, name = target.partition(":")
    if kind == "term":
        term = next((term for term in app.course.glossary() if term.id == name), None)
        return _of_term(app, term) if term else None
    phase, _, id_ = name.partition("/")
    chart = app.course.concept_map(int(phase)) if kind == "idea" and phase.isdecimal() else None
    node = next((node for node in chart.nodes if node.id == id_), None) if chart else None
    if chart is None or node is None:
        return None
    links = _days(app, node.days)
    for to in node.to:
        line = Content.assemble(("leads to  ", "$foreground 70%"), visible(chart.node(to).title))
        links.append((line, f"idea:{phase}/{to}"))
    return Entry(node.title, inline(node.text), node.text, tuple(links))


def _of_term(app: "TutorApp", term: Term) -> Entry:
    text = Content.assemble(
        ticked(term.says), ("\n" + visible(f"[{term.source}]"), "$foreground 70%")
    )
    return Entry(term.term, text, f"{term.term}: {term.says}", tuple(_days(app, term.days)))


def _days(app: "TutorApp", days: tuple[int, ...]) -> list[tuple[Content, str]]:
    titles = {day.day: day for day in app.course.overview().days}
    links = []
    for day in days:
        about = titles.get(day)
        words = f"Day {day} · {about.title}" if about else f"Day {day}"
        to_come = "" if about and about.written else "  to come"
        links.append((Content.assemble(words, (to_come, "$foreground 70%")), f"day:{day}"))
    return links


def _question(app: "TutorApp", id_: str) -> None:
    """Answered: what was asked and why it is so. Open: it is asked, a prediction in its lesson."""
    question = app.course.question(id_)
    if question is None:
        app.notify(f"The course has no question {id_}.", markup=False)
        return
    quiz, lesson = app.course.quiz(question.day), app.course.lesson(question.day)
    if id_ in app.record.notes.explained():
        show(app, _of_question(app, question))
    elif quiz and question in quiz.questions:
        from tutor.ui.quizzes import quiz_screen

        if quiz.is_checkpoint:  # its questions are asked together, with the notes closed
            app.push_screen(quiz_screen(quiz))
        else:
            from tutor.ui.quiz.screen import QuizScreen

            app.push_screen(QuizScreen((question,), f"Day {question.day} · one question", "quiz"))
    else:
        sections = lesson.sections if lesson else ()
        slug = next((s.slug for s in sections if any(_asks(b, id_) for b in s.blocks)), "")
        app.open_lesson(question.day, slug)


def _asks(block: object, id_: str) -> bool:
    question = getattr(block, "question", None)
    return question is not None and question.id == id_


def _of_question(app: "TutorApp", question: Question) -> Entry:
    from tutor.course.reading.variants import variant
    from tutor.search.passages import plain

    asked = variant(question, 0)
    prompt, why = plain(asked.prompt), plain(asked.explanation)
    text = Content.assemble((visible(prompt), "bold"), "\n\n", visible(why))
    days = tuple(dict.fromkeys((*question.days, question.day)))
    title = f"A question of Day {question.day}, which you answered"
    return Entry(title, text, f"{prompt}\n\n{why}", tuple(_days(app, days)))
