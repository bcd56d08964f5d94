"""A call that has ended stops no other: the lab cancels an outdated answer as its verdict arrives."""

import threading
import time

from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge, Submission
from tutor.judge.model.verdict import Verdict


def test_who_holds_a_verdict_cancels_no_call_of_another(judge: Judge) -> None:
    source = open_course().exercise("vector_add").solution.read_text("utf-8")
    verdicts: list[Verdict] = []

    def submit(path: str) -> None:
        for event in judge.submit(Submission("vector_add", source, path)):
            if isinstance(event, Verdict):
                time.sleep(0.05)  # the next call is under way
                judge.cancel()
                verdicts.append(event)

    calls = [threading.Thread(target=submit, args=(path,)) for path in ("a.py", "b.py")]
    for call in calls:
        call.start()
    for call in calls:
        call.join(60)
    assert [verdict.passed for verdict in verdicts] == [True, True]
