"""The scratch cells of the lab: their file, and their runs by the judge."""

from collections.abc import Callable
from functools import partial

from textual.timer import Timer

from tutor.base.errors import UsageError
from tutor.course.model import Exercise
from tutor.judge import scratch_cells, workspace
from tutor.judge.client import CellDone
from tutor.judge.scratch_cells import Scratch
from tutor.ui.cells.cell_runs import CellRun
from tutor.ui.cells.cell_turn import cell_call, cell_turn
from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.core.services import Services
from tutor.ui.kit.keys.key_labels import key_while_typing
from tutor.ui.lab.document import KEEP_AFTER, Document

BEGIN = """\
# What your file defines is here, and torch, triton and tl.
# A line that begins with # %% starts another cell.

"""


class ScratchRunner:
    """Stores the cells of `editor` in the folder `scratch` next to `document`'s file, and runs them
    after that file's text. `show` shows the state of the newest run."""

    def __init__(
        self,
        screen: TutorScreen,
        exercise: Exercise,
        document: Document,
        editor: CodeEditor,
        show: Callable[[CellRun | None], None],
    ) -> None:
        self.editor, self.show = editor, show
        self.file: workspace.WorkFile | None = None  # once the page was opened
        self.trouble = ""  # why the file cannot be edited
        self._screen, self._exercise, self._document = screen, exercise, document
        self._saved = ""  # the text of the file
        self._saving: Timer | None = None
        self._session: Scratch | None = None
        self._run: CellRun | None = None
        self._call = cell_call(screen, self._cancel)
        self._clock = screen.set_interval(1.0, self._paint, pause=True)

    @property
    def running(self) -> bool:
        return self._run is not None and self._run.state == "running"

    # ---- the text

    def open(self) -> None:
        """Read the file the first time. Later, take over what another program wrote to it."""
        if self.file is None:
            folder = self._document.work.path.parent / "scratch"
            self.file = workspace.WorkFile(workspace.path_for(self._exercise, folder))
            if self.file.path.exists():
                self._load(self.file)
            else:
                self._show_text(BEGIN)
            self.editor.move_cursor(self.editor.document.end)
        elif self.editor.text == self._saved:
            self._load(self.file)

    def _load(self, file: workspace.WorkFile) -> None:
        try:
            text = file.load()
        except UsageError as error:
            self.trouble = str(error)
            self.editor.read_only = True
            self._screen.say(str(error), wrong=True)
            return
        self.trouble = ""
        self.editor.read_only = False
        self._show_text(text)

    def _show_text(self, text: str) -> None:
        if self.editor.text != text:
            self.editor.show_text(text)
        self._saved = self.editor.text

    def save_soon(self) -> None:
        """Save a moment after the first change."""
        if self._saving is None:
            self._saving = self._screen.set_timer(KEEP_AFTER, self.save)

    def save(self) -> bool:
        """Write the cells to their file. Return False if that fails. A text that another program has
        written there goes to the record first."""
        if self._saving is not None:
            self._saving.stop()
            self._saving = None
        file, text = self.file, self.editor.text
        if file is None or self.trouble or text == self._saved:
            return not self.trouble
        try:
            theirs = file.find_change(settled=False)
            if theirs is not None and theirs != text:
                record = self._screen.tutor.record
                record.activity.save_edit(self._exercise.slug, str(file.path), theirs)
            file.save(text)
        except UsageError as error:
            self._screen.say(str(error), wrong=True)
            return False
        self._saved = text
        return True

    # ---- running

    def run(self) -> None:
        """Save, and run the cell around the cursor."""
        if self.running:
            stop = key_while_typing("scratch.stop", self._screen.tutor.keymap)
            self._screen.say(f"A cell is running; {stop} stops it.")
            return
        if self.file is None or not self.save():
            return
        if self._session is None:
            name = f"scratch-{self._exercise.slug}"
            self._session = Scratch(self._screen.tutor.judge, name, self._exercise.kind)
        code = scratch_cells.cell_at(self.editor.text, self.editor.cursor_location[0])
        self._run = run = CellRun("running")
        self._paint()
        self._clock.resume()
        name, source = self._document.work.path.name, self._document.editor.text
        filename = f"scratch/{self.file.path.name}"
        events = partial(self._session.run, code, filename, source, name, lambda: run.stopping)
        self._call.start(cell_turn(run, events, self._paint, partial(self._end_run, run)))

    def _end_run(self, run: CellRun, done: CellDone) -> None:
        run.state, run.error, run.ms = "ok" if done.ok else "failed", done.error, done.ms
        self._clock.pause()
        self._paint()

    def _paint(self) -> None:
        self.show(self._run)

    def _cancel(self, _: Services | None = None) -> None:
        if self._session is not None:
            self._session.stop()

    def stop(self) -> bool:
        """Stop the cell. Return False if none runs."""
        if self._run is None or not self.running:
            return False
        self._run.stopping = True
        self._paint()
        self._cancel()
        return True

    def clear(self) -> None:
        """Stop the cell, and forget what was printed and defined."""
        self._end_session()
        self._run = None
        self._paint()

    def put_away(self) -> None:
        """Save the text, stop the cell and end the session. Called before the screen is removed."""
        self.save()
        self._end_session()

    def _end_session(self) -> None:
        """Stop the cell, and forget the names that cells defined."""
        if self._run is not None:
            self._run.stopping = True
        self._call.stop()
        self._clock.pause()
        if self._session is not None:
            self._screen.app.run_worker(
                self._session.forget, thread=True, group="judge", exit_on_error=False
            )
