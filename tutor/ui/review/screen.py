"""The review screen: mixed questions, terms and exercises, one at a time, rated by the learner."""

from collections.abc import Callable
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import OptionList, Static

from tutor.base.errors import UsageError
from tutor.base.number_text import plural
from tutor.memory.card_list import say_undone, title_of
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.dialogs.note import NoteScreen
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.keys.key_text import Named
from tutor.ui.kit.text.phrases import shorten
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.question.question_view import QuestionView
from tutor.ui.review.card import AskingScreen
from tutor.ui.review.card_views import card_notes, end_lines, leech_line
from tutor.ui.review.scope import scopes


class ReviewScreen(AskingScreen):
    """The review screen: the choice of scope, the actions on a card, and the end of the session."""

    CSS_PATH = "screen.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("review")
    AUTO_FOCUS = None

    def __init__(self) -> None:
        super().__init__()
        self._pages: list[tuple[int, str]] = []  # the pages of the cards listed at the end

    def on_mount(self) -> None:
        bar = self.query_one(Bar)
        self._reading = self.count_seconds(
            lambda words: bar.show("Review", words), "reading what is due …"
        )
        self._read_course()

    @work(thread=True, group="sync", exit_on_error=False)
    def _read_course(self) -> None:
        """Find what is due in a thread: after a change of the course all of it is read."""
        from tutor.memory.course_sync import sync

        try:
            said = sync(self.tutor.record, self.tutor.course).sentence
        except UsageError as error:
            self.app.call_from_thread(self._cannot, str(error))
        else:
            self.app.call_from_thread(self._begin, said)

    def _cannot(self, sentence: str) -> None:
        self._reading.stop()
        if not self.is_left:
            self.say(sentence, wrong=True)
            self.app.pop_screen()

    def _begin(self, said: str) -> None:
        self._reading.stop()
        if self.is_left:
            return
        if said:
            self.say(said)
        try:
            self.begin()
        except UsageError as error:
            self._cannot(str(error))
            return
        self.call_later(self.show_card)

    def action_scope(self) -> None:
        """Offer the scopes: all, one phase, the focus, or cram."""
        written = {day.phase for day in self.tutor.course.overview().days if day.written}
        phases = {n: name for n, name in self.tutor.course.phases.items() if n in written}
        offered = scopes(phases, self.tutor.record.settings.focus() or "")

        async def chosen(index: int | None) -> None:
            if index is not None:
                self.scope = offered[index]
                self.begin()
                await self.show_card()

        names = [Content(make_visible(scope.label)) for scope in offered]
        current = offered.index(self.scope) if self.scope in offered else 0
        self.app.push_screen(ChooseScreen("Review which?", names, current, "chooses"), chosen)

    # ---- other actions on a card

    async def action_undo(self) -> None:
        try:
            card = self.session.undo()
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        if (undone := self.session.undone) is None:
            self.say("There is nothing to undo.")
        else:
            title = title_of(card) if card else undone.card.key
            self.say(say_undone(undone, shorten(make_visible(title), 40)))
        here = self.card
        if card and here and card.id == here.id and self.still_answered():
            self._show_card_marks()  # only a flag or a note: the card on the screen stays
        elif card:
            await self.show_card()

    async def action_bury(self) -> None:
        await self._put_aside("bury", "Not today: it returns tomorrow.")

    async def action_suspend(self) -> None:
        await self._put_aside("suspend", "Never again: it is set aside.")

    async def _put_aside(self, how: str, words: str) -> None:
        try:
            getattr(self.session, how)()
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        self.say(f"{words} {key_of(self, 'review.undo')} brings it back.")
        await self.show_card()

    def action_flag(self) -> None:
        assert self.card is not None
        flag = 0 if self.card.flag else 1
        self._change_card(
            lambda: self.session.flag(flag), "Flagged." if flag else "Not flagged now."
        )

    def action_note(self) -> None:
        assert self.card is not None

        def keep(text: str) -> None:
            self._change_card(lambda: self.session.note(text), "Note saved with the card.")

        place = f"{self.card.id.kind}:{self.card.id.key}"
        self.app.push_screen(NoteScreen(self.card.note, place, keep=keep))

    def _change_card(self, change: Callable[[], None], words: str) -> None:
        """Store a flag or a note; the card keeps its stage."""
        assert self.card is not None
        try:
            change()
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        self._show_card_marks()
        self.say(words)

    def _show_card_marks(self) -> None:
        """Show the current flag and note of the card."""
        assert self.card is not None
        self.card = self.tutor.record.reviews.card(self.card.id) or self.card
        self.query(".card-notes").remove()
        if card_notes(self.card, self.tutor.keymap):
            self.sheet.mount(self.notes_of(self.card), before=0)

    def action_lesson(self) -> None:
        """Open the section that the card comes from, or the first page of its day if none is named."""
        if self.card is not None:
            self.tutor.open(f"lesson:{self.card.day}/{self.card.section}")

    # ---- the end

    async def show_end(self) -> None:
        summary = self.session.summary()
        begin = self.tutor.record.say_begin(summary.next) if summary.next else ""
        words = end_lines(summary, self.today, self.scope, begin)
        await self.sheet.mount(Static(words, classes="end"))
        self._pages = [(leech.day, leech.section) for leech in summary.leeches]
        if summary.leeches:
            heading = Content.styled("Read these pages again: Enter opens the day", "dim")
            leeches = OptionList(*map(leech_line, summary.leeches), markup=False)
            await self.sheet.mount(Static(heading, classes="heading"), leeches)
            leeches.highlighted = 0
            leeches.focus()
        else:
            self.sheet.focus()
        await self.sheet.mount(Named(self._ways, classes="heading"))

    def _ways(self) -> Content:
        scope, leave = key_of(self, "review.scope"), key_of(self, "review.leave")
        return Content.styled(f"{scope}: other cards, due or not · {leave} goes back", "dim")

    @on(OptionList.OptionSelected)
    def open_day(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        day, section = self._pages[event.option_index]
        self.tutor.open(f"lesson:{day}/{section}")

    # ---- keys

    @property
    def is_opening(self) -> bool:
        return self.stage == "opening"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if self.stage == "opening":
            return action == "leave"
        if action == "rate":
            return self.may_rate and parameters[0] in self.offer_ratings()
        if action == "did":
            return self.stage == "confirming"
        if action == "show":
            return self.stage == "shown" or bool(self.query("TermView, KernelView"))
        if action == "give_up":
            may = (view.may_give_up for view in self.query(QuestionView))
            return self.stage == "asking" and all(may)
        if action == "undo":  # an answer that is being graded is none yet
            graded = all(view.stage != "answered" for view in self.query(QuestionView))
            return graded and self.session.may_undo
        if action in ("bury", "suspend", "flag", "note", "lesson"):
            return self.card is not None
        return True

    def action_page(self, pages: int) -> None:
        movement.scroll_page(self.sheet, pages)

    def action_leave(self) -> None:
        self.put_away()
        counts = self.session.counts if self.card is not None else {}
        again = counts["again"] if "asked before" in counts else 0  # of what is due
        self.app.pop_screen()
        if again:
            waits = "waits" if again == 1 else "wait"
            self.say(f"{plural(again, 'card')} to be asked again {waits} until tomorrow.")
