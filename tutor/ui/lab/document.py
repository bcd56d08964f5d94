"""The lab's file: what the editor holds, what the disk holds, and that neither is ever lost.

Every text goes to the record before it goes anywhere else, and the newest text in the record is
always what the editor last held.
"""

from datetime import datetime
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.timer import Timer
from textual.widgets import TextArea

from tutor.base import paths
from tutor.base.errors import CannotHere, UsageError
from tutor.course.model import Exercise
from tutor.judge import workspace
from tutor.ui.editor import external_editor
from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.key_labels import key_while_typing
from tutor.ui.kit.text.phrases import when
from tutor.ui.lab.conflict_dialog import ConflictScreen

KEEP_AFTER = 1.0  # seconds from the first unsaved change to its row in the record
LOOK_EVERY = 0.25  # seconds between two looks at the file


class FileScreen(TutorScreen):
    """A screen with a `CodeEditor` on the learner's file for `exercise`."""

    AUTO_FOCUS: ClassVar[str | None] = "CodeEditor"
    exercise: Exercise

    def open_file(self) -> None:
        """Start the file if there is none, load it, and watch it from then on."""
        self._clean = ""  # the editor's text when it was last the same as the file's
        self._kept = ""  # the text of the newest row in the record
        self._keeping: Timer | None = None
        self._asking = False
        self._trouble = ""
        self.saved_at: datetime | None = None
        path = workspace.start(self.exercise, self.folder)
        self.work = workspace.WorkFile(path)
        try:
            text = self.work.load()
        except UsageError as error:
            self._cannot_edit(error)
        else:
            self._show(text)
            self._bring_back_unsaved()
        self.set_interval(LOOK_EVERY, self.look_at_disk)

    @property
    def folder(self) -> Path:
        """Where the file is."""
        return paths.work_dir()

    @property
    def editor(self) -> CodeEditor:
        return self.query_one("#edit CodeEditor", CodeEditor)

    @property
    def unsaved(self) -> bool:
        return self.editor.text != self._clean

    def file_changed_outside(self, text: str) -> None:
        """Called when the editor now holds a text that came from the disk."""

    def saved_state_changed(self) -> None:
        """Called when what `unsaved` says may be another."""

    # ---- text in, text out

    def _show(self, text: str) -> None:
        self._trouble = ""
        self.editor.read_only = False
        self.editor.show_text(text)
        self._clean = self._kept = self.editor.text
        self.saved_state_changed()

    def _cannot_edit(self, error: UsageError) -> None:
        """Leave the file alone: it is not UTF-8, or too large, or gone."""
        self._trouble = str(error)
        self.editor.read_only = True
        self.editor.show_text("")
        self._clean = self._kept = ""
        key = key_while_typing("lab.own_editor", self.tutor.keymap)
        self.say(f"{error}. {key} opens your own editor.", wrong=True)
        self.saved_state_changed()

    def _bring_back_unsaved(self) -> None:
        """After a crash the record has a text that the file has not."""
        mine = str(self.work.path)
        edits = [e for e in self.tutor.record.activity.edits(self.exercise.slug) if e.path == mine]
        if not edits or edits[0].text == self.editor.text:
            return
        if edits[0].at.timestamp() <= self.work.path.stat().st_mtime:
            return
        self.editor.replace_text(edits[0].text)
        self._kept = edits[0].text
        self.say(f"Unsaved changes of {when(edits[0].at)} are back. Ctrl+Z shows the file's text.")

    @on(TextArea.Changed, "#edit CodeEditor")
    def text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._keeping is None and not self._trouble:
            self._keeping = self.set_timer(KEEP_AFTER, self.keep)
        self.saved_state_changed()

    def keep(self) -> None:
        """Put the editor's text in the record, unless it is there already."""
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        text = self.editor.text
        if text != self._kept and not self._trouble:
            self._record(text)

    def _record(self, text: str) -> None:
        try:
            self.tutor.record.activity.save_edit(self.exercise.slug, str(self.work.path), text)
        except UsageError as error:  # a full disk must not take the editor away
            self.say(str(error), wrong=True)
        else:
            self._kept = text

    def save(self) -> bool:
        """Write the editor's text to the file. False where that fails, or a choice comes first."""
        if self._trouble:
            self.say(self._trouble, wrong=True)
            return False
        text = self.editor.text
        self._record(text)
        try:
            theirs = self.work.changed(settled=False)
            if theirs is not None and theirs != text:
                self._ask(theirs)
                return False
            if self.unsaved or not self.work.path.exists():
                self.work.save(text)
                self.saved_at = datetime.now()
        except UsageError as error:
            self.say(str(error), wrong=True)
            return False
        self._clean = text
        self.saved_state_changed()
        return True

    def restore(self, text: str) -> None:
        """Put an earlier text in the editor; the present one is recorded, dated, first."""
        self.keep()
        self.editor.replace_text(text)
        self.keep()
        self.editor.focus()

    # ---- the disk

    def look_at_disk(self) -> None:
        """Follow what another program did to the file."""
        if self._asking:
            return
        try:
            theirs = self.work.changed()
        except UsageError as error:
            if str(error) != self._trouble and not self.unsaved:
                self._cannot_edit(error)
            return
        if theirs is None:
            return
        if theirs == self.editor.text:
            self._clean = theirs
            self.saved_state_changed()
        elif self.unsaved and not self._trouble:
            self._ask(theirs)
        else:
            self._take(theirs)

    def _take(self, text: str) -> None:
        self._record(text)
        self._show(text)
        self.file_changed_outside(text)

    def _ask(self, theirs: str) -> None:
        """Both have changed. Both are recorded now; the choice decides which one is the newest."""
        self._asking = True
        mine = self.editor.text
        self._record(theirs)
        self._record(mine)

        def chosen(choice: str | None) -> None:
            self._asking = False
            if choice == "theirs":
                self._record(theirs)
                self.editor.replace_text(theirs)
                self._clean = self._kept = self.editor.text
                self.file_changed_outside(theirs)
            self.saved_state_changed()

        self.app.push_screen(ConflictScreen(self.work.path, mine, theirs), chosen)

    # ---- the learner's own editor

    def action_own_editor(self) -> None:
        """Save, and open the file in the editor of the settings, `$VISUAL` or `$EDITOR`."""
        from textual.app import SuspendNotSupported

        if not self._trouble and not self.save():
            return
        try:
            command = external_editor.editor(self.tutor.config.editor)
        except CannotHere as error:
            self.say(str(error), wrong=True)
            return
        line = self.editor.cursor_location[0] + 1
        whole = external_editor.at_line(command, self.work.path, line)
        if not external_editor.needs_terminal(command):
            external_editor.open_in_window(whole)
            self.say(f"Opened in {command[0]}. Save there, and it is judged here.")
            return
        try:
            with self.app.suspend():
                status = external_editor.edit_in_terminal(whole)
        except SuspendNotSupported:
            self.say("This terminal cannot be lent to another editor.", wrong=True)
            return
        if status:
            self.say(f"{command[0]} ended with status {status}.", wrong=True)
        self.look_at_disk()

    def put_away(self) -> None:
        """Before the screen goes: the text to the record, and to the file if nobody changed it."""
        self.keep()
        if not self._trouble and self.unsaved and self.work.changed(settled=False) is None:
            try:
                self.work.save(self.editor.text)
            except UsageError as error:
                self.say(f"{error}; your text is kept in the record", wrong=True)
