"""The placement: questions on each day until the first unknown one, then a choice of days to skip."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.base.errors import UsageError
from tutor.base.number_text import plural
from tutor.course.catalog.course import Course
from tutor.course.catalog.placement import PlacementSession, Strand
from tutor.course.model import Question
from tutor.course.reading.variants import draw_with
from tutor.memory.placement import (
    begin_placement,
    end_placement,
    read_open_placement,
    read_standing,
    skip_days,
)
from tutor.memory.question_choice import to_ask
from tutor.memory.record import Record
from tutor.ui.home.day_marks import is_read
from tutor.ui.kit.core.screen import is_kept
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of, with_keys
from tutor.ui.kit.keys.key_text import Named
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.text.phrases import hang_after_mark
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.question.choice_fields import OptionsField
from tutor.ui.question.drafts import DraftingScreen, make_view
from tutor.ui.question.field import Field, Foot
from tutor.ui.question.question_view import QuestionView
from tutor.ui.question.sheet import QuestionSheet

_FIRST = (
    "One wrong answer, or {placement.give_up} for “I do not know”, ends a topic: its days before that "
    "one may be skipped, the others stay to be read. {placement.leave} ends the placement. Nothing "
    "counts against you: what was right returns in reviews, not in its day's quiz; what was not is "
    "explained on its day."
)


class DaysField(OptionsField):
    """A list of days to tick. All are ticked at first; an empty choice is valid."""

    def __init__(self, days: dict[str, str]) -> None:
        super().__init__(days, many=True)
        self.chosen = set(self.options)
        self.help = "a day's sign or space ticks it · + all · - none · Enter: keep this choice"

    def value(self) -> Any:
        return [int(day) for day in self.options if day in self.chosen]

    def press(self, key: str) -> bool:
        if key in ("+", "-"):
            self.chosen = set(self.options) if key == "+" else set()
            return True
        return super().press(key)


def strands_to_ask(course: Course, record: Record) -> tuple[Strand, ...]:
    """The strands of days that are neither read nor skipped. Raises `UsageError` for a faulty file."""
    placement, at = course.placement(), read_standing(record)
    over = {d.day for d in course.overview().days if is_read(d, at)} | at.placed
    return tuple(s for s in placement.strands if s.day not in over) if placement else ()


def resume_placement(course: Course, record: Record) -> PlacementSession:
    """Return the placement with what is answered of one that was not ended. Raises as `strands_to_ask`
    does."""
    strands, earlier = strands_to_ask(course, record), read_open_placement(record)
    asked = {name for strand in strands for name in strand.questions}
    return PlacementSession(strands, {q: right for q, right in earlier.items() if q in asked})


class PlacementScreen(DraftingScreen):
    """The placement screen. It stores each answer before it shows the next question."""

    CSS_PATH = "placement.tcss"
    BINDINGS = bindings("placement")
    AUTO_FOCUS = None

    def __init__(self, session: PlacementSession) -> None:
        super().__init__()
        self.session = session
        self._earlier = len(session.right)  # answers of before this screen was opened
        self.ended = False
        self._unstored: QuestionView.Answered | None = None

    def compose(self) -> ComposeResult:
        yield Bar()
        yield QuestionSheet(id="sheet")
        yield Footer()

    async def on_mount(self) -> None:
        await self._ask()

    @property
    def sheet(self) -> VerticalScroll:
        return self.query_one("#sheet", VerticalScroll)

    def _show_bar(self) -> None:
        asking = self.session.current
        where = how_far = ""
        if asking and not self.ended:
            topic, topics = asking[0].topic, self.session.topics
            where = f" · {topic}" if topic else f" · Day {asking[0].day}"
            if len(topics) > 1:
                how_far = f"topic {topics.index(topic) + 1} of {len(topics)} · "
            how_far += f"question {len(self.session.right) + 1}"  # a wrong answer ends a topic
        self.query_one(Bar).show(
            Content.assemble(("Placement", "bold"), where),
            Content.styled(how_far, "$foreground 70%"),
        )

    def _first(self) -> Content:
        text = _FIRST
        if self._earlier:
            text = f"It goes on where you stopped, after {plural(self._earlier, 'answer')}. {text}"
        return Content.styled(with_keys(text, self.tutor.keymap), "dim")

    async def _ask(self) -> None:
        asking = self.session.current
        question = self.tutor.course.question(asking[1]) if asking else None
        with self.app.batch_update():
            await self.sheet.remove_children()
            if question is None:
                await self._propose()
            else:
                if len(self.session.right) == self._earlier:
                    await self.sheet.mount(Named(self._first, classes="first"))
                asked = to_ask(self.tutor.record, question)
                view = make_view(self.tutor.record, asked, ask_confidence=False, place="placement:")
                await self.sheet.mount(view)
                view.start()
            self.sheet.scroll_home(animate=False, immediate=True)
        self._show_bar()
        self.refresh_bindings()

    @on(QuestionView.Answered)
    async def take_answer(self, event: QuestionView.Answered) -> None:
        event.stop()
        await self._keep(event)

    async def _keep(self, event: QuestionView.Answered) -> None:
        """Store the answer and ask the next question. The day itself explains the answer."""
        result = event.given.grade()
        try:
            if not self.session.right:
                begin_placement(self.tutor.record)
            self.tutor.record.activity.answer(event.given, result, "placement")
        except UsageError as error:
            again = key_of(self, "placement.done")
            event.view.say(f"Your answer is not stored yet. {again} tries again.")
            self.say(str(error), wrong=True)
            self._unstored = event
            self.refresh_bindings()
            return
        self._unstored = None
        self.session.note_answer(event.question.id, result.right is True)
        await self._ask()

    # ---- the end

    async def _propose(self) -> None:
        """Show the days that may be skipped. The learner chooses among them."""
        self.ended = True
        known = self.session.known
        titles = {day.day: day.title for day in self.tutor.course.days}
        right, asked = sum(self.session.right.values()), len(self.session.right)
        parts: list[Static | DaysField | Foot] = [
            Static(Content.styled(f"{right} of {plural(asked, 'question')} right.", "bold"))
        ]
        if known:
            words = (
                "You know these days already. Those ticked are skipped; the map marks them ◇, and "
            )
            words += "opening one there takes that back."
            field = DaysField({str(day): f"Day {day} · {titles[day]}" for day in known})
            parts += [
                Static(words, classes="paragraph", markup=False),
                field,
                Foot(field.help),
            ]
        else:
            parts.append(Named(self._nothing_to_skip, classes="paragraph"))
        if self.session.right:
            lines = [Content.styled("Your answers, and the days that explain them", "bold")]
            lines += self._answer_rows()
            parts.append(Static(Content("\n").join(lines), classes="paragraph"))
        await self.sheet.mount_all(parts)
        (field if known else self.sheet).focus(scroll_visible=False)

    def _answer_rows(self) -> Iterator[Content]:
        """A row for each answer: right or not, its day, and what was asked."""
        for strand in self.session.strands:
            for name in strand.questions:
                if name not in self.session.right:
                    continue
                question = self.tutor.course.question(name)
                right = self.session.right[name]
                asked = self._prompt_of(question) if question else name
                mark = Content.styled(*(("✓ ", "$success") if right else ("✗ ", "$error")))
                text = Content.assemble(
                    (f"Day {strand.day}  ", "$foreground 70%"), style_inline(asked)
                )
                yield hang_after_mark(mark, text, max(20, min(94, self.size.width - 6)))

    def _prompt_of(self, question: Question) -> str:
        """The first line of what was asked, with the numbers that were asked."""
        answer = self.tutor.record.activity.last_answer(question.id)
        asked = draw_with(question, answer.params if answer else None)
        return asked.prompt.strip().split("\n")[0]

    def _nothing_to_skip(self) -> Content:
        home = key_of(self, "placement.done")
        return Content(f"Nothing to skip: begin with the first day. {home} goes home.")

    @on(Field.HandedIn)
    def skip_days(self, event: Field.HandedIn) -> None:
        event.stop()
        days = self.query_one(DaysField).value()
        if days:
            try:
                skip_days(self.tutor.record, days)
            except UsageError as error:
                self.say(str(error), wrong=True)
                return
        self._close()

    def _close(self) -> None:
        """Go home: the next placement begins anew."""
        is_kept(self, partial(end_placement, self.tutor.record))
        self.app.pop_screen()

    # ---- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "give_up":
            return not self.ended
        if action == "done":
            return self._unstored is not None or (self.ended and not self.query(DaysField))
        return True

    def label_now(self, action: str) -> str | None:
        """At the end the keys go home, with the days that are ticked or without skipping one."""
        if self.ended and action == "leave":
            return "skip none" if self.query(DaysField) else ""
        return "home" if self.ended and action == "done" else None

    def action_give_up(self) -> None:
        for view in self.query(QuestionView):
            view.give_up()

    async def action_done(self) -> None:
        if self._unstored:
            await self._keep(self._unstored)
        else:
            self._close()

    def action_page(self, pages: int) -> None:
        movement.scroll_page(self.sheet, pages)

    async def action_leave(self) -> None:
        """Leave a question for the result so far; leave the result for home without skipping a day."""
        self.put_away()
        if self.ended or not self.session.right:
            self._close()
            return
        with self.app.batch_update():
            await self.sheet.remove_children()
            await self._propose()
        self._show_bar()
        self.refresh_bindings()
