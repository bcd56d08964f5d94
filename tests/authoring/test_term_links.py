"""Which words of a lesson are linked to the glossary, and how. Reads and writes files only."""

from pathlib import Path

import pytest
import small_course
from click.testing import CliRunner

from tutor.authoring.check import faults
from tutor.authoring.coverage import coverage
from tutor.commands.tools.content import content_command
from tutor.course.catalog.course import open_course
from tutor.course.catalog.plain_text import prose_lines

ENTRY = """\
[[term]]
id = "{id}"
term = "{term}"
kind = "{kind}"
says = "Ours."
source = "Ours, 1"
"""
GLOSSARY = "".join(
    [
        ENTRY.format(id="kernel", term="kernel", kind="term"),
        ENTRY.format(id="thread", term="thread", kind="term"),
        ENTRY.format(id="thread-block", term="thread block", kind="term"),
        ENTRY.format(id="hbm", term="HBM", kind="term"),
        ENTRY.format(id="sm", term="multiprocessor", kind="term") + "match = ['SMs?']\n",
        ENTRY.format(id="warp", term="warp", kind="term") + "match = ['wave']\nin = ['ptx']\n",
        ENTRY.format(id="block", term="block", kind="term") + "ordinary = true\n",
        ENTRY.format(id="order", term="order", kind="layout"),
    ]
)
FIX = "`tutor content check --fix-links` links it"


def written(folder: Path, last: str, second_day: str = "") -> Path:
    """A course whose Day 1 ends with `last`, after two pages without a term."""
    root = small_course.course(folder)
    (root / "lessons" / "glossary.toml").write_text(GLOSSARY)
    lesson = root / "lessons" / "day-01-one.md"
    lesson.write_text(small_course.LESSON.replace("The end.", last))
    if second_day:
        text = small_course.LESSON.replace("day = 1", "day = 2").replace("d01-", "d02-")
        other = root / "lessons" / "day-02-two.md"
        other.write_text(text.replace("The end.", second_day))
    return root


def fixed(root: Path, day: str = "day-01-one.md") -> str:
    """The end of a lesson after `--fix-links`."""
    done = CliRunner().invoke(content_command, ["check", "--fix-links", "--course", str(root)])
    assert done.exit_code == 0, done.output
    return (root / "lessons" / day).read_text().partition("## Last\n\n")[2].rstrip("\n")


@pytest.mark.parametrize(
    ("last", "linked"),
    [
        ("A kernel runs.", "A [kernel](term:kernel) runs."),
        ("Kernels run; a kernel ends.", "[Kernels](term:kernel) run; a kernel ends."),
        (
            "A thread block, a thread.",
            "A [thread block](term:thread-block), a [thread](term:thread).",
        ),
        ("It has HBM, no hbm.", "It has [HBM](term:hbm), no hbm."),
        ("132 SMs.", "132 [SMs](term:sm)."),
        ("| kernel |\n|---|\n| HBM |", "| [kernel](term:kernel) |\n|---|\n| [HBM](term:hbm) |"),
        ("> a kernel", "> a [kernel](term:kernel)"),
        ("A *kernel* here.", "A *[kernel](term:kernel)* here."),
        ("One kernel, a **kernel**.", "One [kernel](term:kernel), a **kernel**."),
        (
            "Before: a kernel. [Then](term:kernel).",
            "Before: a [kernel](term:kernel). [Then](term:kernel).",
        ),
    ],
)
def test_the_first_use_on_a_page_is_linked(tmp_path: Path, last: str, linked: str) -> None:
    root = written(tmp_path, last)
    missing = linked.count("(term:") - last.count("(term:")
    assert [fault.field.split()[0] for fault in faults(root)] == ["term"] * missing
    assert fixed(root) == linked
    assert faults(root) == ()
    assert fixed(root) == linked


@pytest.mark.parametrize(
    ("fence", "columns", "most"),
    [
        ("text", 76, None),
        ("text", 77, 76),
        ("python run", 77, None),
        ("python run", 78, 77),
        ("python run gpu", 78, None),
        ("python run gpu", 79, 78),
    ],
)
def test_code_is_no_wider_than_the_page_shows(
    tmp_path: Path, fence: str, columns: int, most: int | None
) -> None:
    root = written(tmp_path, f"```{fence}\nx = '{'x' * (columns - 6)}'\n```")
    expected = [f"at most {most} columns"] if most else []
    assert [each.expected for each in faults(root) if each.field == "code"] == expected


@pytest.mark.parametrize(
    "last",
    [
        "A **kernel** runs on the GPU. A kernel ends.",
        "**Kernels.** They run. A kernel ends.",
        "See [kernels](term:kernel); a kernel ends.",
        "See [the kernel](lesson:1/cells).",
        "It is `a kernel`, ``a `kernel` ``.",
        "```text\na kernel\n```",
        "    a kernel",
        "### A kernel",
        "**A kernel is next:** no.",
        "A kernels-only word, unkernel, sub-kernel.",
        "Every block has an order; a wave.",
        "![A kernel.](images/none.png)",
    ],
)
def test_other_words_are_left_alone(tmp_path: Path, last: str) -> None:
    root = written(tmp_path, last)
    assert [fault for fault in faults(root) if fault.field.startswith("term")] == []
    assert fixed(root) == last


