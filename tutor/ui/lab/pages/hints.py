"""The hint ladder: advice on the last verdict, then the exercise's hints in order."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from tutor.course.model import Exercise
from tutor.course.reading.links import parser
from tutor.judge.model.verdict import Diagnosis
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
        self._shown = 0
        self._report = Report()

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield CodeText(breaks=lambda _, width: Content("\n\n").join(self._blocks(width)))

    @property
    def title(self) -> str:
        return f"hints {self._shown}/{len(self.exercise.hints)}"

    @property
    def cause(self) -> Diagnosis | None:
        """The first cause of the last verdict, None if that was right or nothing is written yet."""
        verdict = self._report.verdict
        if verdict is None or verdict.passed or self._report.unwritten:
            return None
        return next(iter(verdict.diagnosis), None)

    def show(self, count: int) -> None:
        """Show the first `count` hints."""
        self._shown = count
        self._draw()
        self.post_message(self.Renamed())
        self.call_after_refresh(self._to_newest)

    def report_changed(self, report: Report, *, detail: bool) -> None:
        """Show the finding of a new verdict. The last one stays while the next is under way."""
        if report.verdict is None or report.verdict == self._report.verdict:
            return
        before, self._report = self.cause, report
        if self.cause or before:  # else nothing is drawn, and a letter that is typed need not wait
            self._draw()

    def keys_changed(self) -> None:
        self._draw()

    def _to_newest(self) -> None:
        """Bring the newest hint into sight, with its first line on top if not all of it fits."""
        width = self.query_one(CodeText).content_size.width
        if self._shown and width:
            above = self._blocks(width)[:-2]  # without the hint and the last line
            rows = sum(block.plain.count("\n") + 2 for block in above)
            self.query_one(VerticalScroll).scroll_to(y=rows, animate=False)

    def _blocks(self, width: int) -> list[Content]:
        """The last verdict's finding, each hint that is shown, and a last line, in `width` columns."""
        hints = self.exercise.hints
        blocks = [_prose(self._from_verdict(self.cause), width)] if self.cause else []
        for n, text in enumerate(hints[: self._shown], 1):
            title = Content.styled(f"Hint {n} of {len(hints)}", "bold")
            blocks.append(Content("\n").join([title, *_render_hint(text, width)]))
        return [*blocks, _prose(self._foot(), width)]

    def _draw(self) -> None:
        self.query_one(CodeText).update(Content())  # its lines are made when its width is known

    def _foot(self) -> Content:
        hints = self.exercise.hints
        if self._shown < len(hints):
            hint = key_of(self, "lab.hint")
            typing = key_while_typing("lab.hint", keymap_of(self))
            also = f" ({typing} from the editor)" if typing != hint else ""
            foot = (
                f"{hint} shows the next one{also}. Hints are recorded: the exercise comes back a "
                "little sooner."
            )
        else:
            foot = "These are all there are." if hints else "This exercise has no hints."
        return Content.styled(foot, "$foreground 70%")

    def _from_verdict(self, cause: Diagnosis) -> Content:
        """The first step of the ladder: the judge's finding, and advice on where to look."""
        look_at = LOOK_AT.get(cause.code, LOOK_AT["wrong-values"])
        if all(case.passed for case in self._report.cases):
            look_at = LOOK_BEYOND.get(cause.code, look_at)
        return Content.assemble(
            ("From the last verdict\n", "bold"),
            headline(self._report),
            "\n",
            style_code(limit_text(cause.message, lines=6)),
            ("\nHint  ", "bold"),
            style_code(with_keys(look_at, keymap_of(self))),
        )


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
