"""The view that asks a question, takes the answer and explains it, for quizzes, reviews, lessons.

The view grades nothing and stores nothing: it posts `Answered` and waits for `reveal`, so that the
screen can store the answer in the record before anything is shown.
"""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from tutor.course.model import AskedQuestion
from tutor.memory.answers import GivenAnswer
from tutor.quiz import parse_answer
from tutor.quiz.answer_text import LEFT_OUT, extract_changes
from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.inline_markdown import style_code, style_inline
from tutor.ui.kit.text.safe_text import limit_text, make_visible
from tutor.ui.kit.text.wrapped_lines import wrap_list
from tutor.ui.kit.widgets.code_text import CodeText
from tutor.ui.question.choice_fields import (
    LineField,
    MatchField,
    OptionsField,
    OrderField,
    PointsField,
)
from tutor.ui.question.explanation import Explained, judgement, markdown_widget
from tutor.ui.question.field import Field, Foot, ListField
from tutor.ui.question.program_field import ProgramField
from tutor.ui.question.text_fields import ConfidenceField, FillField, TypedField, WrittenField

if TYPE_CHECKING:
    from tutor.quiz import Grade

# Kinds whose field shows the code itself.
_SHOWS_CODE = ("line", "fill", "code")
# Kinds whose field marks in its rows what a grade's feedback says.
_SHOWS_FEEDBACK = ("choice", "multi", "match", "line")

_HANDED_IN = ("answered", "revealed")
_LAYOUT_SECONDS = 0.02  # until a question whose page is being laid out is looked at again
_DRAFT_SECONDS = 1.0  # from the first unsaved change until the screen is asked to store the text


