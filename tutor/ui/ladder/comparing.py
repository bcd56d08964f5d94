"""Comparing on the ladder: what another version of the text became, against what is shown."""

from functools import partial

from textual.content import Content

from tutor.ui.kit.dialogs.choose import ChooseScreen
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.safe_text import bounded
from tutor.ui.ladder.model.comparison import Comparison
from tutor.ui.ladder.model.stages import Ladder
from tutor.ui.ladder.model.subject import Subject
from tutor.ui.ladder.panes import PanesScreen


class ComparingScreen(PanesScreen):
    """A ladder with something to compare it with: the run before, other texts of the same file."""

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.before: Ladder | None = None  # the run before this one

    def lower(self, source: str) -> None:
        """Called to run an X-ray of `source`; its stages belong to `comparison`."""

    def action_compare(self) -> None:
        """Choose what to compare with; again ends the comparison."""
        if self.comparison is not None:
            self._show_this_alone()
            return
        if not self.ladder.stages or self.running:
            self.say("There is nothing to compare yet.")
            return
        labels = ["the run before this one"] if self.before is not None else []
        versions = [v for v in self.subject.versions if v.source != self.subject.source]
        labels += [version.label for version in versions]
        if not labels:
            again = key_of(self, "ladder.again")
            self.say(
                "There is no other version yet: change the file, or its inputs, and lower it again "
                f"({again})."
            )
            return

        def chosen(index: int | None) -> None:
            if index is None:
                return
            before, shift = self.before, 0
            if before is not None:
                shift = 1
                if index == 0:
                    self.comparison = Comparison(labels[0], before, self.ladder)
                    self.compare()
                    return
            self.comparison = Comparison(labels[index], Ladder(), self.ladder)
            self.lower(versions[index - shift].source)

        lines = [Content(bounded(label, lines=1, columns=60)) for label in labels]
        self.app.push_screen(ChooseScreen("Compare with", lines, does="takes it"), chosen)

    def _show_this_alone(self) -> None:
        self.comparison = None
        for pane in (self.first, self.second):
            if pane.stage is not None:
                pane.show(pane.stage)
        self.light()
        self.show_bar()

    def compare(self, trouble: str = "") -> None:
        """Both ladders are there. `trouble`: why the other's run brought nothing more."""
        comparison = self.comparison
        assert comparison is not None
        if not comparison.ladder.stages:
            said = [f.sentence for f in comparison.ladder.failures] or [trouble]
            self.comparison = None
            self.say(f"The other version could not be lowered: {said[0]}", wrong=True)
            return
        self.show_bar()
        self.run_worker(
            partial(self._differ, comparison), thread=True, group="diff", exclusive=True
        )

    def _differ(self, comparison: Comparison) -> None:
        """In a thread: large texts take a while."""
        comparison.work()
        self.app.call_from_thread(self._compared, comparison)

    def _compared(self, comparison: Comparison) -> None:
        if comparison is not self.comparison or self.is_left:
            return
        for pane in (self.first, self.second):
            if pane.stage is not None:
                pane.show_diff(pane.stage, *comparison.of(pane.stage))
        self.show_list()
        self.show_bar()
        self.light()
