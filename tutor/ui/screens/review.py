"""A review session: questions, terms and kernels mixed, one at a time, rated by the learner."""

import time
from collections.abc import Callable
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Footer, OptionList, Static

from tutor.course.alone import standing_alone
from tutor.errors import CannotHere, UsageError
from tutor.memory import QueuedCard
from tutor.memory.session import Session
from tutor.memory.varied import to_ask, values_of
from tutor.quiz import Grade, grade
from tutor.ui.base import TutorScreen
from tutor.ui.inline import inline
from tutor.ui.keys import bindings
from tutor.ui.plain import bounded, visible
from tutor.ui.screens.choose import ChooseScreen
from tutor.ui.screens.note import NoteScreen
from tutor.ui.screens.review_lab import ReviewLab, twist_of
from tutor.ui.widgets.bar import Bar
from tutor.ui.widgets.cards import KernelView, TermView, end_lines, rating_line
from tutor.ui.widgets.question import QuestionView
from tutor.ui.words import ROMAN


class ReviewScreen(TutorScreen):
    """`stage`: "asking", "shown" (the answer is on the screen and to be rated), or "end"."""

    CSS_PATH = "review.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("review")
    AUTO_FOCUS = None

    def __init__(self) -> None:
        super().__init__()
        self.stage = "asking"
        self.card: QueuedCard | None = None
        self.proposed: int | None = None
        self._answer: int | None = None  # the row of the answer on the screen
        self._confidence: int | None = None
        self._began = 0.0
        self._in_lab = False
        self._scope: dict[str, Any] = {}
        self._scope_name = ""
        self._pages: list[tuple[int, str]] = []

    def compose(self) -> ComposeResult:
        yield Bar()
        yield VerticalScroll(id="sheet")
        yield Static(id="rates", markup=False)
        yield Footer(show_command_palette=False)

    async def on_mount(self) -> None:
        from tutor.memory.catalogue import sync

        try:
            changes = sync(self.tutor.record, self.tutor.course)
            if changes.sentence:
                self.say(changes.sentence)
            self._begin()
        except UsageError as error:
            self.say(str(error), wrong=True)
            self.app.pop_screen()
            return
        await self._show_card()

    def _begin(self) -> None:
        record = self.tutor.record
        self.today = record.today()
        self.session = Session(record, self.today, **self._scope)

    @property
    def sheet(self) -> VerticalScroll:
        return self.query_one("#sheet", VerticalScroll)

    @property
    def cram(self) -> bool:
        return bool(self._scope.get("cram"))

    # ---- asking

    async def _show_card(self) -> None:
        """The session's current card, unanswered; the end where there is none."""
        self.card = self.session.next()
        self.stage = "asking" if self.card else "end"
        self.proposed = self._answer = self._confidence = None
        self._began = time.monotonic()
        with self.app.batch_update():
            await self.sheet.remove_children()
            if self.card is None:
                await self._show_end()
            else:
                await self._mount_card(self.card)
            self.sheet.scroll_home(animate=False)
        self._show_bars()
        self.refresh_bindings()

    async def _mount_card(self, card: QueuedCard) -> None:
        if notes := self._notes(card):
            await self.sheet.mount(Static(notes, classes="card-notes"))
        course, record = self.tutor.course, self.tutor.record
        if card.id.kind == "question":
            question = course.question(card.id.key)
            assert question is not None  # the queue holds what the course has
            asked = to_ask(record, standing_alone(course, question))
            view = QuestionView(asked, ask_confidence=True)
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

    def _notes(self, card: QueuedCard) -> Content:
        """What is special about this card, in the order of its weight."""
        rows = []
        if card.changed:
            rows.append(Content.styled("Changed since you last saw it: read it anew.", "$warning"))
        if card.leech:
            rows.append(
                Content.assemble(
                    (f"Forgotten {card.lapses} times. ", "$warning"),
                    "Read its page again before the next try: o opens it.",
                )
            )
        if card.confident_mistake:
            rows.append(Content.styled("You were sure of a wrong answer here.", "$warning"))
        if card.flag:
            rows.append(Content.styled("⚑ flagged", "$accent"))
        if card.note:
            rows.append(
                Content.assemble(
                    ("Your note  ", "$accent"), bounded(card.note, lines=4, columns=200)
                )
            )
        return Content("\n").join(rows)

    def _show_bars(self) -> None:
        left = self.session.left if self.card else 0
        parts = [self._scope_name, f"{left} left" if left else ""]
        card = self.card
        name = {"question": "question", "term": "term", "exercise": "kernel"}
        title = Content.assemble(
            ("Cram" if self.cram else "Review", "bold $primary"),
            f"  {name[card.id.kind]} · Day {card.day}" if card else "",
        )
        self.query_one(Bar).set_rows((title, Content(" · ".join(filter(None, parts)))))
        rates = self.query_one("#rates", Static)
        rates.display = self.stage == "shown" and card is not None
        if rates.display and card is not None:
            days = {} if self.cram else self.session.preview(self._answer)
            rates.update(rating_line(days, self.proposed))

    # ---- answering

    @on(QuestionView.Answered)
    def answered(self, event: QuestionView.Answered) -> None:
        event.stop()
        if event.question.answer_from and event.value is not None:
            event.view.say("Running the code on this machine …")
            self._compute(event)
        else:
            self._store(event, grade(event.question, event.value))

    @work(thread=True, exclusive=True, group="compute", exit_on_error=False)
    def _compute(self, event: QuestionView.Answered) -> None:
        """The answer that this machine finds; a thread, because a process may have to start."""
        from tutor.judge.compute import compute

        computed: Any = None
        try:
            computed = compute(self.tutor.judge, event.question)
        except (CannotHere, UsageError) as error:
            self.app.call_from_thread(self.say, str(error), wrong=True)
        result = grade(event.question, event.value, computed)
        self.app.call_from_thread(self._store, event, result)

    def _store(self, event: QuestionView.Answered, result: Grade) -> None:
        """The record first. Where it cannot be written nothing is revealed, and the card stays."""
        question = event.question
        try:
            row = self.tutor.record.answer(
                question.id,
                question.day,
                event.value,
                result.right,
                result.credit,
                event.confidence,
                event.seconds,
                "cram" if self.cram else "review",
                params=values_of(question),
            )
            self.proposed = self.tutor.record.proposed(row)
        except UsageError as error:
            event.view.say("Your answer is not stored. Esc leaves; what was stored before is safe.")
            self.say(str(error), wrong=True)
            return
        self._answer, self._confidence = row, event.confidence
        if event.view.is_attached:
            event.view.reveal(result)
            self._shown()

    def _shown(self) -> None:
        self.stage = "shown"
        self.sheet.focus()
        self._show_bars()
        self.refresh_bindings()

    async def action_show(self) -> None:
        """Enter: the next thing that makes sense."""
        if self.stage == "shown":
            await self.action_rate(self.proposed or 3)
        elif self.stage == "asking" and self.query(TermView):
            await self.query_one(TermView).reveal()
            self._shown()
        elif self.stage == "asking" and self.query(KernelView):
            self._in_lab = True
            view = self.query_one(KernelView)
            self.app.push_screen(ReviewLab(view.exercise.slug, view.twist))

    async def on_screen_resume(self) -> None:
        """Back from the lab: a right verdict has rated the card, anything else leaves it."""
        if not self._in_lab:
            return
        self._in_lab = False
        if (rating := self.session.attempted()) is not None:
            self.say(
                "The verdict rated it: " + {1: "again", 2: "hard", 3: "good"}.get(rating, "easy")
            )
            await self._show_card()

    async def action_rate(self, rating: int) -> None:
        seconds = time.monotonic() - self._began
        try:
            self.session.rate(
                rating, seconds=seconds, confidence=self._confidence, answer=self._answer
            )
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        await self._show_card()

    async def action_give_up(self) -> None:
        for view in self.query(QuestionView):
            view.give_up()
        if self.query(TermView):
            await self.action_show()
            self.proposed = 1
            self._show_bars()
        elif self.query(KernelView):
            await self.action_rate(1)

    # ---- what else can be done with a card

    async def action_undo(self) -> None:
        try:
            card = self.session.undo()
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        self.say("Taken back." if card else "There is nothing to take back.")
        here = self.card
        if card and here and card.id == here.id and self._still_answered():
            self._card_changed()  # a flag or a note; what is on the screen stands
        elif card:
            await self._show_card()

    def _still_answered(self) -> bool:
        return self._answer is None or self.tutor.record.proposed(self._answer) is not None

    async def action_bury(self) -> None:
        await self._put_aside("bury", "Buried until tomorrow. u brings it back.")

    async def action_suspend(self) -> None:
        await self._put_aside("suspend", "Suspended: it is not asked again. u brings it back.")

    async def _put_aside(self, how: str, words: str) -> None:
        try:
            getattr(self.session, how)()
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        self.say(words)
        await self._show_card()

    def action_flag(self) -> None:
        assert self.card is not None
        flag = 0 if self.card.flag else 1
        self._changed(lambda: self.session.flag(flag), "Flagged." if flag else "Not flagged now.")

    def action_note(self) -> None:
        assert self.card is not None

        def written(text: str | None) -> None:
            if text is not None:
                self._changed(lambda: self.session.note(text), "Your note is kept with the card.")

        self.app.push_screen(NoteScreen(self.card.note), written)

    def _changed(self, change: Callable[[], None], words: str) -> None:
        """A flag or a note is stored; the card stays as far as it was."""
        assert self.card is not None
        try:
            change()
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        self._card_changed()
        self.say(words)

    def _card_changed(self) -> None:
        """Show its flag and note as they are now."""
        assert self.card is not None
        self.card = self.tutor.record.card(self.card.id) or self.card
        self.query(".card-notes").remove()
        if notes := self._notes(self.card):
            self.sheet.mount(Static(notes, classes="card-notes"), before=0)

    def action_lesson(self) -> None:
        """The section that the card comes from, its day's first page where none is named."""
        if self.card is not None:
            self.tutor.open_lesson(self.card.day, self.card.section)

    def action_scope(self) -> None:
        """All, one phase, the focus, or cram: practice that leaves the schedule alone."""
        written = {day.phase for day in self.tutor.course.overview().days if day.written}
        phases = {n: name for n, name in self.tutor.course.phases.items() if n in written}
        # what the list says, what the bar says, what the session is asked for
        scopes: list[tuple[str, str, dict[str, Any]]] = [("Everything that is due", "", {})]
        for number, name in phases.items():
            short = f"Phase {ROMAN.get(number, number)}"
            scopes.append((f"Only {short}, {name}", short, {"phase": number}))
        if focus := self.tutor.record.focus():
            topic = focus.replace("-", " ")
            scopes.append((f"Only your focus, {topic}", topic, {"topic": focus}))
        scopes.append(("Cram everything (the schedule stays as it is)", "", {"cram": True}))
        for number, name in phases.items():
            short = f"Phase {ROMAN.get(number, number)}"
            scopes.append((f"Cram {short}, {name}", short, {"phase": number, "cram": True}))

        async def chosen(index: int | None) -> None:
            if index is not None:
                _, self._scope_name, self._scope = scopes[index]
                self._begin()
                await self._show_card()

        names = [Content(visible(name)) for name, *_ in scopes]
        current = next((i for i, scope in enumerate(scopes) if scope[2] == self._scope), 0)
        self.app.push_screen(ChooseScreen("Review which?", names, current), chosen)

    # ---- the end

    async def _show_end(self) -> None:
        summary = self.session.summary()
        await self.sheet.mount(Static(end_lines(summary, self.today), classes="end"))
        self._pages = [(leech.day, leech.section) for leech in summary.leeches]
        if summary.leeches:
            rows = [
                Content.assemble(
                    (f"Day {card.day}  ", "$primary"),
                    inline(bounded(card.title, lines=1, columns=90)),
                    (f"  forgotten {card.lapses} times", "$foreground 60%"),
                )
                for card in summary.leeches
            ]
            heading = Content.styled("Read these pages again: Enter opens the day", "dim")
            leeches = OptionList(*rows, markup=False)
            await self.sheet.mount(Static(heading, classes="heading"), leeches)
            leeches.highlighted = 0
            leeches.focus()
        else:
            self.sheet.focus()
        await self.sheet.mount(
            Static(
                Content.styled("p chooses what to practise anyway · Esc goes back", "dim"),
                classes="heading",
            )
        )

    @on(OptionList.OptionSelected)
    def open_day(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.tutor.open_lesson(*self._pages[event.option_index])

    # ---- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "rate":
            return self.stage == "shown"
        if action == "show":
            return self.stage == "shown" or bool(self.query("TermView, KernelView"))
        if action == "give_up":
            return self.stage == "asking"
        if action in ("bury", "suspend", "flag", "note", "lesson"):
            return self.card is not None
        return True

    def action_page(self, pages: int) -> None:
        if pages > 0:
            self.sheet.scroll_page_down(animate=False)
        else:
            self.sheet.scroll_page_up(animate=False)

    def action_leave(self) -> None:
        self.app.pop_screen()
