"""Ten minutes of writing: one prompt at a time, text stored while typing, an optional clock."""

import time
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Static, TextArea

from tutor.base.errors import UsageError
from tutor.course.model import Prompt, Reflection
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.text_box import TextBox

KEEP_AFTER = 1.0  # seconds from a change until it is stored
LONGEST = 100_000  # characters; ten minutes of typing are some 4 000


class ReflectionScreen(TutorScreen):
    """The writing screen. It continues the text of the same study day and shows older text below."""

    DEFAULT_CSS = """
    ReflectionScreen #paper { padding: 1 2; height: 1fr; }
    ReflectionScreen.-short #paper { padding: 0 1; }
    ReflectionScreen #paper > * { max-width: 96; }
    ReflectionScreen #prompt { height: auto; margin: 0 0 1 0; }
    ReflectionScreen TextArea { height: 1fr; background: $panel; border: none; padding: 0 1; }
    ReflectionScreen #earlier { height: auto; max-height: 5; margin: 1 0 0 0; color: $foreground 70%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings("reflection")
    AUTO_FOCUS = "TextArea"

    def __init__(self, day: int, reflection: Reflection) -> None:
        super().__init__()
        self.day, self.reflection = day, reflection
        self.at = 0
        self._kept = ""
        self._keeping: Timer | None = None
        self._began = self._since = time.monotonic()  # start of the writing and of this prompt
        self._told = False

    def compose(self) -> ComposeResult:
        yield Bar()
        with Vertical(id="paper"):
            yield Static(id="prompt", markup=False)
            yield TextBox()
            yield Static(id="earlier", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        # a number that changes every second counts as motion
        self.clock = self.app.animation_level != "none"
        self.set_interval(1, self._tick)
        self._show_prompt()

    @property
    def prompt(self) -> Prompt:
        return self.reflection.prompts[self.at]

    @property
    def area(self) -> TextBox:
        return self.query_one(TextBox)

    # ---- the clock

    def seconds_left(self) -> float:
        return self.reflection.minutes * 60 - (time.monotonic() - self._began)

    def _tick(self) -> None:
        if self.seconds_left() <= 0 and not self._told:
            self._told = True
            self.say("The time is up. Finish your sentence, or write on: nothing is lost.")
        if self.clock:
            self._show_bar()

    def _show_bar(self) -> None:
        left = max(0, round(self.seconds_left()))
        clock = f"{left // 60}:{left % 60:02} left" if left else "time is up"
        words = f"{self.at + 1} of {len(self.reflection.prompts)}"
        title = f"{self.reflection.minutes} minutes of writing"
        right = f"{words} · {clock}" if self.clock else words
        self.query_one(Bar).show(title, right)

    # ---- the text

    def _show_prompt(self) -> None:
        record = self.tutor.record
        rows = [
            row for row in record.checkpoints.reflections(self.day) if row.prompt == self.prompt.id
        ]
        today = record.today()
        mine = next((row.text for row in rows if record.study_day(row.at) == today), "")
        before = next((row for row in rows if record.study_day(row.at) != today), None)
        self.query_one("#prompt", Static).update(style_inline(self.prompt.text))
        self._kept = mine
        self._since = time.monotonic()
        self.area.load_text(mine)
        self.area.move_cursor(self.area.document.end)
        earlier = ""
        if before is not None:
            text = limit_text(before.text, lines=4, columns=300)
            earlier = f"On {before.at:%-d %B %Y} you wrote: {text}"
        self.query_one("#earlier", Static).update(earlier)
        self.area.focus()
        self._show_bar()

    @on(TextArea.Changed)
    def keep_soon(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._keeping is None and self.area.text != self._kept:
            self._keeping = self.set_timer(KEEP_AFTER, self.keep)

    def keep(self) -> bool:
        """Store the present text unless it is stored already."""
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        text = self.area.text[:LONGEST]
        if text == self._kept:
            return True
        try:
            seconds = time.monotonic() - self._since
            self.tutor.record.checkpoints.add_reflection(self.day, self.prompt.id, text, seconds)
        except UsageError as error:
            self.say(f"Not saved yet: {error}", wrong=True)
            return False
        self._kept = text
        return True

    # ---- keys

    def action_turn(self, step: int) -> None:
        if not self.keep():
            return
        if step > 0 and self.prompt.focus:
            self._choose_focus()
            return
        self._turn(step)

    def _turn(self, step: int) -> None:
        if self.at + step >= len(self.reflection.prompts):
            self.app.pop_screen()
            return
        self.at = max(0, self.at + step)
        self._show_prompt()

    def _choose_focus(self) -> None:
        """Ask for the weak topic in one word, so that reviews can favour its questions."""
        topics = self.prompt.topics
        focus = self.tutor.record.settings.focus()
        lines = [style_inline(topic.replace("-", " ")) for topic in topics]
        start = topics.index(focus) if focus in topics else 0

        def chosen(index: int | None) -> None:
            if index is not None:
                try:
                    self.tutor.record.settings.set_focus(topics[index])
                except UsageError as error:
                    self.say(str(error), wrong=True)
                    return
                self.say(f"Reviews ask {topics[index].replace('-', ' ')} first from now on.")
            self._turn(1)

        self.app.push_screen(ChooseScreen("The shaky topic", lines, start, "chooses"), chosen)

    def put_away(self) -> None:
        self.keep()

    def action_leave(self) -> None:
        if self.keep():
            self.app.pop_screen()
