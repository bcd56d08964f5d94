"""The judge of `accept` names the token that is drawn wrongly, and refuses no right answer by chance.

Run as a program with a number, it tries that many seeds: 0 of 200 were refused.
"""

import runpy
import sys
import types
from pathlib import Path
from typing import Any

import pytest
import tomli

EXERCISE = Path(__file__).parents[2] / "kernels" / "accept"
REFERENCE = runpy.run_path(str(EXERCISE / "reference.py"))
SOLUTION = (EXERCISE / "solution.py").read_text()
WRONG = {
    wrong["name"]: wrong for wrong in tomli.loads((EXERCISE / "wrong.toml").read_text())["wrong"]
}
RIGHT = ["solution.py", "right/place_by_place.py", "right/first_refusal.py", "twists/2.py"]


def judge(text: str, seed: int = 60) -> str:
    """Return the sentence of a refusal, or ""."""
    module = types.ModuleType("answer")
    exec(text, module.__dict__)
    found: dict[str, Any] = REFERENCE["PROBE"]["probe"](module, "cpu", seed)
    fault = REFERENCE["check_found"](found)
    return fault[1] if fault else ""


def changed(name: str) -> str:
    """Return the wrong answer of that name."""
    text = SOLUTION
    for edit in WRONG[name].get("edit", [WRONG[name]]):
        assert text.count(edit["replace"]) == 1
        text = text.replace(edit["replace"], edit["with"])
    return text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("draws_from_p", "the first token does not have"),
        ("keeps_the_likelier", "the first token does not have"),
        ("one_number_a_request", "the second token, given the first, does not have"),
        ("residual_of_the_first_place", "the second token, given the first, does not have"),
        ("bonus_from_the_draft", "the fourth token, after three drafts that were kept, does not"),
        ("draws_and_compares", "drafts are kept too seldom"),
        ("never_keeps", "drafts are kept too seldom"),
        ("own_random_numbers", "The same arguments with the same seed"),
        ("seed_ignored", "another seed gave the very same tokens"),
        ("halves_share_numbers", "requests share random numbers"),
        ("evenly_spread_numbers", "requests depend on each other"),
        ("numbers_in_64_steps", "drafts that are kept with probability 1/256"),
        ("tokens_in_64_steps", "a token of probability 1/256 comes 0 times"),
    ],
)
def test_the_verdict_names_the_statistic_that_fails(name: str, words: str) -> None:
    assert words in judge(changed(name))


@pytest.mark.parametrize("answer", RIGHT)
@pytest.mark.parametrize("seed", range(5))
def test_a_right_answer_is_accepted_with_any_seed(answer: str, seed: int) -> None:
    assert judge((EXERCISE / answer).read_text(), seed) == ""


if __name__ == "__main__":  # python tests/judge/test_accept_exercise.py 200
    refused = [seed for seed in range(int(sys.argv[1])) if judge(SOLUTION, seed)]
    print(f"refused with {len(refused)} of {sys.argv[1]} seeds: {refused}")
