"""The list of stages: a row for each, below the names of its graph and of its kernel."""

import re
from collections.abc import Mapping

from textual import on
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tutor.base.number_text import plural
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.ladder.model.stages import Ladder, kernel_of
from tutor.xray.model.stages import Stage

_WIDTH = 22  # columns of a row
MOST_OPEN = 3  # kernels whose stages are all listed; of more, only those of the open one
Row = tuple[str | None, Content]  # the key of a stage or a failure, and its text


class StageList(OptionList):
    """`StageChosen` is posted when the learner picks a stage, or the row of one that failed;
    `ExplanationAsked` when Enter is pressed on the open one."""

    DEFAULT_CSS = "StageList { width: 24; height: 1fr; padding: 0; }"

    class StageChosen(Message):
        def __init__(self, key: str) -> None:
            self.failed, self.key = key.startswith("!"), key.removeprefix("!")
            super().__init__()

    class ExplanationAsked(Message):
        """Enter was pressed on the stage that is shown."""

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._shown: tuple[tuple[str | None, str], ...] = ()
        self._keys: list[str | None] = []
        self._here: tuple[str, ...] = ()

    def show(
        self,
        ladder: Ladder,
        here: tuple[str, ...],
        lit: Mapping[str, frozenset[int]],
        changes: Mapping[str, str],
        running: str,
    ) -> None:
        """Draw the list again if it has changed. `here`: the open stages; `lit`: the lit lines of each;
        `changes`: the result of a comparison for each; `running`: the present work, or ""."""
        rows = _stage_rows(ladder, here, lit, changes)
        if running:
            rows.append((None, Content.styled(f"  … {_fit_name(running, 18)}", "$foreground 70%")))
        for failure in ladder.unplaced:
            what = failure.stage.partition(":")[0] or "stopped"
            rows.append(
                (f"!{failure.stage}", Content.styled(f" ✗ {_fit_name(what, 18)}", "$error"))
            )
        shown = tuple((key, content.markup) for key, content in rows)
        moved, self._here = here != self._here, here
        if shown == self._shown:
            return
        same_rows = [key for key, _ in shown] == [key for key, _ in self._shown]
        self._shown = shown
        self._keys = [key for key, _ in rows]
        highlighted = self.highlighted
        if same_rows:
            for i, (_, content) in enumerate(rows):
                self.replace_option_prompt_at_index(i, content)
        else:
            self.clear_options().add_options(
                [Option(content, disabled=key is None) for key, content in rows]
            )
        chosen = next((i for i, key in enumerate(self._keys) if key and key in here), None)
        with self.prevent(OptionList.OptionHighlighted):
            keeps = self.has_focus and same_rows
            if keeps and moved and highlighted is not None:  # by the list itself, or by another key
                keeps = (self._keys[highlighted] or "") in here
            self.highlighted = highlighted if keeps else chosen

    def action_select(self) -> None:
        """Show the stage at the cursor; explain one that is shown already, as Enter does elsewhere."""
        if self.highlighted is not None and self._keys[self.highlighted] in self._here:
            self.post_message(self.ExplanationAsked())
        else:
            super().action_select()

    @on(OptionList.OptionHighlighted)
    @on(OptionList.OptionSelected)
    def post_choice(self, event: OptionList.OptionHighlighted | OptionList.OptionSelected) -> None:
        event.stop()
        key = self._keys[event.option_index]
        if key and (self.has_focus or isinstance(event, OptionList.OptionSelected)):
            self.post_message(self.StageChosen(key))


def _stage_rows(
    ladder: Ladder,
    here: tuple[str, ...],
    lit: Mapping[str, frozenset[int]],
    changes: Mapping[str, str],
) -> list[Row]:
    """Return a row for each stage, below rows with the names of its graph and of its kernel; what is
    folded is one row, which opens its first stage."""
    rows: list[Row] = []
    kernel = graph = ""
    graphs = ladder.sections()
    folds = _Folds(ladder, graphs, here, bool(changes))
    for stage in ladder.order_stages():
        away = graphs[stage.key] in folds.graphs
        if graphs[stage.key] != graph:
            graph, kernel = graphs[stage.key], ""
            if graph:
                rows.append((stage.key if away else None, _graph_row(ladder, graphs, graph, away)))
        if away:
            continue
        folded = kernel_of(stage) in folds.kernels
        if kernel_of(stage) != kernel:
            kernel = kernel_of(stage)
            mark = "▸" if folded else " "
            name = "\n".join(_in_rows(limit_text(kernel, lines=1, columns=200), mark, " "))
            rows.append((stage.key if folded else None, Content.styled(name, "$accent")))
        if not folded:
            notes = _notes(stage.key, lit, changes)
            failed = stage.key in ladder.missing
            label = _label(stage, graph)
            row = _stage_row(label, notes, bool(kernel), stage.key in here, failed)
            rows.append((stage.key, row))
    return rows


