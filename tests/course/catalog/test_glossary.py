"""The glossary: read, checked at its line and field, and found under a cursor."""

from pathlib import Path

import pytest

from tutor.authoring.check import faults
from tutor.course.catalog.course import open_course
from tutor.course.catalog.glossary import KINDS, Term, explain, read_glossary, stage_term
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.question import STAGES

# What a page cannot do without, and a beginner does not know.
BEGINNERS = (
    "kernel",
    "grid",
    "program",
    "lane",
    "thread",
    "block",
    "warp",
    "multiprocessor",
    "HBM",
    "L2 cache",
    "stream",
    "stride",
    "view",
    "dispatcher",
    "ATen",
    "GEMM",
    "cuBLAS",
    "fusion",
    "epilogue",
    "lowering",
    "decomposition",
    "memory-bound",
    "roofline",
    "ridge point",
    "bandwidth",
    "TF32",
    "cubin",
    "recompilation",
)
GLOSSARY = """\
[[term]]
id = "ld"
term = "ld.global"
kind = "instruction"
match = ['ld\\.global', 'ld']
in = ["ptx"]
says = "It loads."
source = "PTX ISA 9.0"
days = [1]

[[term]]
id = "stage-ptx"
term = "PTX"
kind = "stage"
says = "Text."
source = "PTX ISA 9.0"
"""

MISTAKES = [
    ('id = "ld"', 'id = "L d"', 2, "term[1].id"),
    ('id = "stage-ptx"', 'id = "ld"', 12, "term[2].id"),
    ('kind = "stage"', 'kind = "step"', 14, "term[2].kind"),
    ("'ld'", "'l('", 5, "term[1].match.2"),
    ("'ld'", "'l*'", 5, "term[1].match.2"),
    ('["ptx"]', '["ptxx"]', 6, "term[1].in.1"),
    ('says = "It loads."', 'says = " "', 7, "term[1].says"),
    ('source = "PTX ISA 9.0"\ndays', "days", 2, "term[1].source"),
    ("days = [1]", 'days = ["1"]', 9, "term[1].days"),
    ("days = [1]", "day = [1]", 9, "term[1].day"),
    ('kind = "stage"', 'kind = "stage"\nmatch = ["ld"]', 15, "term[2].match"),
]


def write(course: Path, text: str) -> Path:
    path = course / "lessons" / "glossary.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_glossary_is_read_as_it_is_written(course: Path) -> None:
    write(course, GLOSSARY)
    assert not faults(course)
    load, ptx = open_course(course).glossary()
    assert (load.id, load.kind, load.languages, load.days, load.rev) == (
        "ld",
        "instruction",
        ("ptx",),
        (1,),
        1,
    )
    assert stage_term((load, ptx), "ptx") is ptx


def test_a_course_may_have_no_glossary(course: Path) -> None:
    assert open_course(course).glossary() == ()


@pytest.mark.parametrize(("there", "instead", "line", "field"), MISTAKES)
def test_each_mistake_has_its_line_and_field(
    course: Path, there: str, instead: str, line: int, field: str
) -> None:
    assert there in GLOSSARY
    path = write(course, GLOSSARY.replace(there, instead, 1))
    if field == "term[1].source":
        line = 1  # what is missing is reported at its table
    with pytest.raises(CourseFault) as caught:
        read_glossary(path)
    assert (line, field) in [(fault.line, fault.field) for fault in caught.value.faults]


def test_a_day_outside_the_course_is_named(course: Path) -> None:
    write(course, GLOSSARY.replace("days = [1]", "days = [9]"))
    assert [(fault.line, fault.field) for fault in faults(course)] == [(1, "days")]


def term(name: str, *match: str, languages: tuple[str, ...] = ()) -> Term:
    return Term(name, name, "op", "Says.", "Source", match, languages)


def test_the_longest_match_under_the_cursor_wins() -> None:
    terms = (
        term("ld", r"ld\.global"),
        term("v4", r"ld\.global\.v4"),
        term("mma", "mma"),
        term("sass", r"ld\.\S+", languages=("sass",)),
    )
    line = "@%p1 ld.global.v4.b32 {%r1}; mma2 mma"
    names = {}
    for column in range(len(line)):
        here = explain(terms, line, column, "ptx")
        assert here is not None
        names[column] = here.term.id
    assert names[7] == "v4"
    assert names[0] == "v4", "the nearest to the right"
    assert names[line.index("mma2")] == "mma", "a word that only begins alike is not it"
    assert names[24] == "mma"
    assert explain(terms, "", 0, "ptx") is None
    assert explain(terms, "ld.global " * 100_000, 999_999, "ptx") is not None


def test_the_courses_own_glossary_is_whole() -> None:
    terms = open_course().glossary()
    assert len(terms) >= 150
    assert {term.kind for term in terms} == set(KINDS)
    for stage in STAGES:
        assert stage_term(terms, stage) is not None, f"nothing explains the stage {stage}"
    for each in terms:
        assert each.kind != "stage" or each.id.startswith("stage-"), each.id
        assert len(each.says) <= 400, each.id
        assert any(c.isdigit() for c in each.source), f"{each.id}: a source without its version"
    assert {t.term for t in terms if t.kind == "term"} >= set(BEGINNERS)
