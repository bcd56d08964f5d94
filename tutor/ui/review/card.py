"""The base of review screens: ask a card, take and grade the answer, take the rating, go on."""

import time

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.base.errors import UsageError
from tutor.judge.twists.asked import find_missed_twist
from tutor.memory.question_choice import self_contained, to_ask
from tutor.memory.review_session import Session, twist_of
from tutor.memory.schedule.ratings import AGAIN, GOOD, RATING_NAMES
from tutor.memory.store.rows import QueuedCard
from tutor.quiz import Grade
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.keys.key_text import Named
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.question.drafts import keep_drafts, make_view
from tutor.ui.question.grading_on_machine import AnsweredScreen
from tutor.ui.question.question_view import QuestionView
from tutor.ui.question.sheet import QuestionSheet
from tutor.ui.review.card_views import (
    KernelView,
    TermView,
    TwistView,
    card_notes,
    cards_left,
    rating_line,
)
from tutor.ui.review.scope import Scope

KINDS = {"question": "question", "term": "term", "exercise": "exercise"}  # words in the bar


class AskingScreen(AnsweredScreen):
    """A screen with a `Session`.

    `stage`: "opening", "asking", "confirming" (a right answer is there, and whether it was done by the
    twist is asked), "shown" (the answer is on the screen, not rated yet), or "end".
    """

    def __init__(self) -> None:
        super().__init__()
        self.scope = Scope()
        self.stage = "opening"
        self.card: QueuedCard | None = None
        self.proposed: int | None = None
        self._answer: int | None = None  # the row of the answer on the screen
        self._given_up = False
        self._began = 0.0
        self._in_lab = False
        self._lab_mode: object = None  # of the lab of this card, to go on there
        self._attempts = 0  # the newest attempt's id, before the lab was opened
        self.missed = False  # the last attempt is right, but not by the twist

    def compose(self) -> ComposeResult:
        yield Bar()
        yield QuestionSheet(id="sheet")
        yield Static(id="rates", markup=False)
        yield Footer()

    def begin(self) -> None:
        """Begin a session on the cards in `scope`."""
        record, scope = self.tutor.record, self.scope
        self.today = record.today()
        self.session = Session(
            record, self.today, cram=scope.cram, phase=scope.phase, topic=scope.topic
        )

    @property
    def sheet(self) -> VerticalScroll:
        return self.query_one("#sheet", VerticalScroll)

    async def show_end(self) -> None:
        """Show the end. Called when no card is left."""

    # ---- asking

    async def show_card(self) -> None:
        """Show the current card without an answer, or the end if no card is left."""
        keep_drafts(self)
        self.card = self.session.next()
        self.stage = "asking" if self.card else "end"
        self.proposed = self._answer = None
        self._given_up = self.missed = False
        self._lab_mode = None
        self._began = time.monotonic()
        with self.app.batch_update():
            await self.sheet.remove_children()
            if self.card is None:
                await self.show_end()
            else:
                await self._mount_card(self.card)
            self.sheet.scroll_home(animate=False, immediate=True)
        self._show_bars()
        # After the card has taken the focus, which is under way: the footer would else be drawn twice,
        # at first with letters that the card's field takes as text.
        self.app.call_later(self.refresh_bindings)

    async def _mount_card(self, card: QueuedCard) -> None:
        if card_notes(card, self.tutor.keymap):
            await self.sheet.mount(self.notes_of(card))
        course, record = self.tutor.course, self.tutor.record
        if card.id.kind == "question":
            try:
                question = course.question(card.id.key)
                assert question is not None  # the queue holds what the course has
                asked = to_ask(record, self_contained(course, question))
            except UsageError as error:  # a file of the course is faulty
                await self._cannot_ask(error)
                return
            view = make_view(record, asked, ask_confidence=False)
            await self.sheet.mount(view)
            view.start()
        elif card.id.kind == "term":
            term = next(term for term in course.glossary() if term.id == card.id.key)
            await self.sheet.mount(TermView(term))
            self.sheet.focus()
        else:
            exercise = course.exercise(card.id.key)
            twist = twist_of(exercise, card.reviews)
            await self.sheet.mount(KernelView(exercise, twist, card.last_review, self.today))
            self.sheet.focus()

    def notes_of(self, card: QueuedCard) -> Named:
        return Named(lambda: card_notes(card, self.tutor.keymap), classes="card-notes")

    async def _cannot_ask(self, error: UsageError) -> None:
        def words() -> Content:
            key = key_of(self, "review.bury")
            return Content(
                f"This card cannot be asked now: {error}. {key} leaves it for another day."
            )

        await self.sheet.mount(Named(words))
        self.sheet.focus()

    def _show_bars(self) -> None:
        card = self.card
        title = Content.assemble(
            ("Cram" if self.scope.cram else "Review", "bold $primary"),
            f"  {KINDS[card.id.kind]} · Day {card.day}" if card else "",
        )
        left = cards_left(self.session.counts) if card else ""
        name = f"{self.scope.name}   " if self.scope.name and card else self.scope.name
        self.query_one(Bar).show(title, Content.assemble(name, left))
        rates = self.query_one("#rates", Static)
        rates.display = self.may_rate and card is not None
        if rates.display and card is not None:
            rates.update(rating_line(self.offer_ratings(), self.proposed, self.tutor.keymap))

    @property
    def may_rate(self) -> bool:
        """Return True if the learner may choose a rating now."""
        return self.stage == "shown" or (self.stage == "asking" and self.missed)

    def offer_ratings(self) -> dict[int, int | None]:
        """The ratings that the card may get now, with their intervals in days. Cramming has none: it
        changes no schedule."""
        days = self.session.preview(self._answer, given_up=self._given_up)
        return dict.fromkeys(days) if self.scope.cram else {**days}

    def keys_changed(self) -> None:
        if self.stage != "opening":
            self._show_bars()

    def still_answered(self) -> bool:
        """Return True if the record still has the answer on the screen (`undo` may have removed it)."""
        return (
            self._answer is None or self.tutor.record.reviews.find_rating(self._answer) is not None
        )

    # ---- answering

    def keep(self, event: QuestionView.Answered, result: Grade) -> None:
        """Store the answer, then reveal it. If storing fails, show nothing; the card stays."""
        try:
            origin = "cram" if self.scope.cram else "review"
            row = self.tutor.record.activity.answer(event.given, result, origin)
            self.proposed = self.tutor.record.reviews.find_rating(row)
        except UsageError as error:
            leave = key_of(self, "review.leave")
            words = f"Your answer is not stored. {leave} leaves; what was stored before is safe."
            event.view.say(words)
            self.say(str(error), wrong=True)
            return
        self._answer, self._given_up = row, event.given.value is None
        if event.view.is_attached:
            event.view.reveal(result)
            self._mark_shown()

    def _mark_shown(self) -> None:
        self.stage = "shown"
        self.sheet.focus()
        self._show_bars()
        self.refresh_bindings()

    async def action_show(self) -> None:
        """Take the next step of the current stage (Enter)."""
        if self.stage == "shown":
            offered = self.offer_ratings()
            rating = self.proposed or GOOD
            await self.action_rate(rating if rating in offered else GOOD)
        elif self.stage == "asking" and self.query(TermView):
            await self.query_one(TermView).reveal()
            self._mark_shown()
        elif self.stage == "asking" and self.query(KernelView):
            view = self.query_one(KernelView)
            record = self.tutor.record
            self._attempts = record.activity.newest_attempts().get(view.exercise.slug, 0)
            self.tutor.open("review-lab", record, view.exercise, view.twist, self._lab_mode)
            self._in_lab = self.app.screen is not self
            if self._in_lab:
                self._lab_mode = getattr(self.app.screen, "mode", None)

    async def on_screen_resume(self) -> None:
        """Return from the lab: a right verdict has rated the card, any other result leaves it. Or return
        from the settings to an end of another study day: ask what is due now."""
        if self.stage == "end" and self.tutor.record.today() != self.today:
            self.begin()
            await self.show_card()
        if not self._in_lab:
            return
        self._in_lab = False
        view = self.query_one(KernelView)
        rating = self.session.find_attempt()
        if rating is not None and view.twist.asks:
            self.stage = "confirming"
            await self.sheet.remove_children()
            await self.sheet.mount(TwistView(view.exercise, view.twist, rating))
            self.sheet.focus()
            self._show_bars()
            self.refresh_bindings()
        elif rating is not None:
            self.session.take_attempt()
            self.say(f"The verdict rated it: {RATING_NAMES[rating]}")
            await self.show_card()
        else:
            await self._show_missed(view)

    async def _show_missed(self, view: KernelView) -> None:
        """Show what the verdict said if the newest attempt was right, but not by the twist."""
        newest = next(iter(self.tutor.record.activity.attempts(view.exercise.slug)), None)
        if newest is None or newest.id <= self._attempts:
            return
        sentence = find_missed_twist(newest.verdict)
        self.missed = bool(sentence)
        if sentence:
            await view.show_missed(sentence)
        else:
            await view.query(".missed").remove()
        self._show_bars()
        self.refresh_bindings()

    async def action_did(self, did: bool) -> None:
        """Keep whether a right answer was written by the twist."""
        try:
            rating = self.session.answer_twist(did)
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        if rating is not None:
            self.say(f"Rated {RATING_NAMES[rating]}.")
        await self.show_card()

    async def action_rate(self, rating: int) -> None:
        seconds = time.monotonic() - self._began
        try:
            self.session.rate(rating, seconds=seconds, answer=self._answer)
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        await self.show_card()

    async def action_give_up(self) -> None:
        for view in self.query(QuestionView):
            view.give_up()
        if self.query(TermView):
            self._given_up, self.proposed = True, AGAIN
            await self.action_show()
        elif self.query(KernelView):
            await self.action_rate(AGAIN)
