"""Questions from the two records of a run: what is asked, what is right, and what is not asked."""

import dataclasses
from typing import Any

import pytest
from msgspec import ValidationError
from msgspec.json import encode
from msgspec.structs import replace
from seen_programs import SOURCE, seen_addition

from tutor.judge.model.witness import ProgramRecord, Witness, WitnessStep, witness_of
from tutor.judge.questions.program_question import Drawn, ProgramQuestion
from tutor.judge.questions.record_questions import draw_record_questions
from tutor.quiz.grading import grade


def drawn(record: ProgramRecord, seed: str = "1") -> Drawn:
    return draw_record_questions("says:add:1", SOURCE, 22, record, seed)


def by_kind(record: ProgramRecord, seed: str = "1") -> dict[str, ProgramQuestion]:
    return {each.kind: each for each in drawn(record, seed).questions}


def change_steps(record: ProgramRecord, change: Any) -> ProgramRecord:
    """The record with other steps in its witness."""
    (launch,) = record.witness.launches
    programs = tuple(
        replace(program, steps=tuple(change(program.id, step) for step in program.steps))
        for program in launch.programs
    )
    witness = Witness((replace(launch, programs=programs),), 0)
    return ProgramRecord(record.access, witness)


def test_every_kind_has_its_key_its_place_and_what_is_needed_to_work_it_out() -> None:
    found = by_kind(seen_addition())
    assert list(found) == ["stores", "masked", "loaded", "stored", "first", "programs"]
    keys = {kind: each.question.answer for kind, each in found.items()}
    assert keys == {
        "stores": 1,
        "masked": 2,
        "loaded": keys["loaded"],
        "stored": keys["stored"],
        "first": 4,
        "programs": 2,
    }
    at = found["loaded"].place.program[0]
    assert keys["loaded"] == (32, 16)[at]
    assert keys["stored"] == (16, 8)[found["stored"].place.program[0]]
    masked = found["masked"]
    assert (masked.place.case, masked.place.program) == ("six", (1, 0, 0))
    assert "How many lanes of program 1 are masked off where line " in masked.question.prompt
    for each in found.values():
        prompt = each.question.prompt
        assert prompt.startswith("On the case “six” (`f32[6], f32[6]`) your `add_kernel` runs")
        assert "with `n` = 6, `BLOCK` = 4." in prompt
        assert each.question.code.startswith("@triton.jit\ndef add_kernel")
        assert "Only what there is" not in each.question.code
        assert each.question.id == f"says:add:1:{each.kind}"
    assert "2 programs" not in found["programs"].question.prompt


def test_the_same_seed_draws_the_same_questions_and_another_one_others() -> None:
    record = seen_addition()
    assert drawn(record) == drawn(record)
    prompts = {by_kind(record, str(seed))["loaded"].question.prompt for seed in range(20)}
    assert len(prompts) == 2


def test_typical_mistakes_are_told_apart() -> None:
    for seed in range(20):
        asked = by_kind(seen_addition(), str(seed))["loaded"]
        if asked.place.program == (1, 0, 0):
            break
    question = asked.question
    assert grade(question, "16").right
    assert "masked off" in grade(question, "32").feedback
    assert "not of bytes" in grade(question, "4").feedback


def test_what_the_records_answer_differently_is_not_asked() -> None:
    def more_lanes(program: Any, step: WitnessStep) -> WitnessStep:
        (part,) = step.parts
        return (
            replace(step, parts=(replace(part, on=part.on + 1),)) if step.kind == "load" else step
        )

    found = drawn(change_steps(seen_addition(), more_lanes))
    kinds = [each.kind for each in found.questions]
    assert "loaded" not in kinds
    assert {"stores", "stored", "first", "programs"} <= set(kinds)
    assert found.disagreed > 0


def test_an_element_that_another_program_is_seen_to_store_is_not_asked() -> None:
    def all_elements(program: Any, step: WitnessStep) -> WitnessStep:
        (part,) = step.parts
        wide = replace(part, blocks=((0, 6, 1, 6),))
        return replace(step, parts=(wide,)) if step.kind == "store" else step

    found = drawn(change_steps(seen_addition(), all_elements))
    assert "stores" not in [each.kind for each in found.questions]