def test_the_error_names_file_line_term_and_what_to_do(tmp_path: Path) -> None:
    root = written(tmp_path, "The end\nof two kernels.")
    lesson = root / "lessons" / "day-01-one.md"
    line = lesson.read_text().split("\n").index("of two kernels.") + 1
    assert [str(fault) for fault in faults(root)] == [
        f"{lesson}:{line}: term kernel: expected a link or an explanation first ({FIX}), found 'kernels'"
    ]


def test_what_an_earlier_day_explains_is_linked_but_not_demanded(tmp_path: Path) -> None:
    root = written(tmp_path, "A **kernel** runs.", "A kernel runs.\n\n### More\n\nA kernel ends.")
    assert faults(root) == ()
    linked = "A [kernel](term:kernel) runs.\n\n### More\n\nA kernel ends."
    assert fixed(root, "day-02-two.md") == linked
    assert fixed(root) == "A **kernel** runs."


def test_each_page_has_its_link_until_the_lesson_explains_the_word(tmp_path: Path) -> None:
    pages = "A kernel.\n\n## Then\n\nA kernel. A **kernel** is this.\n\n## After\n\nA kernel."
    assert fixed(written(tmp_path, pages)) == (
        "A [kernel](term:kernel).\n\n## Then\n\n"
        "A [kernel](term:kernel). A **kernel** is this.\n\n## After\n\nA kernel."
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"{'x' * 40} and here a kernel of 78 columns.\nThe next line.",
            f"{'x' * 40} and here a [kernel](term:kernel) of\n78 columns. The next line.",
        ),
        (
            f"1. {'x' * 56} the kernel, the end.",
            f"1. {'x' * 56} the\n   [kernel](term:kernel), the end.",
        ),
        (
            f"> {'x' * 54} a thread block - 1.\n> Next.",
            f"> {'x' * 54} a\n> [thread block](term:thread-block) - 1. Next.",
        ),
        (
            f"{'x' * 60} kernel, 78 +\ny.",
            f"{'x' * 60}\n[kernel](term:kernel), 78 + y.",
        ),
        (
            f"{'x' * 45} kernel, see Day 5.",
            f"{'x' * 45} [kernel](term:kernel), see\nDay 5.",
        ),
        (f"a kernel {'x' * 100}", f"a [kernel](term:kernel) {'x' * 100}"),
        (f"a kernel {'x' * 70}  \nb", f"a [kernel](term:kernel) {'x' * 70}  \nb"),
        (
            f"{'x' * 84}\n{'y' * 70} a kernel.",
            f"{'x' * 84}\n{'y' * 70} a\n[kernel](term:kernel).",
        ),
    ],
)
def test_only_lines_that_grow_too_long_are_wrapped(tmp_path: Path, before: str, after: str) -> None:
    assert fixed(written(tmp_path, before)) == after


def test_a_number_at_the_beginning_of_a_line_stays(tmp_path: Path) -> None:
    before = f"{'x' * 60} and the kernel, which has\n24. The end."
    after = f"{'x' * 60} and the\n[kernel](term:kernel), which has 24. The end."
    assert fixed(written(tmp_path, before)) == after


def test_the_changes_are_printed_as_a_diff(tmp_path: Path) -> None:
    root = written(tmp_path, "A line.\nA kernel runs.\n\nHBM.")
    lesson = root / "lessons" / "day-01-one.md"
    first = lesson.read_text().split("\n").index("A line.") + 1
    run = ["check", "--fix-links", "--course", str(root)]
    assert CliRunner().invoke(content_command, run).output.split("\n") == [
        f"{lesson}:{first}",
        "- A kernel runs.",
        "+ A [kernel](term:kernel) runs.",
        f"{lesson}:{first + 3}",
        "- HBM.",
        "+ [HBM](term:hbm).",
        "",
    ]
    assert CliRunner().invoke(content_command, run).output == "Each page links its terms already.\n"


def test_a_link_changes_neither_a_quote_nor_the_plain_text(tmp_path: Path) -> None:
    root = written(tmp_path, "A kernel reads all of its input once.")
    plan = root / "lessons" / "coverage.toml"
    quote = "A kernel reads all of its input"
    plan.write_text(
        '[inventory]\nday-1 = { prefix = "S1", items = 1 }\n[day-1]\n'
        f'"S1-01" = \'lesson:last "{quote}"\'\n'
    )
    linked = fixed(root)
    assert "(term:kernel)" in linked
    assert coverage(open_course(root)).covered == 1
    assert prose_lines(linked) == ["A kernel reads all of its input once."]
