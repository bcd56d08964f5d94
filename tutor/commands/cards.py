"""`tutor cards`: all cards in lines, found by words, suspended or brought back."""

from contextlib import suppress

import click

from tutor.base.errors import StorageError, UsageError
from tutor.commands.support.console import say
from tutor.commands.support.open_record import use_record
from tutor.course.catalog.course import open_course
from tutor.memory.card_list import KINDS, describe_state, find_cards, title_of
from tutor.memory.course_sync import sync
from tutor.memory.record import Record


@click.command("cards")
@click.argument("words", nargs=-1)
@click.option("--suspend", metavar="CARD", help="Do not ask this card until it is brought back.")
@click.option("--bring-back", metavar="CARD", help="Ask this card again when it is due.")
def cards_command(words: tuple[str, ...], suspend: str | None, bring_back: str | None) -> int:
    """List the cards that have all WORDS in their title, topics, day, kind or state.

    A line has the state or the day on which the card is due, its kind, its name and its title. Ends with
    status 1 where no card has the words.
    """
    changes = bool(suspend or bring_back)
    with use_record(to_read=not changes) as record:
        with suppress(StorageError):  # reading only
            sync(record, open_course())
        for name, back in ((suspend, False), (bring_back, True)):
            if name:
                _change(record, name, back)
        today = record.today()
        found = find_cards(record.reviews.list_every(), " ".join(words), today)
    if not changes:
        for one in found:
            card = one.card
            kind = KINDS.get(card.id.kind, card.id.kind)
            state = describe_state(one, today)
            say(f"{state:<17} {kind:<8} {card.id.key}  Day {card.day}  {title_of(card)}")
        if not found:
            say("No card has these words." if words else "There are no cards yet.")
    return 0 if found or changes else 1


def _change(record: Record, name: str, back: bool) -> None:
    """Suspend the card of this name, or bring it back. Raises `UsageError` if there is none."""
    named = [one.card for one in record.reviews.list_every() if one.card.id.key == name]
    if not named:
        raise UsageError(f"no card is named {name[:60]!r}; `tutor cards` lists them")
    for card in named:
        if not back:
            record.reviews.suspend(card.id, in_list=True)
            say(f"{name} is not asked until you bring it back.")
        elif record.reviews.bring_back(card):
            say(f"{name} is asked again when it is due.")
        else:
            say(f"{name} was not set aside.")
