"""The page of scratch cells, which can use the names that the lab's file defines."""

from time import monotonic

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static, TextArea

from tutor.ui.cells.cell_runs import CellRun
from tutor.ui.cells.cell_view import format_time_taken, result_of
from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.editor.editor_pane import EditPane
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of, key_while_typing, keymap_of
from tutor.ui.lab.pages.page import LabPage
from tutor.ui.lab.scratch_runner import ScratchRunner


class ScratchPage(LabPage):
    """An editor, a line on the newest run, and its output. The screen sets `runner`."""

    NAME, ACTION = "scratch", "lab.scratch"
    BINDINGS = bindings("scratch")
    DEFAULT_CSS = """
    ScratchPage #scratch-edit { height: 1fr; min-height: 4; }
    ScratchPage #scratch-state { height: 1; padding: 0 1; background: $surface; }
    ScratchPage #scratch-output { height: auto; max-height: 60%; padding: 0 1; display: none; }
    ScratchPage.-ran #scratch-output { display: block; }
    """

    runner: ScratchRunner

    def compose(self) -> ComposeResult:
        yield EditPane(id="scratch-edit")
        yield Static(id="scratch-state")
        with VerticalScroll(id="scratch-output"):
            yield Static(id="scratch-text", markup=False)

    def on_mount(self) -> None:
        self._state(None)

    def on_unmount(self) -> None:
        """Save what came while the page went, as the file's editor does."""
        if hasattr(self, "runner"):  # not before the lab has opened
            self.runner.save()

    @property
    def editor(self) -> CodeEditor:
        return self.query_one(CodeEditor)

    def fill_page(self) -> None:
        self.runner.open()

    # ---- keys

    def action_run(self) -> None:
        self.runner.run()

    async def action_stop(self) -> None:
        """Stop the cell, or the judgement if no cell runs."""
        if not self.runner.stop():
            await self.run_action("screen.stop")

    def action_clear(self) -> None:
        self.runner.clear()

    @on(TextArea.Changed)
    def save_soon(self, event: TextArea.Changed) -> None:
        event.stop()
        self.runner.save_soon()

    @on(CodeEditor.Left)
    def leave_editor(self, message: CodeEditor.Left) -> None:
        """Leave the cells' editor after Escape."""
        message.stop()
        self.rest()

    def rest(self) -> None:
        """Focus the output of the cells, not their editor, in which letters are text."""
        output = self.query_one("#scratch-output")
        output.focus() if output.display else self.screen.set_focus(None)

    # ---- what a run did

    def show(self, run: CellRun | None) -> None:
        """Show the state of the newest run, None if there is none."""
        self._state(run)
        text = result_of(run) if run else Content("")
        self.query_one("#scratch-text", Static).update(text)
        self.set_class(bool(text), "-ran")

    def keys_changed(self) -> None:
        self._state(self._run)

    def _state(self, run: CellRun | None) -> None:
        self._run = run
        ids = ("scratch.run", "lab.menu", "scratch.stop")
        runs, menu, stops = (key_while_typing(id_, keymap_of(self)) for id_ in ids)
        clears = f"{menu} {key_of(self, 'editmenu.clear')}"
        keys = (f"{runs} runs the cell · {clears} clears", "$foreground 70%")
        if run is None:
            state = Content.assemble(("▷ ", "$primary"), keys)
        elif run.state == "running":
            seconds = f"running {monotonic() - run.started:.0f} s"
            how = "stopping …" if run.stopping else f"{stops} stops"
            state = Content.assemble(("▶ ", "$accent"), seconds, (f" · {how}", keys[1]))
        elif run.state == "ok":
            state = Content.assemble(("✓ ", "$success"), f"ran {format_time_taken(run)} · ", keys)
        else:
            state = Content.assemble(("✗ ", "$error"), f"stopped {format_time_taken(run)} · ", keys)
        self.query_one("#scratch-state", Static).update(state)
