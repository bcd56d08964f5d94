"""A submission as the record keeps it. Pure."""

from tutor.judge.model.verdict import Verdict, judged_program
from tutor.judge.reports.report import Report
from tutor.judge.reports.unwritten_answer import is_starter
from tutor.judge.reports.verdict_document import write_headline
from tutor.memory.store.rows import JudgedProgram


def kept_attempt(source: str, starter: str, verdict: Verdict) -> JudgedProgram | None:
    """Return the submission with the words of its verdict's headline, which home says again. None for
    an untouched starter: that is no attempt, unless it is right."""
    if starter and not verdict.passed and is_starter(source, starter):
        return None
    judged = judged_program(source, verdict)
    words = write_headline(Report(source, starter).after(verdict)).words
    return judged._replace(verdict={**judged.verdict, "headline": words})
