"""What is said of the values and sizes that tell wrong cases from right ones, and what is not."""

import dataclasses

import pytest
from test_rules import evidence, pattern, report, right, size, wrong

from tutor.judge.diagnosis.case_groups import describe_groups
from tutor.judge.diagnosis.evidence import CaseFacts


def bad(*sizes: int, **more) -> list[CaseFacts]:
    return [wrong(f"bad {n}", sizes=size(n), pattern=pattern(), **more) for n in sizes]


def good(*sizes: int, **more) -> list[CaseFacts]:
    return [right(f"good {n}", sizes=size(n), **more) for n in sizes]


def said(*cases: CaseFacts) -> str:
    return describe_groups(evidence(*cases))


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        ([*good(7, 32), *bad(33, 64)], "Right while `x.shape[0]` is at most 32, wrong from 33 on."),
        ([*good(32, 40), *bad(3, 9)], "Wrong while `x.shape[0]` is at most 9, right from 32 on."),
        (
            [*good(64, 32, 96), *bad(33, 31)],
            "Right where `x.shape[0]` is a multiple of 32, wrong where it is not.",
        ),
        ([*good(40), *bad(33, 64)], ""),  # neither a limit nor a multiple
        ([*good(1), *bad(2, 64)], ""),  # a wrong formula is often right for one element
        ([*good(32), *bad(33)], ""),  # one size on each side may differ in anything
        (bad(33, 64), ""),  # nothing is right
    ],
)
def test_a_limit_is_named_where_it_separates_all_cases(cases, words):
    assert said(*cases) == words


def test_the_value_of_an_argument_is_asked_before_sizes():
    cases = [*good(7, 32, options={"causal": "False"}), *bad(33, 64, options={"causal": "True"})]
    assert said(*cases) == "Right for `causal=False`, wrong for `causal=True`."
    cases += good(65, options={"causal": "True"})
    assert "causal" not in said(*cases)


def test_a_value_that_all_wrong_cases_share_is_named_where_it_is_hardly_an_accident():
    cases = [
        *good(7, 32, options={"causal": "False"}),
        *bad(33, 64, 65, 66, options={"causal": "False"}),
        *good(7, 9, 33, 40, 64, 65, 70, 99, options={"causal": "True"}),
    ]
    words = "All 4 wrong cases have `causal=False`; those with `causal=True` are right."
    assert said(*cases) == words  # by accident: 15 of 1001 ways to choose 4 of 14 cases
    assert said(*cases[:-1]) == ""  # 15 of 715


def test_a_value_that_each_case_has_alone_tells_nothing():
    texts = [right(str(i), options={"text": repr(i)}) for i in range(3)]
    assert said(*texts, wrong(pattern=pattern(), options={"text": "'x'"})) == ""


def test_dimensions_that_are_always_equal_are_one_and_many_that_separate_are_none():
    def with_sizes(case: CaseFacts, *names: str) -> CaseFacts:
        n = case.sizes["x.shape[0]"]
        more = {name: n + i for i, name in enumerate(names)}
        return dataclasses.replace(case, sizes={**case.sizes, **more})

    cases = [*good(7, 32), *bad(33, 64)]
    twins = [
        dataclasses.replace(c, sizes={**c.sizes, "y.shape[0]": c.sizes["x.shape[0]"]})
        for c in cases
    ]
    assert said(*twins) == said(*cases)
    assert said(*(with_sizes(c, "a", "b", "c") for c in cases)) == ""
    assert said(*(with_sizes(c, "same", "a") for c in cases)) == (
        "Right while `x.shape[0]` is at most 32, wrong from 33 on. And: "
        "Right while `a` is at most 33, wrong from 34 on."
    )


PADDED = report(padded=[{"line": 9, "lanes": 3}])


def test_masked_lanes_are_named_where_all_wrong_cases_and_no_right_one_has_them():
    full = [right("a"), right("b")]
    part = [wrong(name, pattern=pattern(), seen=PADDED) for name in "cd"]
    words = "Right where every lane has an element, wrong where a load masks lanes off."
    assert said(*full, *part) == words
    assert said(*full, *part, right(seen=PADDED)) == ""
    assert said(*full, *part, wrong("full too", pattern=pattern())) == ""
    assert said(*full, part[0]) == ""


def test_nothing_is_said_where_a_case_raised():
    assert said(*good(7, 32), *bad(33, 64), wrong("crashed")) == ""
