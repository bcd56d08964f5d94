"""The learner's file in the lab. Neither the editor's text nor the file's text is ever lost.

Every text is stored in the record first. The newest text in the record is always the last text of the
editor.
"""

from datetime import datetime
from pathlib import Path
from typing import cast

from textual import on
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea

from tutor.base.errors import CannotHere, UsageError
from tutor.course.model import Exercise
from tutor.judge import workspace
from tutor.ui.editor import external_editor
from tutor.ui.editor.editor_pane import EditPane
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.key_labels import key_while_typing
from tutor.ui.kit.text.phrases import format_moment

KEEP_AFTER = 1.0  # seconds from the first unsaved change to its row in the record
LOOK_EVERY = 0.25  # seconds between two looks at the file


class Document(EditPane):
    """An editor on the learner's file for `exercise`, which is in `folder`."""

    class StateChanged(Message):
        """`unsaved` or `saved_at` may have changed. `from_disk`: the text was read from the file."""

        def __init__(self, *, from_disk: bool = False) -> None:
            super().__init__()
            self.from_disk = from_disk

    class FileConflict(Message):
        """The editor has the text `mine`, the file `theirs`; both are recorded. `resolve` ends it."""

        def __init__(self, mine: str, theirs: str) -> None:
            super().__init__()
            self.mine, self.theirs = mine, theirs

    def __init__(self, exercise: Exercise, folder: Path) -> None:
        super().__init__(id="edit")
        self.work = workspace.WorkFile(workspace.path_for(exercise, folder))
        self.saved_at: datetime | None = None  # None too once another program has written the file
        self.trouble = ""  # why the file cannot be edited
        self._exercise, self._folder = exercise, folder
        self._clean = ""  # the text of the file, as it was last read or written
        self._kept = ""  # the text of the newest row in the record
        self._keeping: Timer | None = None
        self._in_conflict = False
        self._opened = False

    def open(self) -> None:
        """Start the file if there is none, load it, and watch it from then on. Raises `UsageError`."""
        workspace.start_learner_file(self._exercise, self._folder)
        self._opened = True
        try:
            text = self.work.load()
        except UsageError as error:
            self._cannot_edit(error)
        else:
            self._show(text)
            self._bring_back_unsaved()
        self.set_interval(LOOK_EVERY, self.look_at_disk)

    @property
    def unsaved(self) -> bool:
        return self.editor.text != self._clean

    @property
    def _screen(self) -> TutorScreen:
        return cast(TutorScreen, self.screen)

    # ---- text in, text out

    def _show(self, text: str) -> None:
        self.trouble, self.saved_at = "", None
        self.editor.read_only = False
        self.editor.show_text(text)
        self._clean = self._kept = self.editor.text
        self.post_message(self.StateChanged())

    def _cannot_edit(self, error: UsageError) -> None:
        """Show no text: the file is not UTF-8, too large, or gone."""
        self.trouble = str(error)
        self.editor.read_only = True
        self.editor.show_text("")
        self._clean = self._kept = ""
        key = key_while_typing("lab.own_editor", self._screen.tutor.keymap)
        self._screen.say(f"{error}. {key} opens your own editor.", wrong=True)
        self.post_message(self.StateChanged())

    def _bring_back_unsaved(self) -> None:
        """Show the newest recorded text if it is newer than the file, as it is after a crash."""
        mine = str(self.work.path)
        edits = [
            e
            for e in self._screen.tutor.record.activity.edits(self._exercise.slug)
            if e.path == mine
        ]
        if not edits or edits[0].text == self.editor.text:
            return
        if edits[0].at.timestamp() <= self.work.path.stat().st_mtime:
            return
        self.editor.replace_text(edits[0].text)
        self._kept = edits[0].text
        self._screen.say(
            f"Unsaved changes of {format_moment(edits[0].at)} are back. In the editor, Ctrl+Z shows "
            "the file's text."
        )

    @on(TextArea.Changed)
    def keep_soon(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._keeping is None and self._opened and not self.trouble:
            self._keeping = self.set_timer(KEEP_AFTER, self.keep)
        self.post_message(self.StateChanged())

    def keep(self) -> None:
        """Store the editor's text in the record, unless it is there already."""
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        text = self.editor.text
        if text != self._kept and not self.trouble:
            self._record(text)

    def _record(self, text: str) -> None:
        try:
            self._screen.tutor.record.activity.save_edit(
                self._exercise.slug, str(self.work.path), text
            )
        except UsageError as error:  # a full disk must not take the editor away
            self._screen.say(str(error), wrong=True)
        else:
            self._kept = text

    def save(self) -> bool:
        """Write the editor's text to the file. Return False if that fails or there is a conflict."""
        if self.trouble:
            self._screen.say(self.trouble, wrong=True)
            return False
        text = self.editor.text
        self._record(text)
        try:
            theirs = self.work.find_change(settled=False)
            if theirs is not None and theirs != text:
                self._post_conflict(theirs)
                return False
            if self.unsaved or not self.work.path.exists():
                self.work.save(text)
                self.saved_at = datetime.now()
        except UsageError as error:
            self._screen.say(str(error), wrong=True)
            return False
        self._clean = text
        self.post_message(self.StateChanged())
        return True

    def restore(self, text: str) -> None:
        """Record the present text, then put an earlier one in the editor."""
        self.keep()
        self.editor.replace_text(text)
        self.keep()
        self.editor.focus()

    def on_unmount(self) -> None:
        """Store what came after `put_away`: on a busy machine a key arrives while the page goes."""
        self.put_away()

    def put_away(self) -> None:
        """Store the text in the record, and in the file if nobody else changed it. Called on leaving."""
        if not self._opened:
            return
        self.keep()
        if not self.trouble and self.unsaved and self.work.find_change(settled=False) is None:
            try:
                self.work.save(self.editor.text)
            except UsageError as error:
                self._screen.say(f"{error}; your text is kept in the record", wrong=True)

    # ---- the disk

    def look_at_disk(self) -> None:
        """Take over a change that another program made to the file."""
        if self._in_conflict:
            return
        try:
            theirs = self.work.find_change()
        except UsageError as error:
            if str(error) != self.trouble and not self.unsaved:
                self._cannot_edit(error)
            return
        if theirs is None:
            return
        if theirs == self.editor.text:
            self._clean, self.saved_at = theirs, None
            self.post_message(self.StateChanged())
        elif self.unsaved and not self.trouble:
            self._post_conflict(theirs)
        else:
            self._record(theirs)
            self._show(theirs)
            self.post_message(self.StateChanged(from_disk=True))

    def _post_conflict(self, theirs: str) -> None:
        """Record both texts, and ask which one to use."""
        self._in_conflict = True
        mine = self.editor.text
        self._record(theirs)
        self._record(mine)
        self.post_message(self.FileConflict(mine, theirs))

    def resolve(self, theirs: str, *, take: bool) -> None:
        """End a conflict: take the file's text, or keep the editor's."""
        self._in_conflict = False
        if take:
            self._record(theirs)
            self.editor.replace_text(theirs)
            self._clean = self._kept = self.editor.text
            self.saved_at = None
        else:
            self._clean = theirs  # undo may bring back what the file held before
        self.post_message(self.StateChanged(from_disk=take))

    # ---- the learner's own editor

    def open_in_own_editor(self) -> None:
        """Save, and open the file in the editor of the settings, `$VISUAL` or `$EDITOR`."""
        from textual.app import SuspendNotSupported

        screen = self._screen
        if not self.trouble and not self.save():
            return
        try:
            command = external_editor.find_editor(screen.tutor.config.editor)
        except CannotHere as error:
            screen.say(str(error), wrong=True)
            return
        line = self.editor.cursor_location[0] + 1
        whole = external_editor.command_at_line(command, self.work.path, line)
        if not external_editor.needs_terminal(command):
            external_editor.open_in_window(whole)
            screen.say(f"Opened in {command[0]}. Save there, and it is judged here.")
            return
        try:
            with self.app.suspend():
                status = external_editor.edit_in_terminal(whole)
        except SuspendNotSupported:
            screen.say("This terminal cannot be lent to another editor.", wrong=True)
            return
        if status:
            screen.say(f"{command[0]} ended with status {status}.", wrong=True)
        self.look_at_disk()