class _Folds:
    """The graphs and kernels whose stages are not listed: those that are not open, if there are many."""

    def __init__(
        self, ladder: Ladder, graphs: Mapping[str, str], here: tuple[str, ...], compared: bool
    ) -> None:
        many = len(ladder.kernels) > MOST_OPEN and not compared
        sections = set(graphs.values())
        apart = len(ladder.compilers) > 1 or any(name.startswith("graph ") for name in sections)
        several = apart and not compared
        stages = [ladder.stages[key] for key in here if key in ladder.stages]
        self.graphs = set(graphs.values()) - {"", *(graphs[stage.key] for stage in stages)}
        self.kernels = set(ladder.kernels) - {kernel_of(stage) for stage in stages}
        if not (many or several):
            self.graphs.clear()
        if not many:
            self.kernels.clear()


def _label(stage: Stage, graph: str) -> str:
    """The name of a stage. A graph's own heading says its number."""
    if kernel_of(stage) or not stage.kernel:
        return stage.name
    if graph:
        return f"{stage.name}{' backward' * stage.kernel.endswith('backward')}"
    apart = re.sub(r"(?<=[a-z])(?=\d+$)", " ", stage.kernel)  # frame2: the second frame
    return f"{stage.name} {apart}"


def _notes(
    key: str, lit: Mapping[str, frozenset[int]], changes: Mapping[str, str]
) -> tuple[tuple[str, ...], str]:
    """The result of a comparison, or the number of linked, lit lines, in wordings from long to short;
    and their style."""
    if changes:
        return (changes.get(key, ""),), "$accent"
    count = len(lit.get(key, ()))
    return ((plural(count, "line"), str(count), "") if count else ("",)), "$primary"


def _stage_row(
    label: str, notes: tuple[tuple[str, ...], str], indented: bool, here: bool, failed: bool
) -> Content:
    """The name of a stage, whole, and at its right the longest of the notes that fits there; if none
    does, the shortest in a row of its own."""
    wordings, note_style = notes
    before = f"{'▸' if here else ' '}{'  ' if indented else ' '}{'✗ ' * failed}"
    *above, name = _in_rows(label, before, " " * len(before))
    note = next((n for n in wordings if len(name) + bool(n) + len(n) <= _WIDTH), wordings[-1])
    if len(name) + bool(note) + len(note) > _WIDTH:
        above, name = [*above, name], ""
    gap = " " * (_WIDTH - len(name) - len(note))
    style = f"{'bold' * here} {'$error' * failed}".strip()
    return Content.assemble(("\n".join([*above, name]), style), gap, (note, note_style))


def _graph_row(ladder: Ladder, graphs: Mapping[str, str], graph: str, folded: bool) -> Content:
    """The heading of a graph: its name, and the number of its kernels. That of a compiler: its name, and
    the number of its stages."""
    stages = [ladder.stages[key] for key, name in graphs.items() if name == graph]
    if graph in ladder.compilers:
        made = [stage for stage in stages if stage.key not in ladder.missing]
        failed = " ✗" * (len(made) < len(stages))
        count = plural(len(made), "stage") + failed if made else "✗"
    else:
        count = plural(len({kernel_of(stage) for stage in stages} - {""}), "kernel")
    return Content.styled(f"{'▸' if folded else ' '}{graph} · {count}", "bold $accent")


def _in_rows(name: str, first: str, other: str) -> list[str]:
    """The whole name in rows of `_WIDTH` columns, which end after a part of it; the first begins with
    `first`, the others with `other`."""
    rows, row = [], first
    for part in re.findall(r"[^_. ]*[_. ]?", name):
        rest = part
        if len(row) + len(rest.rstrip()) > _WIDTH and row not in (first, other):
            rows.append(row)
            row = other
        while len(row) + len(rest.rstrip()) > _WIDTH:  # longer than a row
            room = _WIDTH - len(row)
            rows.append(row + rest[:room])
            row, rest = other, rest[room:]
        row += rest
    return [each.rstrip() for each in (*rows, row)]


def _fit_name(name: str, room: int) -> str:
    """The end of a kernel's name: the beginnings, `triton_per_fused_…`, are all the same."""
    name = limit_text(name, lines=1, columns=200)
    return name if len(name) <= room else f"…{name[-(room - 1) :]}"
