"""A screen with all texts that the learner wrote at checkpoints, newest first, and a search."""

from datetime import date
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from tutor.base.errors import UsageError
from tutor.base.number_text import plural
from tutor.memory.store.rows import ReflectionRow
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar

MOST = 60  # texts shown at once


class WrittenScreen(TutorScreen):
    """Lists the texts that hold the words looked for."""

    DEFAULT_CSS = """
    WrittenScreen Input { margin: 1 1 0 1; background: $panel; }
    WrittenScreen #texts { padding: 1 2; height: 1fr; }
    WrittenScreen #list { height: auto; max-width: 96; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings("written")
    AUTO_FOCUS = "Input"

    def compose(self) -> ComposeResult:
        yield Bar()
        yield Input(placeholder="words to look for", max_length=200, compact=True)
        with VerticalScroll(id="texts", can_focus=False):
            yield Static(id="list", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._search("")

    @on(Input.Changed)
    def search_typed(self, event: Input.Changed) -> None:
        event.stop()
        self._search(event.value)

    def _search(self, words: str) -> None:
        """Show the newest text of each prompt and study day that contains all the words."""
        record = self.tutor.record
        newest: dict[tuple[int, str, date], ReflectionRow] = {}
        for row in record.checkpoints.reflections(search=words):
            newest.setdefault((row.day, row.prompt, record.study_day(row.at)), row)
        shown = list(newest.values())[:MOST]
        parts = [
            Content("\n").join(
                [
                    Content.assemble(
                        (f"{row.at:%-d %B %Y}", "bold"),
                        (
                            f"  Day {row.day} · {self._prompt(row.day, row.prompt)}",
                            "$foreground 70%",
                        ),
                    ),
                    Content(limit_text(row.text, lines=30)),
                ]
            )
            for row in shown
        ]
        nothing = Content("Nothing written has these words." if words else "Nothing written yet.")
        self.query_one("#list", Static).update(Content("\n\n").join(parts) if parts else nothing)
        self.query_one(Bar).show("What you wrote", plural(len(newest), "text"))

    def _prompt(self, day: int, prompt_id: str) -> str:
        try:
            quiz = self.tutor.course.quiz(day)
        except UsageError:
            quiz = None
        prompts = quiz.reflection.prompts if quiz and quiz.reflection else ()
        text = next((p.text for p in prompts if p.id == prompt_id), prompt_id)
        return limit_text(" ".join(text.replace("`", "").split()), lines=1)

    def action_scroll(self, step: int) -> None:
        self.query_one("#texts", VerticalScroll).scroll_relative(y=3 * step, animate=False)
