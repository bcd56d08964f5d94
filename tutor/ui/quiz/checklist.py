"""The "I can …" list of a checkpoint: each item with its evidence in the learner's record."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tutor.base.errors import UsageError
from tutor.course.model import CanDo, Quiz
from tutor.memory.checkpoint_evidence import proofs
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.text.phrases import hang_after_mark
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar


class ChecklistScreen(TutorScreen):
    """Lists a checkpoint's items. The learner ticks them; the evidence stands beside each tick."""

    CSS = """
    ChecklistScreen OptionList {
        height: 1fr; padding: 1 2; max-width: 100; scrollbar-gutter: stable;
    }
    ChecklistScreen.-short OptionList { padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings("checklist")
    AUTO_FOCUS = "OptionList"

    def __init__(self, quiz: Quiz) -> None:
        super().__init__()
        self.quiz = quiz
        self._ticks: dict[str, bool] = {}

    def compose(self) -> ComposeResult:
        yield Bar()
        yield OptionList(markup=False)
        yield Footer()

    def on_screen_resume(self) -> None:
        self._ticks = self.tutor.record.checkpoints.ticks(self.quiz.day)
        self.call_after_refresh(self._fill)

    def on_resize(self) -> None:
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        items = self.query_one(OptionList)
        here = items.highlighted or 0
        items.clear_options().add_options([Option(self._line(i)) for i in self.quiz.checklist])
        items.highlighted = here
        self._show_bar()

    def _show_bar(self) -> None:
        count = sum(self._ticks.get(item.id, False) for item in self.quiz.checklist)
        self.query_one(Bar).show("I can …", f"{count} of {len(self.quiz.checklist)} ticked")

    def _line(self, item: CanDo) -> Content:
        """The item, and below it a line for each piece of evidence."""
        width = self.query_one(OptionList).scrollable_content_region.width - 2
        mark = ("■ ", "$success") if self._ticks.get(item.id) else ("□ ", "$primary")
        lines = [hang_after_mark(Content.styled(*mark), style_inline(item.text), width)]
        for proof in proofs(item, self.tutor.course, self.tutor.record):
            sign = ("    ✓ ", "$success") if proof.done else ("    – ", "$warning")
            text = limit_text(proof.text.replace("`", ""), lines=1, columns=240)
            said = Content.styled(text, "$foreground 70%")
            lines.append(hang_after_mark(Content.styled(*sign), said, width))
        return Content("\n").join(lines)

    def _here(self) -> int:
        return self.query_one(OptionList).highlighted or 0

    @on(OptionList.OptionSelected)
    def tick_selected(self, event: OptionList.OptionSelected) -> None:
        """Tick after Enter, which the list takes for itself, or a click."""
        event.stop()
        self.action_tick()

    def action_tick(self) -> None:
        here = self._here()
        item = self.quiz.checklist[here]
        ticked = not self._ticks.get(item.id, False)
        try:
            self.tutor.record.checkpoints.tick(self.quiz.day, item.id, ticked)
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        self._ticks[item.id] = ticked
        items = self.query_one(OptionList)
        if here < items.option_count:  # else the list is filled after the next layout
            items.replace_option_prompt_at_index(here, self._line(item))
        self._show_bar()
        if ticked and not all(p.done for p in proofs(item, self.tutor.course, self.tutor.record)):
            self.say("Ticked. Your record does not show it yet: the lines marked – say what would.")

    def action_open(self) -> None:
        """Open the page that the item's evidence names, one without evidence first; else its day."""
        item = self.quiz.checklist[self._here()]
        done = [proof.done for proof in proofs(item, self.tutor.course, self.tutor.record)]
        pages = [
            (shown, row.name)
            for row, shown in zip(item.evidence, done, strict=True)
            if row.kind not in ("question", "exercise")
        ]
        _, place = min(pages, default=(True, str(item.days[0])))
        self.tutor.open(f"lesson:{place}")

    def action_cursor(self, step: int) -> None:
        items = self.query_one(OptionList)
        items.action_cursor_down() if step > 0 else items.action_cursor_up()
