"""What the doctor and the README say of the pairs of torch and triton that were tried."""

import datetime
import re
from pathlib import Path

from tutor.doctor.packages import PAIRS, check_triton
from tutor.doctor.tried_versions import PINNED, TriedPair, describe_trial, tried_pairs

README = Path(__file__).parents[2] / "README.md"
DAY = datetime.date(2026, 11, 28)
TRIED = (
    TriedPair("2.13.0+cpu", "3.7.1", DAY, ("xray", "judge", "course"), ()),
    TriedPair("2.14.1+cu130", "3.8.0", DAY, ("xray",), ("course",)),
)


def test_a_pair_that_was_tried_has_its_day_and_what_held() -> None:
    said = describe_trial("2.13.0+cpu", "3.7.1", TRIED)
    assert said.startswith("tried together on 28 November 2026 (X-rays, the judge's quick tests")
    assert "not all of the course held" in describe_trial("2.14.1+cu130", "3.8.0", TRIED)


def test_another_build_of_a_version_that_was_tried_is_named() -> None:
    assert "tried together as 2.14.1+cu130 on" in describe_trial("2.14.1", "3.8.0", TRIED)


def test_what_ci_runs_is_not_judged_by_another_build() -> None:
    cuda = (TriedPair("2.13.0+cu130", "3.7.1", DAY, ("xray",), ()),)
    said = describe_trial("2.13.0+cpu", "3.7.1", cuda)
    assert said == "the pair with which CI runs everything"


def test_an_untried_pair_gets_one_clause() -> None:
    said = describe_trial("2.15.0", "3.9.0", TRIED)
    assert said == (
        "not tried together with this program, as were 2.13.0 with 3.7.1, "
        "2.13.0+cpu with 3.7.1, 2.14.1+cu130 with 3.8.0"
    )


def test_the_pair_of_the_constraints_is_what_ci_runs() -> None:
    lines = (README.parent / "constraints.txt").read_text("utf-8").splitlines()
    wanted = [line for line in lines if line.startswith(("torch==", "triton=="))]
    pinned = dict(line.partition(";")[0].split("==") for line in wanted)
    assert (pinned["torch"], pinned["triton"]) == PINNED
    assert describe_trial("2.13.0+cpu", "3.7.1", ()) == "the pair with which CI runs everything"


def test_the_doctor_says_it_of_what_is_installed() -> None:
    for tried in tried_pairs():
        row = check_triton({"version": tried.triton}, {"version": tried.torch, "cuda": None})
        assert "tried together on" in row.found
    row = check_triton({"version": "3.9.7"}, {"version": "2.15.7", "cuda": None})
    assert "not tried together with this program" in row.found


def test_the_readme_lists_the_pairs_that_were_tried() -> None:
    text = README.read_text("utf-8")
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (\d+ \w+ \d+) \|", text, re.MULTILINE)
    assert rows == [
        (pair.torch, pair.triton, f"{pair.day.day} {pair.day:%B %Y}") for pair in tried_pairs()
    ]
    assert all(PAIRS[torch[:4]] == triton[:3] for torch, triton, _ in rows)
