"""The list of all bookmarks by day. Enter opens the lesson at the bookmark."""

from textual.content import Content

from tutor.base.errors import UsageError
from tutor.ui.kit.core.services import Services
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.keys.key_labels import key_name
from tutor.ui.kit.text.phrases import shorten
from tutor.ui.kit.text.safe_text import make_visible


def open_bookmarks(app: Services) -> None:
    """Show the list of bookmarks, or say how to set one if there is none."""
    places = app.record.notes.bookmarks()
    if not places:
        key = key_name("lesson.bookmark", app.keymap)
        app.notify(f"No bookmark is set. In a lesson, {key} sets one.", markup=False)
        return

    def chosen(index: int | None) -> None:
        if index is not None:
            day, slug = places[index]
            app.open(f"lesson:{day}/{slug}")

    lines = [_line(app, day, slug) for day, slug in places]
    app.push_screen(ChooseScreen("Bookmarks", lines), chosen)


def _line(app: Services, day: int, slug: str) -> Content:
    """The day and the heading of the section; the stored heading if the section no longer exists."""
    try:
        lesson = app.course.lesson(day)
    except UsageError:
        lesson = None
    sections = lesson.sections if lesson else ()
    title = next((section.title for section in sections if section.slug == slug), None)
    gone = "" if title else "  no longer there: opens the day"
    return Content.assemble(
        (f"Day {day:>2}  ", "bold $primary"),
        shorten(make_visible(title or slug.replace("-", " ")), 52),
        (gone, "$foreground 70%"),
    )
