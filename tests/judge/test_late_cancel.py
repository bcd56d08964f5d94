"""A call that has ended stops no other: the lab cancels an outdated answer as its verdict arrives. A
call that waits for the judge to start is stopped too."""

import threading
import time

import pytest
from judging import until

from tutor.base import paths
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


@pytest.mark.slow
def test_a_call_that_waits_for_the_judge_to_start_is_cancelled() -> None:
    verdicts: list[Verdict] = []
    source = "import time\ntime.sleep(60)\ndef add(x, y):\n    return x + y\n"

    def submit() -> None:
        for event in judge.submit(Submission("vector_add", source, "a.py", "cpu")):
            if isinstance(event, Verdict):
                verdicts.append(event)

    with Judge(paths.course_root(), cold=True) as judge:
        call = threading.Thread(target=submit)
        call.start()
        until(lambda: judge._link)  # a process that imports torch takes longer to start
        judge.cancel()
        call.join(60)
    assert [verdict.diagnosis[0].code for verdict in verdicts] == ["cancelled"]