class QuestionView(Vertical):
    """A question. Stages: answering, confidence, rating (of an open one), answered, revealed."""

    class Answered(Message):
        """`value` is shaped by the question's kind (None: not known); `confidence` 1..5 or None."""

        def __init__(
            self,
            view: "QuestionView",
            question: AskedQuestion,
            value: Any,
            confidence: int | None,
            seconds: float,
        ) -> None:
            super().__init__()
            self.view = view
            self.question = question
            self.given = GivenAnswer(question, value, confidence, seconds)

        @property
        def control(self) -> "QuestionView":
            return self.view

    class Drafted(Message):
        """There is `unfinished` text to store, or marks, or ticks at the points of a good answer."""

    DEFAULT_CSS = """
    QuestionView { height: auto; }
    QuestionView MarkdownView { padding: 0; }
    QuestionView .code { margin: 0 0 1 0; padding: 0 1; background: $surface; width: 100%; }
    QuestionView Field { height: auto; }
    QuestionView ListField:focus > Row.-here { background: $block-cursor-background; }
    QuestionView Row { height: auto; width: 1fr; }
    QuestionView .paragraph { margin: 0 0 1 0; }
    QuestionView .feedback { margin: 0 0 0 6; color: $foreground 70%; }
    QuestionView .feedback.-mine { color: $foreground; }
    QuestionView .right-side { margin: 1 0 0 2; color: $foreground 80%; }
    QuestionView .typed { height: 1; }
    QuestionView .typed Input { width: 1fr; max-width: 48; background: $panel; }
    QuestionView .typed .unit { width: auto; padding: 0 1; }
    QuestionView .blank-number { width: 3; color: $foreground 70%; }
    QuestionView TextArea { height: 7; background: $panel; }
    QuestionView ProgramEditor { background: $background; }
    QuestionView ProgramField:focus { border-left: thick $primary; }
    QuestionView .heading { margin: 1 0 0 0; }
    QuestionView ConfidenceField { height: auto; }
    QuestionView ConfidenceField:focus { background: $block-cursor-background; }
    QuestionView .explained {
        height: auto; margin: 1 0 0 0; padding: 0 0 0 1; border-left: thick $border;
    }
    QuestionView Field:disabled:can-focus { opacity: 1; }
    QuestionView .explained.-right { border-left: thick $success; }
    QuestionView .explained.-wrong { border-left: thick $error; }
    QuestionView .explained.-partly { border-left: thick $warning; }
    QuestionView .own-feedback { margin: 0 0 1 0; }
    QuestionView .judgement { margin: 0 0 1 0; }
    """

    def __init__(
        self,
        question: AskedQuestion,
        ask_confidence: bool,
        draft: str = "",
        compare_later: bool = False,
        in_lesson: bool = False,
    ) -> None:
        """Create the view. `draft` is text that was not handed in; with `compare_later` the model
        answer of an open question is not shown here. `in_lesson`: a program may be tried again."""
        super().__init__()
        self.question = question
        self.ask_confidence = ask_confidence
        self._compare_later, self._in_lesson = compare_later, in_lesson
        self._earlier: Grade | None = None  # of an answer that was stored before
        self.field: Field = field_for(question, draft)
        self.place = ""  # the prefix of its draft's name
        self.ticked = ""  # the draft of the ticks at the points of a good answer
        self._drafting: Timer | None = None  # runs from the first change that is not stored
        self._waiting: Timer | None = None  # tells the seconds while an answer is computed
        self._stored: str | None = None  # the draft as the screen has stored it
        self.stage = "answering"
        self.value: Any = None
        self.confidence: int | None = None
        self.seconds = 0.0
        self._shown_at = time.monotonic()

    def compose(self) -> ComposeResult:
        yield markdown_widget(self.question.prompt)
        if self.question.shown_code and self._kind not in _SHOWS_CODE:
            yield Static(highlight.colour_code(self.question.shown_code), classes="code")
        yield self.field
        yield Foot(self.field.help)

    def on_mount(self) -> None:
        self._shown_at = time.monotonic()
        if self._earlier is not None:
            self.reveal(self._earlier, follow=False)

    def show_answer(self, value: Any, grade: "Grade") -> None:
        """Show a program that was judged before, or what was written since. Call it before mounting."""
        assert isinstance(self.field, ProgramField)
        self.value, self._earlier = value, grade
        if isinstance(value, dict) and self.field.begun == self.question.code:
            self.field.begun = str(value.get("code", ""))

    def start(self) -> None:
        """Focus the widget in which the learner acts next."""
        match self.stage:
            case "confidence":
                self.screen.set_focus(self.query_one(ConfidenceField))
            case "rating":
                self.screen.set_focus(self.query_one(PointsField))
            case "answering" if not self.field.is_mounted:  # the page is still being laid out
                if self.is_attached:
                    self.set_timer(_LAYOUT_SECONDS, self.start)
            case "answering":
                program = isinstance(self.field, ProgramField)
                self.field.start(scroll=program)
                if not program:
                    self.call_after_refresh(self._show_question)

    async def on_field_handed_in(self, event: Field.HandedIn) -> None:
        event.stop()
        if self.stage == "rating":
            self.value = {"text": self.value, "points": self.query_one(PointsField).value()}
            self._post_answer()
            return
        if self.stage != "answering":
            return
        try:
            self.value = self._value()
        except ValueError as error:
            self._note(str(error), "bold $warning")
            self.start()  # a click on the button has taken the focus away
            self.call_after_refresh(self.show_note)
            return
        self.seconds = time.monotonic() - self._shown_at
        self.field.disabled = True
        self.query(Explained).remove()
        if self.ask_confidence:
            self.stage = "confidence"
            self._note("")
            await self.mount(ConfidenceField(), after=self.query_one(Foot))
            self._follow()
        else:
            await self._rate_or_answer()

    def _value(self) -> Any:
        """The value of the field; typed text is converted to the type by which its kind is graded."""
        value = self.field.value()
        return parse_answer(self.question, value) if isinstance(self.field, TypedField) else value

    @property
    def may_give_up(self) -> bool:
        """Return True until an answer is handed in: one that is being computed stands."""
        return self.stage in ("answering", "confidence")

    def give_up(self) -> None:
        """Answer "I do not know": no value, no confidence asked. A question that is not composed yet, or
        whose page goes on, has no foot and is left alone."""
        if self.may_give_up and self.query(Foot):
            self.query(ConfidenceField).remove()
            self.query(Explained).remove()
            self.seconds = time.monotonic() - self._shown_at
            self.value, self.field.disabled = None, True
            self.field.show_boxes(empty=False)
            self._post_answer()

    def on_field_changed(self, event: Field.Changed) -> None:
        event.stop()
        if self._drafting is None:
            self._drafting = self.set_timer(_DRAFT_SECONDS, self._post_drafted)
        if self.stage == "answering":
            self._note(self.field.help, "dim", names_keys=True)
            if isinstance(self.field, TypedField | FillField | WrittenField):
                self.show_note()

    def _post_drafted(self) -> None:
        self._drafting = None
        ticks = (field.unfinished for field in self.query(PointsField))
        if any(text is not None for text in (self.unfinished, *ticks)):
            self.post_message(self.Drafted())

    async def on_confidence_field_chosen(self, event: ConfidenceField.Chosen) -> None:
        event.stop()
        self.confidence = event.confidence
        self.query_one(ConfidenceField).remove()
        await self._rate_or_answer()

    def on_confidence_field_back(self, event: ConfidenceField.Back) -> None:
        event.stop()
        self.query_one(ConfidenceField).remove()
        self.stage = "answering"
        self.field.disabled = False
        self._note(self.field.help, "dim", names_keys=True)
        self.field.start()

    async def _rate_or_answer(self) -> None:
        if self.question.kind == "open" and self.question.points and not self._compare_later:
            self.stage = "rating"
            rating = PointsField(self.question, self.ticked)
            await self.mount(
                Static(Content.styled("A good answer", "bold"), classes="heading"),
                markdown_widget(self.question.model),
                Static(
                    Content.styled("Which of these points did you make?", "bold"), classes="heading"
                ),
                rating,
                before=self.query_one(Foot),
            )
            self._note(rating.help, "dim")
            self._follow()
        else:
            self._post_answer()

    def _follow(self) -> None:
        """Focus the new widget at once, so that the next key is its own, then scroll it into sight."""
        if self.is_attached:
            self.start()
            self.call_after_refresh(self._show_focused)

    def _show_focused(self) -> None:
        """Bring the line below the field into sight, and above all the widget that takes the keys."""
        self.show_note()
        if self.is_attached and (focused := self.screen.focused):
            focused.scroll_visible(animate=False)
            # The footer may name the way down to what is in sight now.
            self.call_after_refresh(self.screen.refresh_bindings)

    def show_note(self, top: bool = False) -> None:
        """Bring the line below the field into sight; with `top` to the top of the page."""
        for foot in self.query(Foot):  # none once the page has gone on
            was_below = self.field.is_below
            foot.scroll_visible(animate=False, top=top)
            if was_below:
                self.call_after_refresh(self.screen.refresh_bindings)

    def _show_question(self) -> None:
        """Bring the field's keys into sight; of a question that is too long for that, its beginning.

        Nothing is left to show if the question was given up meanwhile and its page has gone on.
        """
        for part in (*self.query(".note"), *self.children[:1]):
            part.scroll_visible(animate=False, immediate=True)
        if self.is_attached:  # the footer has a key to a field that is below the edge
            self.screen.refresh_bindings()

    def _post_answer(self) -> None:
        self.stage = "answered"
        self._note("")
        self.post_message(
            self.Answered(self, self.question, self.value, self.confidence, self.seconds)
        )

    @property
    def _is_gone(self) -> bool:
        """Return True if the page has gone on, or is about to: the parts of the view go first, and what
        was answered may arrive in between."""
        return self._pruning or not self.is_attached

    @property
    def _kind(self) -> str:
        return self.question.as_kind or self.question.kind

    @property
    def unfinished(self) -> str | None:
        """The text or the marks that are not handed in; None if there is nothing new."""
        field = self.field
        if isinstance(field, ProgramField) and self.stage == "answered":  # being judged
            return field.text if self.value is not None else None
        if self.stage in _HANDED_IN:
            return None
        stored = field.begun if self._stored is None else self._stored
        return None if not field.is_mounted or field.text == stored else field.text[:20_000]

    @property
    def is_open(self) -> bool:
        """Return True while it takes an answer."""
        return self.stage == "answering"

    @property
    def is_awaited(self) -> bool:
        """Return True if the learner waits here for what comes: the line below the field is in sight,
        and no other part of the page has the keyboard."""
        if self._is_gone or not (feet := self.query(Foot)):
            return False
        focused = self.screen.focused
        around = {*self.ancestors_with_self}
        if focused and focused not in around and self not in focused.ancestors_with_self:
            return False
        return bool(self.screen.find_widget(feet.first()).visible_region)

    def note_stored(self) -> None:
        """The unfinished text is in the record, and is new again only when it changes."""
        self._stored = self.field.text

    def ask_again(self, text: str) -> None:
        """Take the answer back, which is not stored, and show why."""
        self.stage, self.field.disabled = "answering", False
        self.field.show_boxes(empty=True)
        self._note(text, "$warning")
        self.call_after_refresh(self._begin_again)  # what is in sight is known once it is laid out

    def _begin_again(self) -> None:
        """Give the field the keyboard if the learner waits here."""
        if self.is_awaited:
            self.start()
            self.call_after_refresh(self.show_note)

    def _try_again(self, grade: "Grade", *, follow: bool) -> None:
        """Show the verdict on a wrong program, which may be changed and judged again."""
        assert isinstance(self.field, ProgramField)
        self.stage, self.field.disabled = "answering", False
        if isinstance(self.value, str):
            self.field.begun, self._stored = self.value, None
        if self._is_gone:
            return
        self._note(
            "Change it and press {question.submit}; {lesson.give_up} shows the answer.",
            "dim",
            names_keys=True,
        )
        verdict = [Static(judgement(grade, known=True), classes="judgement")]
        says = grade.feedback or "Submit it again to read what the judge says of it."
        verdict.append(Static(style_code(limit_text(says, lines=4))))
        explained = Explained(*verdict, follow=follow)
        explained.add_class("-wrong")
        self.mount(explained, before=self.query_one(Foot))
        if follow:
            self.start()
            self.call_after_refresh(self.show_note)

    def say(self, text: str) -> None:
        """Show a line of progress below the question while the answer is computed."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        if not self.is_mounted:  # a page that comes is asked already: once it has its parts
            self.call_later(self.say, text)
            return
        self._note(text, "dim")
        self.call_after_refresh(self.show_note)

    def wait(self, text: str) -> None:
        """Say what the machine does, and with each second how long it has done so."""
        self.say(text)
        began = time.monotonic()

        def tell() -> None:
            if self.stage == "answered":
                self._note(f"{text} {time.monotonic() - began:.0f} s", "dim")
            elif self._waiting is not None:
                self._waiting.stop()

        self._waiting = self.set_interval(1, tell)

    def _note(self, text: str, style: str = "", names_keys: bool = False) -> None:
        if self._is_gone:
            return
        button = self.stage in ("answering", "rating")
        foot = self.query_one(Foot)
        foot.say(make_visible(text), style, button=button, names_keys=names_keys)

    def reveal(self, grade: "Grade", *, follow: bool = True) -> None:
        """Show the right answer, the comment on the learner's choice, and the explanation.

        Call it once, after the answer is stored. Without `follow` the page does not scroll.
        """
        wrong = grade.right is False and self.value is not None
        if wrong and self._in_lesson and isinstance(self.field, ProgramField):
            self._try_again(grade, follow=follow)
            return
        self.stage = "revealed"
        if self._is_gone:  # the learner has left the page; the answer is stored
            return
        known = self.question
        if known.answer is None and grade.computed is not None:
            known = replace(known, answer=grade.computed)
        self.field.reveal(known, self.value)
        for rating in self.query(PointsField):
            rating.disabled = True
        self.query_one(Foot).display = False
        explained = Explained(*self._explanation(grade), follow=follow)
        explained.set_class(grade.right is True, "-right")
        partly = grade.right is False and grade.credit > 0
        explained.set_class(partly, "-partly")
        wrong = grade.right is False and not partly and self.value is not None
        explained.set_class(wrong, "-wrong")
        self.mount(explained)

    def _explanation(self, grade: "Grade") -> list[Widget]:
        code = isinstance(self.field, ProgramField)
        word = CodeText(classes="judgement", breaks=wrap_list)
        known = self.value is not None
        told = code or (self.question.kind == "open" and known)  # the good answer stands above
        word.update(judgement(grade, known, told))
        parts: list[Widget] = [word]
        if code:
            if grade.feedback:
                words = style_code(limit_text(grade.feedback, lines=4))
                parts.append(Static(words, classes="own-feedback"))
            if grade.right is False:
                shown = extract_changes(self.question.code, grade.answer)
                title = "What changes" if LEFT_OUT in shown else "The answer"
                parts.append(Static(Content.styled(title, "bold")))
                parts.append(Static(highlight.colour_code(shown), classes="code"))
        # Of an answer that was not graded the feedback is the reason, which no field shows.
        elif grade.feedback and (grade.right is None or self._kind not in _SHOWS_FEEDBACK):
            parts.append(Static(style_inline(grade.feedback), classes="own-feedback"))
        if self.question.kind == "open" and not self.question.points:
            parts.append(markdown_widget(self.question.model))
        if grade.explanation:
            parts.append(markdown_widget(grade.explanation))
        if self.question.source:
            parts.append(Static(Content.styled(f"Source: {self.question.source}", "dim")))
        return parts


def field_for(question: AskedQuestion, draft: str = "") -> Field:
    """The field for a question of this kind with its draft, typed or marked."""
    field = _new_field(question, draft)
    if isinstance(field, ListField):
        field.take_draft(question, draft)
    return field


def _new_field(question: AskedQuestion, draft: str) -> Field:
    """The field for a question of this kind; a `predict` question uses the kind in its `as`."""
    kind = question.as_kind if question.kind == "predict" else question.kind
    match kind:
        case "choice" | "multi":
            return OptionsField(question.options, many=kind == "multi")
        case "order":
            return OrderField(question.items)
        case "match":
            return MatchField(question.left, question.right)
        case "line":
            return LineField(question.code)
        case "fill":
            return FillField(question, draft)
        case "open":
            return WrittenField(draft)
        case "code":
            return ProgramField(question, draft)
        case _:
            return TypedField(draft, number=kind == "number", unit=question.unit)
