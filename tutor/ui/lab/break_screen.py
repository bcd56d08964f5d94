"""Break it before you write it: the learner's cases for an exercise, and which mistakes they refuse."""

from collections.abc import Iterator
from functools import partial

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.judge import workspace
from tutor.judge.breaking import kept_cases
from tutor.judge.model.case_table import CaseTable
from tutor.judge.model.events import Progress
from tutor.judge.reports.case_table_text import ADVICE, format_table
from tutor.ui.kit.core.judge_call import JudgeCall, Turn
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_while_typing
from tutor.ui.kit.text.inline_markdown import style_code
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.press import Press
from tutor.ui.kit.widgets.text_box import TextBox

_KEEP_AFTER = 0.5  # seconds from the first change until the text is on disk
_GREY = "$foreground 70%"
_STYLES = (("✓", "$success"), ("✗", "$error"), ("Look at:", _GREY), ("The task:", _GREY))

Event = Progress | CaseTable


class BreakScreen(TutorScreen):
    """The cases for the exercise `slug`, one a line, above what they refuse."""

    BINDINGS = bindings("break")
    AUTO_FOCUS = "TextBox"
    DEFAULT_CSS = """
    BreakScreen #about { height: auto; max-height: 4; padding: 0 1; color: $foreground 70%; }
    BreakScreen TextBox { height: 7; background: $panel; padding: 0 1; }
    BreakScreen.-short TextBox { height: 5; }
    BreakScreen #state { height: 1; padding: 0 1; background: $surface; }
    BreakScreen #table { height: 1fr; padding: 0 1; }
    BreakScreen #table Static { height: auto; max-width: 110; }
    """

    def __init__(self, slug: str) -> None:
        super().__init__()
        self.slug = slug
        self.table: CaseTable | None = None
        self._kept = ""  # the text on disk
        self._keeping: Timer | None = None
        self._doing = ""  # what the judge does
        self._said = ""  # why there is no table
        call: JudgeCall[Event] = JudgeCall(self, "The judge")
        self._call = call

    def compose(self) -> ComposeResult:
        self.exercise = self.tutor.course.exercise(self.slug)
        self._kept = kept_cases.read_case_text(self.slug).rstrip("\n")
        yield Bar()
        advice = style_code(ADVICE.format(entry=self.exercise.entry))
        yield Static(advice, id="about", markup=False)
        yield TextBox(self._kept)
        yield Static(id="state", markup=False)
        with VerticalScroll(id="table"):
            yield Press("Play these cases", "play")
            yield Static(id="said", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(Bar).show(
            Content.assemble((self.slug, "bold"), " · break it before you write it"), ""
        )
        self._draw()

    def on_unmount(self) -> None:
        self._call.stop()

    # ---- the text

    @property
    def _text(self) -> str:
        return self.query_one(TextBox).text.rstrip("\n")

    def on_text_area_changed(self) -> None:
        if self._keeping is None:
            self._keeping = self.set_timer(_KEEP_AFTER, self._keep)
        self._draw_state()

    def _keep(self) -> bool:
        """Write the text to its file. Return False if that fails."""
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        text = self._text
        if text != self._kept:
            try:
                kept_cases.keep_case_text(self.slug, text)
            except UsageError as error:
                self.say(str(error), wrong=True)
                return False
            self._kept = text
        self._draw_state()
        return True

    def put_away(self) -> None:
        """Keep the text and stop the judge. Called before the screen is removed."""
        self._keep()
        self._call.stop()

    # ---- playing

    def action_play(self) -> None:
        """Keep the text, and play its cases."""
        if not self._keep():
            return
        texts = kept_cases.split_cases(self._text)
        if not texts:
            self.say("Write a case first, one a line.")
            return
        self._doing, self._said = "starting the judge", ""
        own = workspace.read_own_answer(self.exercise, paths.work_dir())
        play = partial(self.tutor.judge.play_cases, self.slug, texts, own)
        self._call.start(Turn(play, self._take, self._end))
        self._draw()

    def _take(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, CaseTable):
                self.table = event
                try:
                    kept_cases.keep_holes(event)
                except UsageError as error:
                    self.say(str(error), wrong=True)
            else:
                self._doing = event.text
        self._draw_state()

    def show_table(self, table: CaseTable) -> None:
        """Show what the cases refuse."""
        self.table = table
        self._draw()

    def _end(self, trouble: str) -> None:
        self._doing, self._said = "", trouble
        self._draw()

    # ---- drawing

    def _draw(self) -> None:
        """Draw the line of state and the table."""
        self._draw_state()
        helps = self.table is None or bool(self.table.refused or self._said)
        self.query_one("#about").display = helps  # how a case is written
        self.query_one(Press).display = self.table is None and not self._doing
        said = self.query_one("#said", Static)
        if self._said:
            said.update(Content.styled(limit_text(self._said, lines=4), "$warning"))
        elif self.table is not None:
            lines = [_paint(limit_text(line, lines=4)) for line in format_table(self.table)]
            said.update(Content("\n").join(lines))
        else:
            said.update(Content("\n").join(self._introduce()))

    def _introduce(self) -> Iterator[Content]:
        yield Content(
            "Every right answer is to survive your cases, and as few mistakes as possible. They are "
            "played on the exercise's own answers; you need not have written yours."
        )
        given = [text for text in self.exercise.task.split("\n\n") if "**Given.**" in text]
        if given:
            words = " ".join(given[0].replace("**", "").split())
            yield style_code(limit_text(words, lines=6)).stylize_before(_GREY)

    def _draw_state(self) -> None:
        keymap = self.tutor.keymap
        play, leave = (key_while_typing(f"break.{name}", keymap) for name in ("play", "leave"))
        kept = "kept" if self._text == self._kept else "● not kept yet"
        if self._doing:
            state = f"▶ {self._doing} … · {leave} stops"
        else:
            state = f"{kept} · {play} plays these cases · {leave} leaves"
        self.query_one("#state", Static).update(Content.styled(state, _GREY), layout=False)

    def keys_changed(self) -> None:
        self._draw_state()

    # ---- keys

    def action_stop(self) -> None:
        """Stop the judge."""
        if self._doing:
            self._call.stop()
            self._doing, self._said = "", "Stopped."
            self._draw()

    def action_leave(self) -> None:
        """Stop the judge if it plays, else leave."""
        if self._doing:
            self.action_stop()
            return
        self.put_away()
        self.app.pop_screen()

    def action_edit(self) -> None:
        self.query_one(TextBox).focus()

    def action_page(self, pages: int) -> None:
        movement.scroll_page(self.query_one("#table", VerticalScroll), pages)


def _paint(line: str) -> Content:
    """Colour a line by how it begins."""
    inside = line.lstrip(" ")
    style = next((style for mark, style in _STYLES if inside.startswith(mark)), "")
    return style_code(line).stylize_before(style)
