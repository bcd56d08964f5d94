"""Drafts of answers, typed or marked: stored a second after a change and when their page closes, and
shown again when it opens.

They are rows of the record's edits, like the texts of the editor in the lab.
"""

from textual import on

from tutor.base.errors import UsageError
from tutor.course.model import AskedQuestion
from tutor.memory.record import Record
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.question.choice_fields import PointsField
from tutor.ui.question.question_view import QuestionView

_DRAFTS = "draft"  # stored as the exercise; the place and the question's id are stored as the file
TICKS = "points:"  # the place of the ticks at the points of a good answer


def draft_of(record: Record, question: AskedQuestion, place: str = "") -> str:
    """What was written or marked for this question since its last answer, of a `place` that keeps its
    own."""
    newest = record.activity.newest_edit(_DRAFTS, place + question.id)
    if newest is None:
        return ""
    answer = record.activity.last_answer(question.id)
    return "" if answer is not None and answer.at >= newest.at else newest.text


def make_view(
    record: Record,
    question: AskedQuestion,
    *,
    ask_confidence: bool,
    compare_later: bool = False,
    in_lesson: bool = False,
    place: str = "",
) -> QuestionView:
    """A view of the question with its draft. `in_lesson`: a program may be tried again there. `place`:
    one whose drafts no other place shows, as "placement:"."""
    draft = draft_of(record, question, place)
    view = QuestionView(question, ask_confidence, draft, compare_later, in_lesson)
    view.place = place
    view.ticked = draft_of(record, question, TICKS) if question.points else ""
    return view


class DraftingScreen(TutorScreen):
    """A screen with questions: what is typed into them or marked is stored."""

    @on(QuestionView.Drafted)
    def put_away(self) -> None:
        """Store all that stands on the screen and was not handed in."""
        keep_drafts(self)


def keep_drafts(screen: TutorScreen) -> None:
    """Store all that stands on a screen and was not handed in."""
    # One walk: a page is being turned.
    for part in screen.query("QuestionView, PointsField"):
        assert isinstance(part, QuestionView | PointsField)
        place = TICKS if isinstance(part, PointsField) else part.place
        text = part.unfinished
        if text is None:
            continue
        try:
            screen.tutor.record.activity.save_edit(_DRAFTS, place + part.question.id, text)
        except UsageError as error:  # a full disk must not keep the learner on this screen
            screen.say(str(error), wrong=True)
        else:
            part.note_stored()
