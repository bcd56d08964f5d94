"""The pictures of the lessons: drawn by code, so that none shows what the product no longer says.

`TUTOR_WRITE_IMAGES=1 pytest tests/content/test_lesson_images.py` writes them to lessons/images/ again.
"""

import contextlib
import io
import os
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import lesson_charts
import lesson_diagrams
import pytest
import torch
import torch._dynamo
from card import Card
from PIL import Image, ImageChops

from tutor.base.paths import course_root
from tutor.course.catalog.course import open_course
from tutor.course.model import Cell, Prose
from tutor.course.reading.links import parser, picture_of
from tutor.hardware.gpus import target
from tutor.ui.kit.widgets.pictures import WIDEST, labels_of, place_labels
from tutor.xray.model.input_specs import Arguments, parse_input
from tutor.xray.model.stages import Event, Stage
from tutor.xray.torch_compile.capture import capture

FOLDER = course_root() / "lessons" / "images"
PICTURES: dict[str, Callable[[], Card]] = {
    "day-01-to-scale": lesson_charts.day_01_to_scale,
    "day-14-roofline": lesson_charts.day_14_roofline,
    "day-14-rows-and-blocks": lesson_diagrams.day_14_rows_and_blocks,
    "day-22-two-masks": lesson_diagrams.day_22_two_masks,
    "day-25-four-graphs": lesson_diagrams.day_25_four_graphs,
}


def differing(one: Image.Image, other: Image.Image) -> int:
    """How far two pictures are apart where they differ most: 0 to 255, over squares of 8 by 8
    pixels. A digit that changed is far above what another release of FreeType does to edges."""
    apart = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).convert("L")
    return apart.reduce(8).getextrema()[1]


@cache
def pictures_of_lessons() -> tuple[tuple[str, str], ...]:
    """The file of each picture of the lessons, and what stands for it where it cannot be drawn."""
    found = []
    for lesson in open_course().sound_lessons():
        texts = [b.text for s in lesson.sections for b in s.blocks if isinstance(b, Prose)]
        for token in (token for text in texts if "](" in text for token in parser().parse(text)):
            if picture := picture_of(token):
                found.append((picture.file, picture.says))
    return tuple(found)


def words_for(name: str) -> str:
    """What stands for the picture where it cannot be drawn."""
    found = [says for file, says in pictures_of_lessons() if file == f"images/{name}.png"]
    assert len(found) == 1, f"{name} stands in {len(found)} places"
    return found[0]


@pytest.mark.parametrize("name", PICTURES)
def test_a_file_holds_what_is_drawn(name: str) -> None:
    file = FOLDER / f"{name}.png"
    card = PICTURES[name]()
    drawn = card.finished()
    if os.environ.get("TUTOR_WRITE_IMAGES"):
        file.parent.mkdir(exist_ok=True)
        drawn.save(file, optimize=True, pnginfo=card.labels())
    with Image.open(file) as stored:
        assert stored.size == drawn.size
        assert differing(stored, drawn) < 24
        labels = labels_of(stored)
    assert {label.words for label in labels} <= set(card.said)
    for columns in range(76, WIDEST + 1):
        rows = round(columns * drawn.height / drawn.width / 2)
        assert len(place_labels(labels, drawn.size, (columns, rows))) == len(labels), columns


def test_a_changed_digit_is_a_difference() -> None:
    one, other = Card(400, 100), Card(400, 100)
    one.text((40, 50), "ridge 153")
    other.text((40, 50), "ridge 158")
    assert differing(one.finished(), other.finished()) >= 24


def test_text_that_the_font_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="×"):
        Card(400, 100).text((40, 50), "4 × 781")


def test_every_file_is_drawn_here_and_small() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {f"{name}.png" for name in PICTURES}
    assert max(file.stat().st_size for file in FOLDER.iterdir()) <= 60_000


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_the_words_name_no_number_that_is_not_drawn(name: str) -> None:
    drawn = {number for words in PICTURES[name]().said for number in numbers(words)}
    if name == "day-14-roofline":  # where a mark stands is its number
        drawn |= {f"{intensity:g}" for _, intensity, *_ in lesson_charts.MARKS}
    told = numbers(words_for(name))
    assert told
    assert set(told) <= drawn


