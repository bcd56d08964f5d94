"""Programs of people who saw nothing but the tasks: a sample of them, judged in each run of the tests.

All of them: `python -m tests.judge.blind.programs`.
"""

import ast
from collections import Counter

import pytest

from tests.judge.blind.programs import (
    ARGUED,
    KINDS,
    is_as_asked,
    judge_program,
    read_programs,
    slugs,
)
from tutor.course.catalog.course import open_course

SAMPLE = slugs()[::9]


def test_every_exercise_has_programs_of_each_kind() -> None:
    """But those that need an extra: the trials ran where none was installed."""
    exercises = open_course().exercises()
    programs_of = {slug: e for slug, e in exercises.items() if e.kind != "cases"}
    needed = {slug: set(e.needs) - {"triton", "g++"} for slug, e in programs_of.items()}
    assert slugs() == sorted(slug for slug, extras in needed.items() if not extras)
    kinds: Counter[str] = Counter()
    for slug in slugs():
        programs = read_programs(slug)
        assert {program.kind for program in programs} == set(KINDS), slug
        assert len({program.name for program in programs}) == len(programs), slug
        kinds.update(program.kind for program in programs)
    assert kinds["right"] >= 100
    assert kinds["idea"] >= 100
    assert kinds["idea"] + kinds["slip"] >= 300


def test_every_program_is_python_and_names_its_lines() -> None:
    for slug in slugs():
        for program in read_programs(slug):
            ast.parse(program.code)
            assert program.first in {"accepted", "refused"}, (slug, program.name)
            rows = len(program.code.splitlines())
            assert all(0 < line <= rows for line in program.lines), (slug, program.name)
            if program.kind != "idea":
                assert bool(program.lines) == (program.kind == "slip"), (slug, program.name)
    assert all(name in {p.name for p in read_programs(slug)} for slug, name in ARGUED)


@pytest.mark.slow
@pytest.mark.parametrize("slug", SAMPLE)
def test_right_ones_are_accepted_and_slips_refused(judge, slug: str) -> None:
    programs = read_programs(slug)
    for kind in ("right", "slip"):
        program = next(each for each in programs if each.kind == kind)
        verdict = judge_program(judge, program)
        assert is_as_asked(program, verdict.passed), (program.name, verdict.diagnosis[:1])
