"""A table of what each compiler made of one function; Enter opens a compiler's stages."""

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.safe_text import limit_text
from tutor.xray.model.comparison import ComparedCompiler, Comparison
from tutor.xray.model.comparison_table import align_rows, describe_origin, table_of

_MOST_UNITS = 40  # rows of what went into each unit


@dataclass(frozen=True)
class ChosenCompiler:
    """The compiler whose stages are to be shown; `beside`: in the second pane."""

    name: str
    beside: bool = False


class CompilersScreen(Modal[ChosenCompiler | None]):
    """A row a compiler. Its result is the chosen one, or None."""

    BINDINGS = bindings("compilers")

    def __init__(self, comparison: Comparison, name: str) -> None:
        super().__init__()
        self._comparison, self._function = comparison, name

    def compose(self) -> ComposeResult:
        comparison = self._comparison
        head, *lines = align_rows(table_of(comparison))
        foot = (
            f"Enter: its stages · {key_of(self, 'compilers.beside')}: beside · "
            f"{key_of(self, 'compilers.close')} closes"
        )
        name = limit_text(self._function, lines=1, columns=40)
        with dialog(f"{name}: what each compiler made of it", foot):
            heads = [Content.styled(head, "bold")]
            if comparison.lines:
                heads.insert(0, Content.styled(describe_origin(comparison), "$foreground 70%"))
            yield Static(Content("\n").join(heads), id="heads", markup=False)
            yield OptionList(*map(Content, lines), markup=False)
            with VerticalScroll(id="units"):
                yield Static(id="detail", markup=False)

    @on(OptionList.OptionHighlighted)
    def show_detail(self, event: OptionList.OptionHighlighted) -> None:
        row = self._comparison.rows[event.option_index]
        self.query_one("#detail", Static).update(_describe_row(row))

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


def _describe_row(row: ComparedCompiler) -> Content:
    """Describe what the table has no room for: what was fused, what failed."""
    what = f" · what went into each {row.unit}" if row.fusions else ""
    parts = [Content.assemble((row.title, "bold"), (what, "$foreground 70%"))]
    if row.recorded:
        parts.append(
            Content.styled(limit_text(row.recorded, lines=1, columns=400), "$foreground 70%")
        )
    parts += [
        Content.styled(limit_text(failure, lines=4, columns=400), "$error")
        for failure in row.failures
    ]
    for unit, operations_of in row.fusions[:_MOST_UNITS]:
        unit = limit_text(unit, lines=1, columns=60)
        parts.append(
            Content.assemble(
                (unit, "$accent"), f"  {limit_text(operations_of, lines=1, columns=300)}"
            )
        )
    if len(row.fusions) > _MOST_UNITS:
        parts.append(Content(f"and {len(row.fusions) - _MOST_UNITS} more"))
    return Content("\n").join(parts)