def test_a_launch_that_was_not_seen_to_its_end_is_not_asked_who_stores() -> None:
    record = seen_addition()
    (launch,) = record.witness.launches
    part = Witness((replace(launch, complete=False),), 0)
    assert "stores" not in by_kind(ProgramRecord(record.access, part))
    assert drawn(ProgramRecord(record.access, Witness((), 1))) == Drawn(())


def test_a_kernel_of_another_file_is_asked_about_without_its_lines() -> None:
    found = draw_record_questions("says:add:1", "import other\n", 22, seen_addition(), "1")
    kinds = [each.kind for each in found.questions]
    assert "masked" not in kinds
    assert "stores" in kinds
    assert all(not each.question.code for each in found.questions)


def on_one_line(record: ProgramRecord, kinds: str) -> ProgramRecord:
    """The record with all accesses of these kinds on line 10."""
    (seen,) = record.access.launches
    programs = tuple(
        replace(
            program,
            steps=tuple(
                replace(step, line=10) if step.kind in kinds else step for step in program.steps
            ),
        )
        for program in seen.programs
    )
    access = dataclasses.replace(record.access, launches=(replace(seen, programs=programs),))
    there = change_steps(
        record, lambda _, step: replace(step, line=10) if step.kind in kinds else step
    )
    return ProgramRecord(access, there.witness)


@pytest.mark.parametrize(
    ("line", "kinds", "answer"),
    [
        ("left, right = tl.load(x + at, mask=mask), 0.0", "load", 2),  # as in a loop
        ("left = tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask)", "load", None),
        ("tl.store(out + at, tl.load(x + at, mask=mask), mask=mask)", "load store", None),
    ],
)
def test_several_accesses_of_one_line_are_not_counted_as_passes(
    line: str, kinds: str, answer: int | None
) -> None:
    source = SOURCE.replace("left, right = tl.load(x + at, mask=mask), 0.0", line)
    assert line in source
    record = on_one_line(seen_addition(), kinds)
    found = draw_record_questions("says:add:1", source, 22, record, "1").questions
    keys = {each.kind: each.question.answer for each in found}
    assert keys.get("turns") == answer
    assert "stored" in keys


LOOP = SOURCE.replace(
    "    at = tl.program_id(0)",
    "    for start in range(0, n, 2):\n        y = start\n    at = tl.program_id(0)",
)


@pytest.mark.parametrize(("seen", "answer"), [(4, 4), (6, None), (None, None)])
def test_a_loop_is_asked_about_where_text_and_interpreter_agree(
    seen: int | None, answer: int | None
) -> None:
    record = seen_addition()
    (launch,) = record.witness.launches
    numbers = () if seen is None else (("start", seen),)
    programs = tuple(replace(program, numbers=numbers) for program in launch.programs)
    witness = Witness((replace(launch, programs=programs),), 0)
    both = ProgramRecord(record.access, witness)
    found = draw_record_questions("says:add:1", LOOP, 22, both, "1")
    keys = {each.kind: each.question.answer for each in found.questions}
    assert keys.get("loop") == answer
    assert (found.disagreed > 0) is (answer is None)


@pytest.mark.parametrize(
    "change",
    [
        {"kernel": "a\nb"},
        {"arguments": [["n", "\x1b[2J"]]},
        {"grid": [-1, 1, 1]},
        {"programs": [{"id": [0, 0, 0], "steps": [{"line": 1}]}]},
    ],
)
def test_a_witness_that_cannot_be_believed_is_refused(change: dict[str, Any]) -> None:
    sound = {"kernel": "k", "arguments": [], "grid": [1, 1, 1], "programs": [], "complete": True}
    witness_of(encode({"launches": [sound], "left_out": 0}).decode())
    with pytest.raises(ValidationError):
        witness_of(encode({"launches": [sound | change], "left_out": 0}).decode())
