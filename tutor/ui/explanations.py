"""The pop-ups of a term, an idea and an answered question, as `kit.dialogs.explanation` shows them."""

from textual.content import Content

from tutor.course.catalog.concept_map import ConceptMap, Node
from tutor.course.catalog.course import Course
from tutor.course.catalog.glossary import Term
from tutor.course.model import Question
from tutor.course.reading.variants import draw_variant
from tutor.search.passages import to_plain_line
from tutor.ui.kit.dialogs.explanation import Entry
from tutor.ui.kit.text.inline_markdown import style_code, style_inline
from tutor.ui.kit.text.safe_text import make_visible


def explain_term(course: Course, term: Term) -> Entry:
    """Make the pop-up of a glossary's term, with ways to the days that use it."""
    text = Content.assemble(
        style_code(term.says), ("\n" + make_visible(f"[{term.source}]"), "$foreground 70%")
    )
    return Entry(term.term, text, f"{term.term}: {term.says}", _day_links(course, term.days))


def explain_idea(course: Course, concepts: ConceptMap, idea: Node) -> Entry:
    """The entry of an idea: links to the days that explain it, then to the ideas that follow it."""
    links = list(_day_links(course, idea.days))
    for to in idea.to:
        line = Content.assemble(
            ("leads to  ", "$foreground 70%"), make_visible(concepts.node(to).title)
        )
        links.append((line, f"idea:{concepts.phase}/{to}"))
    return Entry(idea.title, style_inline(idea.text), idea.text, tuple(links))


def explain_question(course: Course, question: Question) -> Entry:
    """The text of the question, its answer and the explanation."""
    asked = draw_variant(question)
    prompt, why = to_plain_line(asked.prompt), to_plain_line(asked.explanation)
    text = Content.assemble((make_visible(prompt), "bold"), "\n\n", make_visible(why))
    days = tuple(dict.fromkeys((*question.days, question.day)))
    title = f"A question of Day {question.day}, which you answered"
    return Entry(title, text, f"{prompt}\n\n{why}", _day_links(course, days))


def _day_links(course: Course, days: tuple[int, ...]) -> tuple[tuple[Content, str], ...]:
    titles = {day.day: day for day in course.overview().days}
    links = []
    for day in days:
        about = titles.get(day)
        words = f"Day {day} · {about.title}" if about else f"Day {day}"
        to_come = "" if about and about.written else "  to come"
        links.append((Content.assemble(words, (to_come, "$foreground 70%")), f"day:{day}"))
    return tuple(links)
