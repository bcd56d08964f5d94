"""The list of all cards in words: what each is, when it is due, and which words find it. Pure."""

from collections.abc import Sequence
from datetime import date

from tutor.base.day_text import format_day
from tutor.memory.schedule.ratings import RATING_NAMES
from tutor.memory.store.rows import QueuedCard, SetAside, Undone

KINDS = {"question": "question", "term": "term", "exercise": "exercise"}

_UNDONE = {
    "bury": "is asked today again",
    "suspend": "is asked again when it is due",
    "unsuspend": "is set aside again",
    "flag": "has the flag of before",
    "note": "has the note of before",
}


def say_undone(undone: Undone, title: str) -> str:
    """Say what an undo has taken back, of the card with this title."""
    if undone.action == "review":
        name = RATING_NAMES.get(undone.rating or 0, "")
        return f"Undone: your rating {name.capitalize()} of “{title}”."
    return f"Undone: “{title}” {_UNDONE[undone.action]}."


def describe_state(one: SetAside, today: date) -> str:
    """`suspended`, `new`, `due`, or the day on which a review asks the card."""
    card = one.card
    if one.reason:
        return one.reason
    if card.due <= today:
        return "new" if card.new else "due"
    return format_day(card.due, today)


def find_cards(cards: Sequence[SetAside], typed: str, today: date) -> tuple[SetAside, ...]:
    """The cards that have all typed words in their title, topics, day, kind or state."""
    words = typed.casefold().split()
    return tuple(one for one in cards if all(w in _text_of(one, today) for w in words))


def _text_of(one: SetAside, today: date) -> str:
    card = one.card
    parts = (
        *(KINDS.get(card.id.kind, card.id.kind), f"day {card.day}", title_of(card), card.id.key),
        *(describe_state(one, today), *card.topics, card.note),
    )
    return " ".join(parts).casefold()


def title_of(card: QueuedCard) -> str:
    """The card's title without the marks of code, else its name."""
    return card.title.replace("`", "") or card.id.key
