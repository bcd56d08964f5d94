"""Answers in one's own words that were not handed in: kept when their page goes, there when it is back.

They are rows of the record's edits, like the texts of the lab's editor.
"""

from tutor.base.errors import UsageError
from tutor.course.model import Question
from tutor.memory import Record
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.question.question_view import QuestionView

_DRAFTS = "draft"  # in the place of the exercise; the question's id in that of the file


def draft_of(record: Record, question: Question) -> str:
    """What was written for this question since it was last answered."""
    newest = next(
        (edit for edit in record.activity.edits(_DRAFTS) if edit.path == question.id), None
    )
    answer = record.activity.last_answer(question.id)
    if newest is None or (answer is not None and answer.at >= newest.at):
        return ""
    return newest.text


def view_of(record: Record, question: Question, *, ask_confidence: bool) -> QuestionView:
    """The question, with what was written for it."""
    is_open = (question.as_kind or question.kind) == "open"
    draft = draft_of(record, question) if is_open else ""
    return QuestionView(question, ask_confidence, draft)


def keep_drafts(screen: TutorScreen) -> None:
    """All that is written on a screen and not handed in goes to the record."""
    for view in screen.query(QuestionView):
        text = view.unfinished
        if text is None:
            continue
        try:
            screen.tutor.record.activity.save_edit(_DRAFTS, view.question.id, text)
        except UsageError as error:  # a full disk must not hold anybody here
            screen.say(str(error), wrong=True)