def numbers(words: str) -> list[str]:
    """As digits alone: "65,536 rows" has 65536."""
    found = re.findall(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?", words)
    return [number.replace(",", "") for number in found]


def cell(day: int, holding: str) -> Cell:
    """The day's one cell with that in its code."""
    lesson = open_course().lesson(day)
    assert lesson is not None
    (found,) = [cell for cell in lesson.cells if holding in cell.code]
    return found


def test_the_roofline_has_the_marks_of_the_lesson() -> None:
    names: dict[str, Any] = {}
    exec(cell(14, "batch = next(").code, names)
    n = names["n"]
    marks = {name: intensity for _, intensity, name, *_ in lesson_charts.MARKS}
    assert marks.pop("relu; four operators, eager") == 1 / 8  # FLOP over bytes of an element
    assert marks.pop("four operators, fused") == 4 / 8
    assert marks.pop("matmul") == 2 * n**3 / (6 * n**2)
    assert marks.pop("layer, batch 1") == pytest.approx(2 * n**2 / (2 * n**2), rel=1e-3)
    assert marks.pop(f"batch {names['batch']}") >= lesson_charts.a100("fp16").ridge
    assert f"{marks.pop('softmax')} FLOP/B" in cell(22, "cols, block = 4096, 781").expect
    assert list(marks) == ["batch 16"]


def kernels(rows: int) -> list[str]:
    """The source of each Triton kernel that Inductor writes for rows / their sums on an H100."""

    def divided(x: torch.Tensor) -> torch.Tensor:
        return x / x.sum(-1, keepdim=True)

    found: list[Event] = []
    given = (parse_input(f"f32[{rows},{lesson_diagrams.ROW}]"),)
    capture(divided, Arguments(given), target("H100"), False, found.append)
    return [each.text for each in found if isinstance(each, Stage) and each.name == "triton"]


@pytest.mark.slow
def test_inductor_splits_rows_as_it_is_drawn() -> None:
    (one,) = kernels(lesson_diagrams.C_ROWS)
    assert f"xnumel = {lesson_diagrams.C_ROWS}\n" in one  # a block a row, which sums and stores
    assert f"r0_numel = {lesson_diagrams.ROW}\n" in one
    part, total, division = kernels(lesson_diagrams.D_ROWS)
    blocks = lesson_diagrams.D_BLOCKS
    assert f"xnumel = {lesson_diagrams.D_ROWS * blocks}\n" in part
    assert f"r0_numel = {lesson_diagrams.ROW // blocks}\n" in part
    assert f"r0_numel = {blocks}\n" in total
    assert "tl.sum" not in division


def test_the_masks_are_those_of_the_kernel() -> None:
    code = "".join(cell(22, "def row_max").code.split())
    d = lesson_diagrams
    launch = f"row_max[(triton.cdiv({d.ROWS},{d.TILE_ROWS}),)](x,out,{d.ROWS},{d.COLUMNS},"
    assert launch in code
    assert f"ROWS={d.TILE_ROWS},COLS={d.LANES})" in code
    assert "live=(r[:,None]<rows)&(c[None,:]<cols)" in code


def test_broken_is_cut_as_it_is_drawn() -> None:
    found = cell(25, "def broken").code
    source = found[found.index("def broken") : found.index("torch._dynamo.reset()")]
    parts = [part for _, line in lesson_diagrams.BROKEN for part in line]
    drawn = "".join(words for words, _ in parts)
    assert "".join(drawn.split()) == "".join(source.split())
    names: dict[str, Any] = {"torch": torch}
    exec(source, names)
    graphs: list[list[str]] = []
    ran: list[str] = []  # the number of each graph, as often as it is called

    def note(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable[..., Any]:
        calls = [node.target for node in graph.graph.nodes if node.op.startswith("call")]
        graphs.append([call if isinstance(call, str) else call.__name__ for call in calls])
        number = str(len(graphs))

        def run(*args: torch.Tensor) -> Any:
            ran.append(number)
            return graph.forward(*args)

        return run

    torch._dynamo.reset()
    compiled = torch.compile(names["broken"], backend=note)
    with contextlib.redirect_stdout(io.StringIO()):
        compiled(torch.rand(8))
        assert graphs == [["sin", "norm"], ["sum", "gt"], ["mul", "cos"], ["sum"]]
        assert ran == ["1", "2", "3", "4", "4"]  # the key of two tensors
        compiled(-torch.rand(8))  # the lesson: a fifth graph
    assert graphs[4:] == [["cos"]]
    assert [who for who, _ in lesson_diagrams.RUNS] == [
        "1",
        "Python",
        "2",
        "Python",
        "3",
        "Python",
        "4",
    ]
    assert [(words, who) for words, who in parts if who in lesson_diagrams.GRAPHS] == [
        ("x.sin()", "1"),
        ("x.norm()", "1"),
        ("x.sum() > 0", "2"),
        ("y * 2", "3"),
        ("y.cos()", "3"),
        ("each.sum()", "4"),
    ]
