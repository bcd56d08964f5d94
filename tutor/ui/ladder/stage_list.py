"""The list of stages: a row for each, below the names of its graph and of its kernel."""

from collections.abc import Mapping

from textual import on
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tutor.ui.kit.text.phrases import plural
from tutor.ui.kit.text.safe_text import bounded
from tutor.ui.ladder.model.stages import Ladder, kernel_of

MOST_OPEN = 3  # kernels whose stages are all listed; of more, only those of the open one
Row = tuple[str | None, Content]  # the key of a stage or a failure, and its text


class StageList(OptionList):
    """`StageChosen` is posted when the learner picks a stage, or the row of one that failed."""

    DEFAULT_CSS = "StageList { width: 24; height: 1fr; padding: 0; }"

    class StageChosen(Message):
        def __init__(self, key: str) -> None:
            self.failed, self.key = key.startswith("!"), key.removeprefix("!")
            super().__init__()

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._shown: tuple[tuple[str | None, str], ...] = ()
        self._keys: list[str | None] = []

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
            rows.append((None, Content.styled(f"  … {_fit(running, 18)}", "$foreground 70%")))
        for failure in ladder.unplaced:
            what = failure.stage.partition(":")[0] or "stopped"
            rows.append((f"!{failure.stage}", Content.styled(f" ✗ {_fit(what, 18)}", "$error")))
        shown = tuple((key, content.markup) for key, content in rows)
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
            self.highlighted = highlighted if self.has_focus and same_rows else chosen

    @on(OptionList.OptionHighlighted)
    @on(OptionList.OptionSelected)
    def picked(self, event: OptionList.OptionHighlighted | OptionList.OptionSelected) -> None:
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
    ordered, graphs = ladder.ordered(), ladder.sections()
    open_kernels = {kernel_of(s) for s in ordered if s.key in here}
    open_graphs = {"", *(graphs[s.key] for s in ordered if s.key in here)}
    folds = len(ladder.kernels) > MOST_OPEN and not changes
    folds_graphs = not changes and (folds or any(g.startswith("graph ") for g in graphs.values()))
    for stage in ordered:
        away = folds_graphs and graphs[stage.key] not in open_graphs
        if graphs[stage.key] != graph:
            graph, kernel = graphs[stage.key], ""
            if graph:
                rows.append((stage.key if away else None, _graph_row(ladder, graphs, graph, away)))
        if away:
            continue
        folded = folds and kernel_of(stage) not in ("", *open_kernels)
        if kernel_of(stage) != kernel:
            kernel = kernel_of(stage)
            name = f"{'▸' if folded else ' '}{_fit(kernel, 21)}"
            rows.append((stage.key if folded else None, Content.styled(name, "$accent")))
        if kernel and folded:
            continue
        label = stage.name if kernel or not stage.kernel else f"{stage.name} {stage.kernel}"
        if graph and not kernel:
            label = f"{stage.name}{' backward' * stage.kernel.endswith('backward')}"
        if stage.key in ladder.missing:
            label = f"✗ {label}"
        note, style = changes.get(stage.key, ""), "$accent"
        if not changes:
            count = len(lit.get(stage.key, ()))
            note, style = (plural(count, "linked line") if count else ""), "$primary"
        room = 22 - len(note) - (4 if kernel else 3)
        name = f"{'▸' if stage.key in here else ' '}{'  ' if kernel else ' '}{_fit(label, room)}"
        gap = " " * max(1, 22 - len(name) - len(note))
        weight = "bold" if stage.key in here else ""
        if stage.key in ladder.missing:
            weight += " $error"
        rows.append((stage.key, Content.assemble((name, weight), gap, (note, style))))
    return rows


def _graph_row(ladder: Ladder, graphs: Mapping[str, str], graph: str, folded: bool) -> Content:
    """The heading of a graph: its name, and the number of its kernels."""
    kernels = {kernel_of(ladder.stages[key]) for key, each in graphs.items() if each == graph}
    count = plural(len(kernels - {""}), "kernel")
    return Content.styled(f"{'▸' if folded else ' '}{graph} · {count}", "bold $accent")


def _fit(name: str, room: int) -> str:
    """The end of a kernel's name: the beginnings, `triton_per_fused_…`, are all the same."""
    name = bounded(name, lines=1, columns=200)
    return name if len(name) <= room else f"…{name[-(room - 1) :]}"
