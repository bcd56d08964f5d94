"""The page of the exercise's task."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.course.model import Exercise
from tutor.ui.kit.text.inline_markdown import CODE
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.markdown import MarkdownView
from tutor.ui.kit.widgets.press import Press
from tutor.ui.lab.pages.page import LabPage


class TaskPage(LabPage):
    """Shows what the exercise asks for."""

    NAME, ACTION = "task", "lab.task"

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(_facts(self.exercise), classes="facts")

    def on_mount(self) -> None:
        """Show the text one frame after the editor: its paragraphs take as long as all the rest."""
        self.call_after_refresh(self._show_text)

    async def _show_text(self) -> None:
        for scroll in self.query(VerticalScroll):  # none if the lab is left while it opens
            await scroll.mount(MarkdownView(self.exercise.task))
            if self.exercise.takes_cases:
                await scroll.mount(
                    Press("Break it first: which cases do mistakes not survive?", "break_it")
                )


def _facts(exercise: Exercise) -> Content:
    """The title, the signature that the judge calls, and the time it takes."""
    needs = f" · needs {', '.join(exercise.needs)}" if exercise.needs else ""
    return Content.assemble(
        (exercise.title, "bold"),
        "\n",
        (make_visible(exercise.entry), CODE),
        (f"   about {exercise.minutes} min{needs}", "$foreground 70%"),
    )
