"""Common statements to judge as true, partly true or false. The learner writes the reason first."""

from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.base.errors import UsageError
from tutor.course.model import Misconception, Quiz
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.keys.key_text import Named
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.question.choice_fields import OptionsField
from tutor.ui.question.explanation import Explained, markdown_widget
from tutor.ui.question.field import RIGHT, WRONG, Field, Foot
from tutor.ui.question.text_fields import TypedField

CHOICES = {"t": "True", "p": "Partly", "n": "Not true"}
TRUTH = {"t": "true", "p": "partly", "n": "false"}
_WORDS = {"true": "It is true.", "partly": "It is partly true.", "false": "It is not true."}


class MisconceptionsScreen(TutorScreen):
    """A screen with one statement at a time in the order of the file. It stores each answer before it
    shows the verdict."""

    DEFAULT_CSS = """
    MisconceptionsScreen #sheet { padding: 1 2; height: 1fr; }
    MisconceptionsScreen.-short #sheet { padding: 0 1; }
    MisconceptionsScreen #statement {
        height: auto; margin: 0 0 1 0; padding: 0 1; border-left: thick $accent;
    }
    MisconceptionsScreen #sheet > * { max-width: 96; }
    MisconceptionsScreen Field { height: auto; }
    MisconceptionsScreen Row { height: auto; }
    MisconceptionsScreen ListField:focus > Row.-here { background: $block-cursor-background; }
    MisconceptionsScreen Input { width: 1fr; background: $panel; }
    MisconceptionsScreen #sheet > .note { margin: 1 0 0 0; height: auto; }
    MisconceptionsScreen .heading { margin: 1 0 0 0; }
    MisconceptionsScreen .explained {
        height: auto; margin: 1 0 0 0; padding: 0 0 0 1; border-left: thick $border;
    }
    MisconceptionsScreen .typed { height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings("misconceptions")
    AUTO_FOCUS = None

    def __init__(self, quiz: Quiz) -> None:
        super().__init__()
        self.items = quiz.misconceptions
        self.day = quiz.day
        self.at = 0
        self.right = 0
        self.said: str | None = None
        self.revealed = self._warned = False

    def compose(self) -> ComposeResult:
        yield Bar()
        yield VerticalScroll(id="sheet", can_focus=True)
        yield Footer()

    async def on_mount(self) -> None:
        await self._ask()

    @property
    def item(self) -> Misconception | None:
        return self.items[self.at] if self.at < len(self.items) else None

    async def _ask(self) -> None:
        sheet = self.query_one("#sheet")
        self.said, self.revealed = None, False
        await sheet.remove_children()
        if self.item is None:
            words = f"{self.right} of {len(self.items)} judged right."
            advice = "Read the days of the others again: the reasons are there."
            await sheet.mount(
                Static(Content.styled(words, "bold")),
                Static(advice if self.right < len(self.items) else "Nothing to read again."),
                Named(self._way_back, classes="note"),
            )
            self.revealed = True
            sheet.focus()
        else:
            field = OptionsField(CHOICES, many=False)
            await sheet.mount(
                Static(style_inline(self.item.statement), id="statement"),
                field,
                Foot(field.help),
            )
            field.start()
        sheet.scroll_home(animate=False, immediate=True)
        place = min(self.at + 1, len(self.items))
        self.query_one(Bar).show("True or not, and why", f"{place} of {len(self.items)}")
        self.refresh_bindings()

    async def on_field_handed_in(self, event: Field.HandedIn) -> None:
        event.stop()
        try:
            if self.said is None:
                self.said = TRUTH[self.query_one(OptionsField).value()]
                await self._ask_why()
            elif not self.revealed:
                await self._store_and_reveal(self.query_one(TypedField).value())
        except ValueError as error:
            self.query_one(Foot).say(str(error), "$warning")

    async def _ask_why(self) -> None:
        sheet = self.query_one("#sheet")
        self.query_one(OptionsField).disabled = True
        field = TypedField(number=False)
        await sheet.mount(
            Static(Content.styled("Why? In a sentence.", "bold"), classes="heading"),
            field,
            before=self.query_one(Foot),
        )
        self._tell_keys()
        field.start()

    def _tell_keys(self) -> None:
        """Say under the field what its keys do, in place of what was said there."""
        if self.said is None:
            keys = self.query_one(OptionsField).help
            self.query_one(Foot).say(keys, "dim", names_keys=True)
        else:
            self.query_one(Foot).say("Enter: submit; then you read why", "dim")

    async def _store_and_reveal(self, reason: str) -> None:
        item = self.item
        assert item is not None
        assert self.said is not None
        right = self.said == item.truth
        try:
            self.tutor.record.checkpoints.add_misconception(
                self.day, item.id, self.said, reason, right
            )
        except UsageError as error:
            self.query_one(Foot).say("Not stored yet. Enter tries again.", "$warning")
            self.say(str(error), wrong=True)
            return
        self.right += right
        self.revealed = True
        self.query_one(TypedField).disabled = True
        self.query_one(Foot).display = False
        sheet = self.query_one("#sheet")
        mark = (f"{RIGHT} ", "bold $success") if right else (f"{WRONG} ", "bold $error")
        explained = Explained()
        await sheet.mount(explained)
        parts = [
            Static(Content.assemble(mark, (_WORDS[item.truth], "bold"))),
            markdown_widget(item.why),
        ]
        if item.source:
            parts.append(Static(Content.styled(f"Source: {limit_text(item.source)}", "dim")))
        parts.append(Named(partial(self._read_again, item)))
        await explained.mount_all(parts)
        sheet.focus()
        self.refresh_bindings()

    def _way_back(self) -> Content:
        key = key_of(self, "misconceptions.next")
        return Content.styled(f"{key} goes back to the checkpoint", "dim")

    def _read_again(self, item: Misconception) -> Content:
        days = ", ".join(f"Day {day}" for day in item.days)
        key = key_of(self, "misconceptions.next")
        return Content.styled(f"Read again: {days} · {key} goes on", "dim")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.revealed if action == "next" else True

    async def action_next(self) -> None:
        if self.item is None:
            self.app.pop_screen()
            return
        self.at += 1
        await self._ask()

    def action_leave(self) -> None:
        """Leave; a reason that was typed and not submitted is discarded by the second press only."""
        reason = next((field.text.strip() for field in self.query(TypedField)), "")
        if reason and not self.revealed and not self._warned:
            self._warned = True
            leave = key_of(self, "misconceptions.leave")
            self.query_one(Foot).say(f"Not submitted. {leave} again: leave without it", "$warning")
        else:
            self.app.pop_screen()

    def on_field_changed(self, event: Field.Changed) -> None:
        event.stop()
        self._warned = False
        if not self.revealed:
            self._tell_keys()

    def action_page(self, pages: int) -> None:
        movement.scroll_page(self.query_one("#sheet", VerticalScroll), pages)
