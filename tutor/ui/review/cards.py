"""All cards: searched by words, suspended and brought back, each with the day on which it is due."""

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tutor.base.errors import UsageError
from tutor.base.number_text import plural
from tutor.memory.card_list import KINDS, describe_state, find_cards, title_of
from tutor.memory.store.rows import SetAside
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.phrases import shorten
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar

_BEFORE_TITLE = 40  # columns of state, kind and day, and of the margins


class CardsScreen(TutorScreen):
    """The list has the keyboard; the line above it takes words, and the list follows each letter."""

    DEFAULT_CSS = """
    CardsScreen Input { margin: 1 1 0 1; background: $panel; }
    CardsScreen OptionList { height: 1fr; margin: 1 0 0 0; padding: 0 1; }
    CardsScreen OptionList > .option-list--option { padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings("cards")
    AUTO_FOCUS = "OptionList"

    def __init__(self) -> None:
        super().__init__()
        self._every: tuple[SetAside, ...] = ()
        self.shown: tuple[SetAside, ...] = ()

    def compose(self) -> ComposeResult:
        yield Bar()
        yield Input(placeholder="words of cards: suspended, day 5, fusion …", compact=True)
        yield OptionList(markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._update_cards()

    @work(thread=True, group="sync", exit_on_error=False)
    def _update_cards(self) -> None:
        """Have the cards follow the course in a thread, as a review does, and list them anew."""
        from tutor.memory.course_sync import sync

        try:
            sync(self.tutor.record, self.tutor.course)
        except UsageError as error:
            self.app.call_from_thread(self.say, str(error), wrong=True)
        else:
            self.app.call_from_thread(self._read_again)

    def _read_again(self) -> None:
        if not self.is_left:
            self._read()

    def on_screen_resume(self) -> None:
        self._read()

    def on_resize(self) -> None:
        self._fill()

    def _read(self) -> None:
        try:
            self._every = self.tutor.record.reviews.list_every()
        except UsageError as error:
            self.say(str(error), wrong=True)
        self._fill()

    @on(Input.Changed)
    def _fill(self) -> None:
        today, listed = self.tutor.record.today(), self.query_one(OptionList)
        self.shown = find_cards(self._every, self.query_one(Input).value, today)
        here = listed.highlighted or 0
        room = max(20, self.app.size.width - _BEFORE_TITLE)
        listed.clear_options().add_options(
            Option(_line(describe_state(one, today), one, room)) for one in self.shown
        )
        if not self.shown:
            words = "No card has these words." if self._every else "There is no card yet."
            listed.add_option(Option(words, disabled=True))
        listed.highlighted = min(here, len(self.shown) - 1) if self.shown else None
        self.query_one(Bar).show("Cards", plural(len(self.shown), "card"))
        self.refresh_bindings()

    @property
    def _here(self) -> SetAside | None:
        at = self.query_one(OptionList).highlighted
        return self.shown[at] if at is not None and at < len(self.shown) else None

    # ---- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return bool(self.shown) if action in ("open", "set_aside") else True

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        """Open the page that the card comes from."""
        if one := self._here:
            self.tutor.open(f"lesson:{one.card.day}/{one.card.section}")

    def action_set_aside(self) -> None:
        """Suspend the card, or bring it back and remove its flag."""
        if (one := self._here) is None:
            return
        reviews, title = self.tutor.record.reviews, shorten(title_of(one.card), 40)
        try:
            if reviews.bring_back(one.card):
                self.say(f"Asked again when it is due: {title}")
            elif one.reason:
                self.say("The course no longer has this card. Its history is kept.")
            else:
                reviews.suspend(one.card.id, in_list=True)
                self.say(f"Not asked until you bring it back: {title}")
        except UsageError as error:
            self.say(str(error), wrong=True)
        self._read()

    def action_search(self) -> None:
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def leave_line(self) -> None:
        self.query_one(OptionList).focus()

    def action_leave(self) -> None:
        """Leave the line for the list, and the list for the page before."""
        if self.query_one(Input).has_focus:
            self.leave_line()
        else:
            self.app.pop_screen()


def _line(state: str, one: SetAside, room: int) -> Content:
    card = one.card
    return Content.assemble(
        (state.ljust(17) + " ", "$warning" if one.reason else "$primary"),
        (f"{KINDS.get(card.id.kind, card.id.kind):<8} Day {card.day:<3} ", "$foreground 70%"),
        shorten(make_visible(title_of(card)), room),
    )
