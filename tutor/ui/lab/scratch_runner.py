"""The lab's scratch cells: kept in a file of their own, run by the judge, never in the way."""

from functools import partial

from textual import on
from textual.timer import Timer
from textual.widgets import TextArea

from tutor.base.errors import UsageError
from tutor.judge import scratch_cells, workspace
from tutor.judge.client import CellDone
from tutor.judge.scratch_cells import Scratch
from tutor.ui.cells.cell_runs import CellRun
from tutor.ui.cells.cell_turn import cell_call, cell_turn
from tutor.ui.kit.keys.key_labels import key_while_typing
from tutor.ui.lab.document import KEEP_AFTER
from tutor.ui.lab.pages.scratch import BEGIN, ScratchPage
from tutor.ui.lab.panes import PanesScreen


class ScratchScreen(PanesScreen):
    """A screen with a `ScratchPage`. The cells are in `scratch/` beside the exercise's file."""

    def __init__(self) -> None:
        super().__init__()
        self._scratch_file: workspace.WorkFile | None = None  # once the page was opened
        self._scratch_trouble = ""
        self._saved = ""  # the cells' text as the file has it
        self._saving: Timer | None = None
        self._scratch: Scratch | None = None
        self._cell_run: CellRun | None = None
        self._cell_call = cell_call(self, self._cancel_cell)
        self._clock: Timer | None = None

    @property
    def scratch_page(self) -> ScratchPage:
        return self.pane.of(ScratchPage)

    @property
    def cell_running(self) -> bool:
        return self._cell_run is not None and self._cell_run.state == "running"

    # ---- the text

    @on(ScratchPage.Opened)
    def scratch_opened(self) -> None:
        """Read the file at the first time; later follow what another program did to it."""
        if self._scratch_file is None:
            path = workspace.path_for(self.exercise, self.folder / "scratch")
            self._scratch_file = workspace.WorkFile(path)
            if path.exists():
                self._load_cells()
            else:
                self._show_cells(BEGIN)
                self.scratch_page.editor.move_cursor(self.scratch_page.editor.document.end)
        elif self.scratch_page.editor.text == self._saved:
            self._load_cells()

    def _load_cells(self) -> None:
        assert self._scratch_file is not None
        try:
            text = self._scratch_file.load()
        except UsageError as error:
            self._scratch_trouble = str(error)
            self.scratch_page.editor.read_only = True
            self.say(str(error), wrong=True)
            return
        self._scratch_trouble = ""
        self.scratch_page.editor.read_only = False
        self._show_cells(text)

    def _show_cells(self, text: str) -> None:
        editor = self.scratch_page.editor
        if editor.text != text:
            editor.show_text(text)
        self._saved = editor.text

    @on(TextArea.Changed, "#scratch-edit CodeEditor")
    def cells_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._saving is None:
            self._saving = self.set_timer(KEEP_AFTER, self.save_cells)

    def save_cells(self) -> bool:
        """Write the cells to their file; what somebody else wrote there meanwhile goes to the
        record first. False where it cannot be written."""
        if self._saving is not None:
            self._saving.stop()
            self._saving = None
        file = self._scratch_file
        if file is None or self._scratch_trouble or self.scratch_page.editor.text == self._saved:
            return not self._scratch_trouble
        text = self.scratch_page.editor.text
        try:
            theirs = file.changed(settled=False)
            if theirs is not None and theirs != text:
                self.tutor.record.activity.save_edit(self.exercise.slug, str(file.path), theirs)
            file.save(text)
        except UsageError as error:
            self.say(str(error), wrong=True)
            return False
        self._saved = text
        return True

    # ---- running

    @on(ScratchPage.Run)
    def run_cell(self) -> None:
        """Save, and run the cell around the cursor."""
        if self.cell_running:
            stop = key_while_typing("scratch.stop", self.tutor.keymap)
            self.say(f"A cell is running; {stop} stops it.")
            return
        if self._scratch_file is None or not self.save_cells():
            return
        if self._scratch is None:
            name = f"scratch-{self.exercise.slug}"
            self._scratch = Scratch(self.tutor.judge, name, self.exercise.kind)
        editor = self.scratch_page.editor
        code = scratch_cells.cell_at(editor.text, editor.cursor_location[0])
        self._cell_run = run = CellRun("running")
        self._paint_run()
        self._clock = self.set_interval(1.0, self._paint_run)
        events = partial(
            self._scratch.run, code, f"scratch/{self._scratch_file.path.name}", self.editor.text,
            self.work.path.name,
        )  # fmt: skip
        self._cell_call.start(cell_turn(run, events, self._paint_run, self._cell_ended))

    def _cancel_cell(self) -> None:
        if self._scratch is not None:
            self._scratch.stop()

    def _cell_ended(self, done: CellDone) -> None:
        run = self._cell_run
        assert run is not None
        run.state, run.error, run.ms = "ok" if done.ok else "failed", done.error, done.ms
        if self._clock is not None:
            self._clock.stop()
        self._paint_run()

    def _paint_run(self) -> None:
        self.scratch_page.show(self._cell_run)

    @on(ScratchPage.Stop)
    def stop_cell(self) -> None:
        """Stop the cell; where none runs, the judgement."""
        if not self.cell_running:
            self.action_stop()
        elif self._scratch is not None and self._cell_run is not None:
            self._cell_run.stopping = True
            self._paint_run()
            self._scratch.stop()

    @on(ScratchPage.Clear)
    def clear_cells(self) -> None:
        if self.cell_running:
            self.stop_cell()
        self._cell_call.stop()
        self._cell_run = None
        self._end_session()

    def _end_session(self) -> None:
        if self._scratch is not None:
            self.app.run_worker(
                self._scratch.forget, thread=True, group="judge", exit_on_error=False
            )

    def put_away(self) -> None:
        self.save_cells()
        if self.cell_running:
            self.stop_cell()
        self._cell_call.stop()
        self._end_session()
        super().put_away()
