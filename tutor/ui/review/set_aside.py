"""A list of the cards that are set aside: suspended, flagged, or no longer in the course."""

from collections.abc import Callable

from textual.content import Content

from tutor.base.errors import UsageError
from tutor.memory.store.rows import SetAside
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.text.phrases import shorten
from tutor.ui.kit.text.safe_text import make_visible


def choose_set_aside(screen: TutorScreen, changed: Callable[[], object]) -> None:
    """Show the list. Enter brings a card back, then calls `changed`."""
    reviews = screen.tutor.record.reviews
    try:
        cards = reviews.list_set_aside()
    except UsageError as error:
        screen.say(str(error), wrong=True)
        return
    if not cards:
        screen.say("No card is set aside, flagged or gone from the course.")
        return

    def chosen(index: int | None) -> None:
        if index is None:
            return
        card = cards[index].card
        try:
            back = reviews.bring_back(card)
        except UsageError as error:
            screen.say(str(error), wrong=True)
            return
        if back:
            screen.say(f"Asked again when it is due: {card.title or card.id.key}")
            changed()
        else:
            screen.say("The course no longer has this card. Its history is kept.")

    lines = [_line(one) for one in cards]
    screen.app.push_screen(ChooseScreen("Set aside", lines, does="brings it back"), chosen)


def _line(one: SetAside) -> Content:
    return Content.assemble(
        (f"{one.reason}  ", "bold $primary"),
        shorten(make_visible(one.card.title or one.card.id.key), 48),
    )
