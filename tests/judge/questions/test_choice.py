"""Which of all that can be asked are the two questions about a pass."""

from typing import cast

import pytest
from seen_programs import SOURCE, seen_addition

from tutor.judge.computed_questions import Compiled, choose
from tutor.judge.questions.program_question import Drawn, ProgramQuestion
from tutor.judge.questions.record_questions import draw_record_questions


class NoLadder:
    def __init__(self, *found: ProgramQuestion) -> None:
        self.found = found
        self.asked = 0

    def draw(self, *_: str) -> Drawn:
        self.asked += 1
        return Drawn(self.found)


def kinds(seed: str, ladder: NoLadder, *only: str) -> list[str]:
    drawn = draw_record_questions("says:add:1", SOURCE, 22, seen_addition(), "1").questions
    drawn = tuple(each for each in drawn if not only or each.kind in only)
    return [each.kind for each in choose(drawn, cast("Compiled", ladder), "says:add:1", seed)]


def test_two_are_chosen_and_the_same_seed_chooses_the_same() -> None:
    chosen = {seed: kinds(str(seed), NoLadder()) for seed in range(60)}
    assert all(len(set(pair)) == 2 for pair in chosen.values())
    assert all(kinds(str(seed), NoLadder()) == pair for seed, pair in chosen.items())
    assert {kind for pair in chosen.values() for kind in pair} == {
        "stores",
        "masked",
        "loaded",
        "stored",
        "first",
    }


@pytest.mark.parametrize("alike", [{"loaded", "stored"}, {"stores", "first"}])
def test_of_two_that_are_alike_one_is_asked(alike: set[str]) -> None:
    assert all(set(kinds(str(seed), NoLadder())) != alike for seed in range(60))


def test_about_every_third_pass_is_asked_about_the_ladder_too() -> None:
    (other,) = draw_record_questions("says:x:1", SOURCE, 22, seen_addition(), "1").questions[:1]
    ladder = NoLadder(ProgramQuestion("waits", other.question, other.place))
    asked = sum("waits" in kinds(str(seed), ladder) for seed in range(120))
    assert 20 < asked < 60


def test_where_little_can_be_asked_the_ladder_is_and_plain_kinds_come_last() -> None:
    ladder = NoLadder()
    assert kinds("1", ladder, "loaded", "stored", "programs") in (
        ["loaded", "programs"],
        ["stored", "programs"],
    )
    assert ladder.asked == 2
