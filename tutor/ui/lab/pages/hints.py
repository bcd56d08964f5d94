"""The hint ladder: advice on the last verdict, then the exercise's hints in order."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from tutor.course.model import Exercise
from tutor.course.reading.links import parser
from tutor.judge.model.verdict import Diagnosis, Repair
from tutor.judge.repair.same_edit import SameEdit
from tutor.judge.reports.cause_texts import LOOK_AT, LOOK_BEYOND
from tutor.judge.reports.report import Report
from tutor.ui.kit.keys.key_labels import key_of, key_while_typing, keymap_of, with_keys
from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.inline_markdown import style_code, style_inline
from tutor.ui.kit.text.safe_text import limit_text, make_visible
from tutor.ui.kit.text.wrapped_lines import wrap_code
from tutor.ui.kit.widgets.code_text import CodeText
from tutor.ui.lab.pages.page import LabPage
from tutor.ui.verdict.verdict_view import headline


class HintsPage(LabPage):
    """Shows one hint more at each wish."""

    NAME, ACTION = "hints", "lab.hint"

    def __init__(self, exercise: Exercise) -> None:
        super().__init__(exercise)
        self.shown = 0  # hints, of those that the exercise has
        self._report = Report()
        self._says = self._change = False  # what is shown of the last verdict's repair
        self._offered: tuple[Repair, SameEdit] | None = None  # the same change in another exercise
        self._same_shown = False

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield CodeText(breaks=lambda _, width: Content("\n\n").join(self._blocks(width)))

    @property
    def title(self) -> str:
        return f"hints {self.shown}/{len(self.exercise.hints)}"

    @property
    def cause(self) -> Diagnosis | None:
        """The first cause of the last verdict, None if that was right or nothing is written yet."""
        verdict = self._report.verdict
        if verdict is None or verdict.passed or self._report.unwritten:
            return None
        return next(iter(verdict.diagnosis), None)

    @property
    def _all_cases_right(self) -> bool:
        """Return True if what is wrong is what the task asks besides right numbers."""
        return all(case.passed for case in self._report.cases)

    @property
    def repair(self) -> Repair | None:
        """What would mend the last answer, as far as it is known."""
        return self._report.verdict.repair if self._report.verdict and self.cause else None

    def show_sentence(self) -> bool:
        """Show the author's sentence on this very mistake. False if there is none to come."""
        if self._says or not self.repair or not self.repair.says:
            return False
        self._says = True
        self._draw()
        self.query_one(VerticalScroll).scroll_home(animate=False)
        return True

    def offer_same_edit(self, repair: Repair, same: SameEdit) -> None:
        """Keep the change that another exercise has in common with `repair`, for a later wish."""
        self._offered = repair, same

    @property
    def _same(self) -> SameEdit | None:
        """The same change in another exercise, if one is known for the last verdict."""
        repair, same = self._offered or (None, None)
        return same if repair and repair == self.repair else None

    def show_same_edit(self) -> bool:
        """Show the same change in another exercise. False if there is none to come."""
        if self._same_shown or not self._same:
            return False
        self._same_shown = True
        self._draw()
        self.query_one(VerticalScroll).scroll_home(animate=False)
        return True

    def show_change(self) -> None:
        """Show the change that mends the answer: the last step, for who gives up."""
        if self._change_to_come:
            self._change = True
            self._draw()
            self.call_after_refresh(self._to_newest)

    @property
    def _change_to_come(self) -> bool:
        return not self._change and self.repair is not None and bool(self.repair.change)

    @property
    def more_to_come(self) -> bool:
        """Return True if one more wish would show something new."""
        sentence = not self._says and self.repair is not None and bool(self.repair.says)
        same = not self._same_shown and self._same is not None
        return self.shown < len(self.exercise.hints) or sentence or same or self._change_to_come

    def show(self, count: int) -> None:
        """Show the first `count` hints."""
        self.shown = count
        self._draw()
        self.post_message(self.Renamed())
        self.call_after_refresh(self._to_newest)

    def report_changed(self, report: Report, *, detail: bool) -> None:
        """Show the finding of a new verdict. The last one stays while the next is under way."""
        if report.verdict is None or report.verdict == self._report.verdict:
            return
        before, self._report = self.cause, report
        self._says = self._change = self._same_shown = False
        if self.cause or before:  # else nothing is drawn, and a letter that is typed need not wait
            self._draw()

    def keys_changed(self) -> None:
        self._draw()

    def _to_newest(self) -> None:
        """Bring the newest hint into sight, with its first line on top if not all of it fits."""
        width = self.query_one(CodeText).content_size.width
        if (self.shown or self._change) and width:
            above = self._blocks(width)[:-2]  # without the hint and the last line
            rows = sum(block.plain.count("\n") + 2 for block in above)
            self.query_one(VerticalScroll).scroll_to(y=rows, animate=False)

    def _blocks(self, width: int) -> list[Content]:
        """The last verdict's finding, each hint that is shown, and a last line, in `width` columns."""
        hints = self.exercise.hints
        blocks = [_prose(self._from_verdict(self.cause), width)] if self.cause else []
        if self._same and self._same_shown:
            title = Content.styled(f"The same change in “{self._same.title}”", "bold")
            rows = [f"-{row}" for row in self._same.wrong] + [f"+{row}" for row in self._same.right]
            blocks.append(Content("\n").join([title, wrap_code(_colour("\n".join(rows)), width)]))
        for n, text in enumerate(hints[: self.shown], 1):
            title = Content.styled(f"Hint {n} of {len(hints)}", "bold")
            blocks.append(Content("\n").join([title, *_render_hint(text, width)]))
        if self._change and self.repair:
            right = "it" if self._all_cases_right else "all cases"
            title = Content.styled(f"The change that makes {right} right", "bold")
            blocks.append(
                Content("\n").join([title, wrap_code(_colour(self.repair.change), width)])
            )
        return [*blocks, _prose(self._foot(), width)]

    def _draw(self) -> None:
        self.query_one(CodeText).update(Content())  # its lines are made when its width is known

    def _foot(self) -> Content:
        hints, hint = self.exercise.hints, key_of(self, "lab.hint")
        if self.shown < len(hints):
            typing = key_while_typing("lab.hint", keymap_of(self))
            also = f" ({typing} from the editor)" if typing != hint else ""
            foot = (
                f"{hint} shows the next one{also}. Hints are recorded: the exercise comes back a "
                "little sooner."
            )
        elif self._change_to_come:
            foot = f"{hint} shows the change itself, a part of the answer."
        else:
            foot = "These are all there are." if hints else "This exercise has no hints."
        return Content.styled(foot, "$foreground 70%")

    def _from_verdict(self, cause: Diagnosis) -> Content:
        """The first step of the ladder: the judge's finding, and advice on where to look."""
        look_at = LOOK_AT.get(cause.code, LOOK_AT["wrong-values"])
        beyond = self._all_cases_right
        if beyond:
            look_at = LOOK_BEYOND.get(cause.code, look_at)
        advice = with_keys(look_at, keymap_of(self))
        repair = self.repair
        if repair and repair.kind:  # what is proven of this program comes before any advice
            kind = limit_text(repair.kind, lines=6)
            advice = f"{kind}\n{advice}" if beyond else kind
        said = repair.says if repair and self._says else ""
        return Content.assemble(
            ("From the last verdict\n", "bold"),
            headline(self._report),
            "\n",
            style_code(limit_text(cause.message, lines=6)),
            ("\nHint  ", "bold"),
            style_code(advice),
            style_code(f"\n{limit_text(said, lines=8)}" if said else ""),
        )


def _colour(change: str) -> Content:
    """Lines of a difference: red with -, green with +."""
    styles = {"-": "$error", "+": "$success"}
    rows = limit_text(change, lines=60).split("\n")
    return Content("\n").join(Content.styled(row, styles.get(row[:1], "")) for row in rows)


def _render_hint(hint: str, width: int) -> Iterator[Content]:
    """A hint's sentences, and its code in lines of their own, which go on further in if too long."""
    for token in parser().parse(hint):
        if token.type == "fence":
            code = highlight.colour_code(make_visible(token.content.rstrip("\n")), token.info)
            yield wrap_code(code, width)
        elif token.type == "inline":
            yield _prose(style_inline(token.content), width)


def _prose(text: Content, width: int) -> Content:
    return Content("\n").join(text.wrap(width))
