"""A table of what each compiler made of one function; Enter opens a compiler's stages."""

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from tutor.base.number_text import plural
from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import window_bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.safe_text import limit_text
from tutor.xray.model.comparison import ComparedCompiler, Comparison
from tutor.xray.model.comparison_table import describe_origin, fit_table, legend_of

_WIDEST = 104  # columns of the window, as screen.tcss bounds it
_FRAME = 6  # of these its frame
_MOST_UNITS = 40  # rows of what went into each unit


@dataclass(frozen=True)
class ChosenCompiler:
    """The compiler whose stages are to be shown; `beside`: in the second pane."""

    name: str
    beside: bool = False


class CompilersScreen(Modal[ChosenCompiler | None]):
    """A row a compiler. Its result is the chosen one, or None."""

    BINDINGS = window_bindings("compilers")

    def __init__(self, comparison: Comparison, name: str) -> None:
        super().__init__()
        self._comparison, self._function = comparison, name

    def compose(self) -> ComposeResult:
        foot = (
            f"Enter: its stages · {key_of(self, 'compilers.beside')}: beside · "
            f"{key_of(self, 'compilers.close')} closes"
        )
        name = limit_text(self._function, lines=1, columns=40)
        with dialog(f"{name}: what each compiler made of it", foot):
            yield Static(id="heads", markup=False)
            yield OptionList(*[""] * len(self._comparison.rows), markup=False)
            with VerticalScroll(id="units"):
                yield Static(id="detail", markup=False)

    def on_mount(self) -> None:
        self._draw_table()

    def on_resize(self) -> None:
        self._draw_table()

    def _draw_table(self) -> None:
        comparison, options = self._comparison, self.query_one(OptionList)
        head, *lines = fit_table(comparison, min(_WIDEST, self.app.size.width) - _FRAME)
        heads = [Content.styled(head, "bold")]
        if comparison.lines:
            heads.insert(0, Content.styled(describe_origin(comparison), "$foreground 70%"))
        self.query_one("#heads", Static).update(Content("\n").join(heads))
        for place, line in enumerate(lines):
            options.replace_option_prompt_at_index(place, Content(line))

    @on(OptionList.OptionHighlighted)
    def show_detail(self, event: OptionList.OptionHighlighted) -> None:
        row = self._comparison.rows[event.option_index]
        self.query_one("#detail", Static).update(_describe_row(row, self._comparison))

    @on(OptionList.OptionSelected)
    def choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(ChosenCompiler(self._comparison.rows[event.option_index].compiler))

    def action_open(self) -> None:
        self.query_one(OptionList).action_select()

    def action_beside(self) -> None:
        chosen = self.query_one(OptionList).highlighted
        if chosen is not None:
            self.dismiss(ChosenCompiler(self._comparison.rows[chosen].compiler, beside=True))

    def action_close(self) -> None:
        self.dismiss(None)


def _describe_row(row: ComparedCompiler, comparison: Comparison) -> Content:
    """Describe what the table has no room for: what was fused, what failed."""
    lines = plural(comparison.lines, "line")
    kept = f" · {row.lines_kept} of {lines} can be followed to {row.kept_until}"
    grey = "$foreground 70%"
    parts = [Content.assemble((row.title, "bold"), (kept if row.kept_until else "", grey))]
    if row.recorded:
        parts.append(Content.styled(limit_text(row.recorded, lines=1, columns=400), grey))
    parts += [
        Content.styled(limit_text(failure, lines=4, columns=400), "$error")
        for failure in row.failures
    ]
    if row.fusions:
        parts.append(Content.styled(f"What went into each {row.unit}:", grey))
    for unit, operations_of in row.fusions[:_MOST_UNITS]:
        unit = limit_text(unit, lines=1, columns=60)
        parts.append(
            Content.assemble(
                (unit, "$accent"), f"  {limit_text(operations_of, lines=1, columns=300)}"
            )
        )
    if len(row.fusions) > _MOST_UNITS:
        parts.append(Content(f"and {len(row.fusions) - _MOST_UNITS} more"))
    parts += [Content(""), *(Content.styled(line, grey) for line in legend_of(comparison))]
    return Content("\n").join(parts)
