"""Drafts of written answers: stored a second after a change and when their page closes, and shown again
when it opens.

They are rows of the record's edits, like the texts of the editor in the lab.
"""

from tutor.base.errors import UsageError
from tutor.course.model import AskedQuestion
from tutor.memory.record import Record
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.question.question_view import QuestionView

_DRAFTS = "draft"  # stored as the exercise; the id of the question is stored as the file


def draft_of(record: Record, question: AskedQuestion) -> str:
    """The text written for this question since its last answer."""
    newest = next(
        (edit for edit in record.activity.edits(_DRAFTS) if edit.path == question.id), None
    )
    answer = record.activity.last_answer(question.id)
    if newest is None or (answer is not None and answer.at >= newest.at):
        return ""
    return newest.text


def make_view(
    record: Record,
    question: AskedQuestion,
    *,
    ask_confidence: bool,
    compare_later: bool = False,
    in_lesson: bool = False,
) -> QuestionView:
    """A view of the question with its draft. `in_lesson`: a program may be tried again there."""
    draft = draft_of(record, question)
    return QuestionView(question, ask_confidence, draft, compare_later, in_lesson)


def keep_drafts(screen: TutorScreen) -> None:
    """Store all text on a screen that was not handed in."""
    for view in screen.query(QuestionView):
        text = view.unfinished
        if text is None:
            continue
        try:
            screen.tutor.record.activity.save_edit(_DRAFTS, view.question.id, text)
        except UsageError as error:  # a full disk must not keep the learner on this screen
            screen.say(str(error), wrong=True)
        else:
            view.note_stored()
