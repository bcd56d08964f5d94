"""A table of what a kernel is without each of Triton's passes; Enter opens how its texts differ."""

import random

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.base.number_text import plural
from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import window_bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.ladder.drill_screen import DrillScreen
from tutor.ui.ladder.pass_run import PassRun
from tutor.xray.model import omission_table as table
from tutor.xray.model.pass_drill import draw_question
from tutor.xray.model.pass_words import describe_pass
from tutor.xray.model.stages import Omission

_GREY = "$foreground 70%"
_WIDE = 90  # columns of a terminal that has room for all of a name
_IDLE = "idle"  # the id of the row of passes that change nothing


class PassesScreen(Modal[Omission | None]):
    """A row a pass. Its result is the row whose difference is to be shown, or None."""

    CSS_PATH = "screen.tcss"
    BINDINGS = window_bindings("omissions")

    def __init__(self, run: PassRun, kernel: str, target: str, code: str = "") -> None:
        """Create the page. `code` is the kernel's machine code, of which a drill asks."""
        super().__init__()
        self._run, self._kernel, self._target, self._code = run, kernel, target, code
        self._drawn: list[str] = []

    def compose(self) -> ComposeResult:
        name = limit_text(self._kernel, lines=1, columns=40)
        with dialog(f"{name} for {self._target}: without one of Triton's passes", self._foot()):
            yield Static(id="state", markup=False)
            yield Static(id="heads", markup=False)
            yield OptionList(id="rows", markup=False)
            with VerticalScroll(id="words"):
                yield Static(id="detail", markup=False)

    def on_mount(self) -> None:
        self._run.changed = self._follow
        self.set_interval(0.5, self._say_state)
        self.draw()

    def on_unmount(self) -> None:
        self._run.changed = lambda: None

    def on_resize(self) -> None:
        self.draw()

    def _follow(self) -> None:
        """Draw what the run has found; it goes on while this page is being removed."""
        if not self.is_left:
            self.draw()

    # ---- drawing

    @property
    def _room(self) -> int:
        """Columns of a pass's name."""
        room = table.NAME if self.app.size.width >= _WIDE else table.SHORT_NAME
        whole = self._run.whole
        return room if whole is None or whole.time is None else room - table.TIME_COLUMNS

    def _foot(self) -> str:
        """Return the keys that do something now."""
        row = self._row if self.is_mounted else None
        ways = (
            ("Enter", "difference", row is not None and bool(row.texts)),
            (key_of(self, "omissions.drill"), "guess", not self._run.running),
            (key_of(self, "omissions.stop"), "stops", self._run.running),
            (key_of(self, "omissions.again"), "again", not self._run.running),
            (key_of(self, "omissions.close"), "closes", True),
        )
        return " · ".join(f"{key}: {does}" for key, does, now in ways if now)

    def draw(self) -> None:
        """Show the rows that are there. The highlighted pass stays highlighted."""
        self._say_state()
        whole = self._run.whole
        heads = "".join(table.align(table.heads_of(whole) if whole else table.HEADS, self._room))
        self.query_one("#heads", Static).update(Content.styled(heads, "bold"))
        options = self.query_one(OptionList)
        rows = self._options()
        ids = [option.id or "" for option in rows]
        here = options.highlighted
        kept = self._drawn[here] if here is not None and here < len(self._drawn) else ""
        if ids == self._drawn:
            for place, option in enumerate(rows):
                options.replace_option_prompt_at_index(place, option.prompt)
        else:
            options.clear_options().add_options(rows)
            options.highlighted = ids.index(kept) if kept in ids else (0 if ids else None)
        self._drawn = ids
        self._say_detail()

    def _options(self) -> list[Option]:
        whole = self._run.whole
        if whole is None:
            return []
        options: list[Option] = []
        room, stage = self._room, ""
        for row in self._run.rows:
            if table.is_idle(row):
                continue
            if row.stage != stage:
                stage = row.stage
                options.append(Option(Content.styled(stage, "$accent"), f"={stage}", disabled=True))
            options.append(Option(_draw_row(row, whole, room), f"{row.stage}:{row.name}"))
        if idle := sum(map(table.is_idle, self._run.rows)):
            each = "each of " if idle > 1 else ""
            said = f"the same without {each}{_passes(idle, 'other ')}"
            options.append(Option(Content.styled(said, _GREY), _IDLE))
        return options

    def _say_state(self) -> None:
        run = self._run
        done = max(0, len(run.rows) - 1)
        of = run.rows[0].of if run.rows else 0
        if run.running:
            what = f"{done} of {of} passes left out" if of else "lowering the whole kernel"
            state = Content.styled(f"{what} …", "$accent")
        elif run.trouble:
            rest = f" {done} of {of} passes were left out." if of else ""
            said = limit_text(run.trouble, lines=4, columns=400)
            state = Content.styled(f"{said}{rest}", "$error" if not of else _GREY)
        else:
            state = Content.styled(f"{_passes(done)}, {run.took:.0f} s", _GREY)
        self.query_one("#state", Static).update(state)
        self.query_one(".dialog").border_subtitle = Content(self._foot())

    @property
    def _row(self) -> Omission | None:
        """The highlighted pass; None on another row."""
        options = self.query_one(OptionList)
        if options.highlighted is None:
            return None
        key = options.get_option_at_index(options.highlighted).id or ""
        return next((r for r in self._run.rows if f"{r.stage}:{r.name}" == key), None)

    @on(OptionList.OptionHighlighted)
    def _say_detail(self) -> None:
        row, whole = self._row, self._run.whole
        parts: list[Content] = []
        if row is not None and whole is not None and row.name:
            said = limit_text(table.describe_changes(row, whole), lines=8, columns=900)
            words = describe_pass(row.name)
            parts.append(Content.assemble((table.title_of(row), "bold"), f"  {words}"))
            parts.append(Content(said))
        elif row is None and self._run.rows:
            parts.append(Content(table.describe_idle(self._run.rows)))
        if row is None or not row.name:
            legend = table.legend_of(whole) if whole else table.LEGEND
            parts += [Content.styled(line, _GREY) for line in legend]
        self.query_one("#detail", Static).update(Content("\n").join(parts))
        self.query_one(".dialog").border_subtitle = Content(self._foot())

    # ---- keys

    @on(OptionList.OptionSelected)
    def choose(self) -> None:
        row = self._row
        if row is not None and row.texts:
            self.dismiss(row)

    def action_open(self) -> None:
        self.query_one(OptionList).action_select()

    def action_stop(self) -> None:
        self._run.stop()

    def action_drill(self) -> None:
        if self._run.running:
            said = "First all passes have to be left out."
        elif question := draw_question(self._run.rows, self._code, random.Random()):
            self.app.push_screen(DrillScreen(self._run.rows, self._code, question))
            return
        else:
            said = "No two passes change this kernel's code in different ways."
        self.notify(said, markup=False, timeout=6)

    def action_again(self) -> None:
        self._run.begin()

    def action_close(self) -> None:
        self.dismiss(None)


def _passes(count: int, which: str = "") -> str:
    return plural(count, f"{which}pass", f"{which}passes")


def _draw_row(row: Omission, whole: Omission, room: int) -> Content:
    """Return a row of the table; counts that the pass changes stand out."""
    name = table.title_of(row)
    if why := table.describe_end(row):
        said = limit_text(why, lines=1, columns=200)
        return Content.assemble(f"{name:<{room}} ", (said, "$error"))
    cells = table.cells_of(row, whole)
    name, *numbers = table.align((name, *(cell for cell, _ in cells)), room)
    styles = ["bold $accent" if differs else "" for _, differs in cells]
    return Content.assemble(name, *zip(numbers, styles, strict=True))
