"""Pictures of lessons: words where the terminal cannot draw, a widget where it can, checked files."""

import struct
import zlib
from pathlib import Path

import pytest
import reading_course
from doing import seen, until
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from rich.console import ColorSystem

from tutor.authoring.check import faults
from tutor.base.terminal_graphics import Graphics
from tutor.ui.app import TutorApp
from tutor.ui.kit.widgets import pictures as images
from tutor.ui.lesson.screen import LessonScreen

SIXEL = Graphics("sixel", (9, 18))
WITH_PICTURE = reading_course.SECOND + "\n![A [roof] over bars.](images/roof.png)\n\nBelow it.\n"


def png(path: Path, width: int = 72, height: int = 28) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + bytes(range(width)) for _ in range(height))
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + data)


def lesson(app: TutorApp) -> Path:
    return app.course.root / "lessons" / "day-03-a-second-lesson.md"


async def opened(app: TutorApp, colours: ColorSystem = ColorSystem.EIGHT_BIT) -> str:
    app.record.activity.set_position(3, 0)
    app.console._color_system = colours
    async with app.run_test(size=(80, 40)) as pilot:
        await until(pilot, lambda: app.screen.is_running)
        app.open("lesson:3")
        await until(pilot, lambda: isinstance(app.screen, LessonScreen))
        await until(pilot, lambda: "Below it." in seen(app))
        await pilot.pause(0.2)
        return seen(app)


@pytest.mark.slow
async def test_the_words_stand_for_it_where_it_cannot_be_drawn(app: TutorApp) -> None:
    lesson(app).write_text(WITH_PICTURE)
    png(lesson(app).parent / "images" / "roof.png")
    assert "Picture: A [roof] over bars." in await opened(app)


async def test_it_is_drawn_where_it_can_be(app: TutorApp, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("textual_image")
    monkeypatch.setattr(images, "_graphics", SIXEL)
    lesson(app).write_text(WITH_PICTURE)
    png(lesson(app).parent / "images" / "roof.png")
    shown = await opened(app)
    assert "Picture:" not in shown
    assert 'q"1;1;648;252' in shown  # pixels: 72 by 14 cells of 9 by 18


async def test_half_blocks_draw_it_where_there_are_24_bit_colours(app: TutorApp) -> None:
    lesson(app).write_text(WITH_PICTURE)
    png(lesson(app).parent / "images" / "roof.png")
    shown = await opened(app, ColorSystem.TRUECOLOR)
    assert "Picture:" not in shown
    assert max(row.count("▀") for row in shown.split("\n")) > 60
    assert "A [roof] over bars." in shown  # below: letters of a picture are too small


@pytest.mark.slow
async def test_labels_of_a_picture_are_letters(app: TutorApp) -> None:
    lesson(app).write_text(WITH_PICTURE)
    info = PngInfo()
    info.add_text("Labels", '[[40, 10, 400, 40, "l", "the ridge at 153", "#ffffff", true]]')
    file = lesson(app).parent / "images" / "roof.png"
    file.parent.mkdir()
    Image.new("RGB", (720, 280), "#102030").save(file, pnginfo=info)
    assert "▀the ridge at 153▀" in await opened(app, ColorSystem.TRUECOLOR)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[[1]]",
        '{"a": 1}',
        "[1, 2]",
        '[[0, 0, 9, "x", "l", "a", "#ffffff"]]',
        '[[0, 0, 9, 9, "l", "a", "red[/b]"]]',
    ],
)
def test_a_faulty_chunk_of_labels_is_none(text: str) -> None:
    image = Image.new("RGB", (8, 8))
    image.info["Labels"] = text
    assert images.labels_of(image) == ()


@given(st.lists(st.tuples(st.integers(0, 700), st.integers(0, 270), st.text("ab ", max_size=30))))
def test_labels_never_cover_each_other(texts: list[tuple[int, int, str]]) -> None:
    labels = [images.Label(x, y, x + 20, y + 10, "m", words, "#fff") for x, y, words in texts]
    taken: set[tuple[int, int]] = set()
    for (column, row), label in images.place_labels(labels, (720, 280), (72, 14)).items():
        cover = {(at, row) for at in range(column, column + len(label.words))}
        assert not cover & taken
        assert 0 <= row < 14
        assert column >= 0
        taken |= cover


def test_a_palette_is_no_reason_for_rough_edges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pillow shrinks a picture in a palette by leaving out pixels."""
    pytest.importorskip("textual_image")
    monkeypatch.setattr(images, "_graphics", SIXEL)
    Image.new("P", (1296, 720)).save(tmp_path / "flat.png")
    drawn = images.make_picture(tmp_path / "flat.png", truecolour=False)
    assert drawn is not None
    assert drawn.image.mode == "RGB"


@given(st.integers(0, 20_000), st.integers(0, 20_000))
def test_any_picture_fits_a_page(width: int, height: int) -> None:
    columns, rows = images.fit_cells(width, height)
    assert 1 <= columns <= images.COLUMNS
    assert 1 <= rows <= images.ROWS


@pytest.mark.parametrize("content", [None, b"", b"\x89PNG\r\n\x1a\ncut"])
async def test_a_file_that_is_no_image_leaves_the_words(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    pytest.importorskip("textual_image")
    monkeypatch.setattr(images, "_graphics", SIXEL)
    lesson(app).write_text(WITH_PICTURE)
    if content is not None:
        (lesson(app).parent / "images").mkdir()
        (lesson(app).parent / "images" / "roof.png").write_bytes(content)
    assert "Picture: A [roof] over bars." in await opened(app)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![Bars.](images/roof.png)", None),
        ("![Bars.](images/gone.png)", "a PNG file"),
        ("![Bars.](images/text.png)", "a PNG file"),
        ("![](images/roof.png)", "words in its brackets"),
        ("![Bars.](../roof.png)", "images/NAME.png"),
        ("See ![Bars.](images/roof.png)", "a paragraph of its own"),
    ],
)
def test_a_course_check_looks_at_pictures(tmp_path: Path, text: str, expected: str | None) -> None:
    root = reading_course.write_course(tmp_path / "course")
    png(root / "lessons" / "images" / "roof.png")
    (root / "lessons" / "images" / "text.png").write_text("no image")
    file = root / "lessons" / "day-03-a-second-lesson.md"
    file.write_text(f"{reading_course.SECOND}\n{text}\n")
    said = [fault for fault in faults(root) if fault.field == "picture"]
    assert [fault.expected for fault in said if expected and expected in fault.expected] == [
        fault.expected for fault in said
    ]
    assert bool(said) is (expected is not None)
