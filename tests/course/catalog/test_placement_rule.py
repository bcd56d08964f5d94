"""A placement's questions and its proposal: rules for any strands and any answers."""

from hypothesis import given
from hypothesis import strategies as st

from tutor.course.catalog.placement import PlacementSession, Strand


@st.composite
def strands_and_answers(draw: st.DrawFn) -> tuple[tuple[Strand, ...], dict[str, bool]]:
    lengths = draw(st.lists(st.integers(1, 5), max_size=6))
    strands = tuple(
        Strand(day, tuple(f"d{day}-{i}" for i in range(length)), topic=draw(st.sampled_from("AB")))
        for day, length in enumerate(lengths, 1)
    )
    return strands, {name: draw(st.booleans()) for s in strands for name in s.questions}


@given(strands_and_answers())
def test_a_strand_ends_at_its_first_mistake_and_a_day_known_had_none(
    given_: tuple[tuple[Strand, ...], dict[str, bool]],
) -> None:
    strands, answers = given_
    session = PlacementSession(strands)
    asked: list[str] = []
    while session.current:
        strand, name = session.current
        assert name in strand.questions
        asked.append(name)
        session.note_answer(name, answers[name])
    assert len(asked) == len(set(asked))
    for strand in strands:
        mine = [name for name in asked if name in strand.questions]
        assert mine == list(strand.questions[: len(mine)]), "in the order of the file"
        assert [answers[name] for name in mine].count(False) <= 1
        assert all(answers[name] for name in mine[:-1])
        earlier = {name for other in strands[: strands.index(strand)] for name in other.questions}
        ended = any(
            not answers[name]
            for other in strands[: strands.index(strand)]
            if other.topic == strand.topic
            for name in earlier & set(other.questions) & set(asked)
        )
        assert not (ended and mine), "a topic ends at its first mistake"
        assert (strand.day in session.known) == (
            not ended and all(answers[name] for name in strand.questions)
        )


@given(strands_and_answers(), st.data())
def test_to_leave_early_claims_nothing(
    given_: tuple[tuple[Strand, ...], dict[str, bool]], data: st.DataObject
) -> None:
    strands, answers = given_
    session = PlacementSession(strands)
    for _ in range(data.draw(st.integers(0, 30))):
        if session.current is None:
            break
        name = session.current[1]
        session.note_answer(name, answers[name])
    for strand in strands:
        if strand.day in session.known:
            assert all(name in session.right for name in strand.questions)
