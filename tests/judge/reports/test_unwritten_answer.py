"""The sentence on an answer of which nothing is written yet."""

import math
import re

import pytest

from tutor.course.catalog.course import open_course
from tutor.judge.model.verdict import CaseResult, Diagnosis, Mismatch, Verdict
from tutor.judge.reports.unwritten_answer import stores_nothing, unwritten

EXERCISES = open_course().exercises()
ALL_NAN = CaseResult(
    "seven", "f32[7]", False, None, 2e-6, None, Mismatch((0,), math.nan, 1.0, 7, 7)
)
SOME_NAN = CaseResult(
    "seven", "f32[7]", False, None, 2e-6, None, Mismatch((3,), math.nan, 1.0, 2, 7)
)
NO_ELEMENT = CaseResult("empty", "f32[0,5]", True, 0.0, 2e-6)
NEVER = Diagnosis("output-not-written", "The output was never stored.")
OTHER = Diagnosis("wrong-values", "The values are wrong.")
STARTER = "def kernel():\n    # Write the kernel: load\n    # and store.\n    pass\n"


def failed(*cases: CaseResult, cause: Diagnosis = NEVER) -> Verdict:
    return Verdict("fma", False, "cpu-interpreter", cases, (cause,))


@pytest.mark.parametrize("slug", EXERCISES)
def test_each_starter_says_what_is_missing_and_where(slug: str) -> None:
    starter = EXERCISES[slug].starter.read_text("utf-8")
    sentence = unwritten("\n" + starter, starter, failed(ALL_NAN, cause=OTHER))
    found = re.match(
        r"This is still the starter, and line (\d+) (says what is missing|asks): “([^”]+)”",
        sentence,
    )
    assert found, sentence
    rows = starter.splitlines()[int(found[1]) - 2 :]  # one empty line above it here
    assert rows[0].lstrip().startswith("# ")
    assert found[3][:9] in " ".join(row.strip().removeprefix("# ") for row in rows[:6])
    assert (found[2] == "asks") is found[3].endswith("?")


def test_a_comment_of_the_learners_leaves_it_the_starter() -> None:
    noted = f"# what goes here?\n{STARTER}"
    assert unwritten(noted, STARTER, failed(ALL_NAN)).startswith("This is still the starter")
    for begun in (STARTER.replace("pass", "x = 1"), f"{STARTER}\0", f"{STARTER}(" + "(" * 9999):
        assert not unwritten(begun, STARTER, failed(SOME_NAN, cause=OTHER))


def test_a_comment_of_two_rows_is_quoted_whole() -> None:
    sentence = unwritten(STARTER, STARTER, failed(ALL_NAN))
    assert sentence.endswith("line 2 says what is missing: “Write the kernel: load and store”.")


def test_of_a_comment_that_says_no_task_the_last_sentence_is_quoted() -> None:
    starter = STARTER.replace("Write the kernel: load", "Right for 1024. And")
    starter = starter.replace("and store.", "for 1025?")
    sentence = unwritten(starter, starter, failed(ALL_NAN, cause=OTHER))
    assert sentence == "This is still the starter, and line 2 asks: “And for 1025?”."


def test_nothing_stored_points_to_the_comment_or_else_names_the_cause() -> None:
    begun = STARTER.replace("pass", "x = 1")
    sentence = unwritten(begun, STARTER, failed(ALL_NAN, NO_ELEMENT))
    assert sentence.startswith(
        "Nothing was stored in any case. Line 2 says what is missing: “Write"
    )
    own = "def kernel():\n    x = 1\n"
    sentence = unwritten(own, STARTER, failed(ALL_NAN, NO_ELEMENT))
    assert sentence == f"Nothing was stored in any case. {NEVER.message}"


@pytest.mark.parametrize(
    ("source", "starter", "verdict"),
    [
        ("def own(): ...", STARTER, failed(ALL_NAN, SOME_NAN)),
        ("def own(): ...", STARTER, failed(ALL_NAN, cause=OTHER)),
        ("def own(): tl.atomic_add(p, x)", STARTER, failed(ALL_NAN)),
        (STARTER, STARTER, Verdict("fma", True, "cpu-interpreter", (NO_ELEMENT,))),
        ("", "", failed(ALL_NAN)),  # a stored verdict whose texts are not at hand
    ],
    ids=["some stored", "another cause", "added to", "passed", "no texts"],
)
def test_any_other_answer_has_its_whole_report(source: str, starter: str, verdict: Verdict) -> None:
    assert unwritten(source, starter, verdict) == ""


def test_a_starter_that_is_right_in_every_case_is_told_what_it_lacks() -> None:
    sentence = unwritten(STARTER, STARTER, failed(NO_ELEMENT, cause=OTHER))
    assert sentence == (
        "This is still the starter. It is right in every case; this is what it lacks: "
        f"{OTHER.message}"
    )
    assert unwritten(f"{STARTER}x = 1\n", STARTER, failed(NO_ELEMENT, cause=OTHER)) == ""


def test_a_case_stores_nothing_if_the_nan_is_everywhere_or_there_is_no_element() -> None:
    assert stores_nothing(ALL_NAN)
    assert stores_nothing(NO_ELEMENT)
    assert not stores_nothing(SOME_NAN)
    assert not stores_nothing(CaseResult("ten", "f32[10,2]", True, 0.0, 2e-6))
