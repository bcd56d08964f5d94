"""The comparison of the X-rays of two versions, stage by stage. No screen in here."""

from dataclasses import replace

from textual.content import Content

from tutor.ui.ladder.model.stages import Ladder, kernel_of, sort_counts
from tutor.xray.model import counts
from tutor.xray.model.compiler import INDUCTOR
from tutor.xray.model.stage_diff import Diff, diff
from tutor.xray.model.stages import Number, Omission, Stage

_NOTHING = Diff((), {}, (), 0, 0)


class StageComparison:
    """`ladder` is the older version's, filled while it is made; `now` the one on the screen."""

    def __init__(self, label: str, ladder: Ladder, now: Ladder) -> None:
        self.label, self.ladder, self.now = label, ladder, now
        self.done = False
        self._diffs: dict[str, Diff] = {}

    def work(self) -> None:
        """Find every stage's difference. Takes seconds for texts of many thousand lines."""
        for stage in self.now.order_stages():
            old = self._counterpart(stage)
            self._diffs[stage.key] = diff(old.text if old else "", stage.text, stage.language)
        self.done = True

    def _counterpart(self, stage: Stage) -> Stage | None:
        """The same stage of the older version: of the kernel of that name, else of the kernel in that
        place. Kernels of a changed function get new names."""
        if stage.key in self.ladder.stages:
            return self.ladder.stages[stage.key]
        before, now = self.ladder.kernels, self.now.kernels
        place = now.index(stage.kernel) if kernel_of(stage) else len(before)
        if place >= len(before) or before[place] in now:
            return None
        return self.ladder.stages.get(f"{stage.name}:{before[place]}")

    def marks(self) -> dict[str, str]:
        """By stage: `+3 −1`, or `same`."""
        return {
            key: "same" if diff.same else f"+{diff.added} −{diff.removed}"
            for key, diff in self._diffs.items()
        }

    def first_difference(self) -> str:
        """Return the key of the first stage that differs, in the ladder's order; "" if none does."""
        return next((key for key, diff in self._diffs.items() if not diff.same), "")

    def same(self, stage: Stage) -> bool:
        return self._diffs.get(stage.key, _NOTHING).same

    def of(self, stage: Stage) -> tuple[Diff, Content]:
        """The difference of a stage, and a title with its size and the changed counts."""
        difference = self._diffs.get(stage.key, _NOTHING)
        old = self._counterpart(stage)
        parts = [(f"+{difference.added} ", "$success"), (f"−{difference.removed}", "$error")]
        if difference.same:
            parts = [("the same", "$foreground 70%")]
        elif old is None:
            parts.append((" · new here", "$foreground 70%"))
        for name, before, now in diff_counts(old.counts if old else (), sort_counts(stage.counts)):
            parts.append((f" · {name.replace('_', ' ')} {before:,} → {now:,}", "$accent"))
        return difference, Content.assemble(*parts)


def without_pass(ladder: Ladder, row: Omission) -> Ladder:
    """Return the ladder as it is without the pass of `row`, of whose kernel some texts are others."""
    texts = dict(row.texts)
    other = Ladder()
    for stage in ladder.made:
        if kernel_of(stage) == row.kernel and stage.name in texts:
            text = texts[stage.name]
            last = stage.name in ("sass", "amdgcn")
            figures = row.counts if last else counts.of_text(stage.name, text)
            stage = replace(stage, text=text, counts=figures)
        elif kernel_of(stage) == row.kernel and _is_below(stage.name, row.failed):
            continue
        other.add(stage)
    return other


def _is_below(name: str, failed: str) -> bool:
    """Return True for a stage that cannot be made where the stage `failed` cannot ("": none)."""
    stages = INDUCTOR.unit_stages
    return bool(failed) and stages.index(name) >= stages.index(failed)


def diff_counts(
    old: tuple[tuple[str, Number], ...], new: tuple[tuple[str, Number], ...]
) -> list[tuple[str, Number, Number]]:
    """(name, before, now) of each count that differs; a count that a side lacks is left out."""
    before = dict(old)
    return [(n, before[n], value) for n, value in new if n in before and before[n] != value]
