"""Reading with tools: search, bookmarks, notes, words, links, copying. Real record, real index."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from answering import keep_answer
from doing import seen, until
from reading_course import LESSON, open_lesson
from textual.color import Color
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, TextArea

from tutor.base import paths
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.cells.cell_view import CellView
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.dialogs.explanation import EntryScreen
from tutor.ui.kit.dialogs.note import NoteScreen
from tutor.ui.lesson.page import Page
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.search import SearchScreen

MORE = """
## Where it leads

A kernel is told its `tl.load` and its tile. See [the misbehaving](lesson:1/three-that-misbehave), the
[tile](term:tile), and of `Day 4`, which is code.

Day 3 follows [Day 2].

```python
block = 1
```
"""
GLOSSARY = r"""
[[term]]
id = "tile"
term = "tile"
kind = "term"
says = "A block of [numbers] that one program owns."
source = "Ours"
days = [3]
[[term]]
id = "tl-load"
term = "tl.load"
kind = "op"
match = ['tl\.load']
in = ["python"]
says = "Reads a block."
source = "Ours"
"""


@pytest.fixture
def reader(app: TutorApp) -> TutorApp:
    """The small course, with a section that leads elsewhere and a glossary."""
    lessons = app.course.root / "lessons"
    (lessons / "day-01-counting-bytes.md").write_text(LESSON + MORE)
    (lessons / "glossary.toml").write_text(GLOSSARY)
    app.record.activity.set_position(1, 0)  # not the first start
    return app


async def at(pilot: Pilot[None], section: str) -> LessonScreen:
    """The lesson of Day 1 at a section, laid out."""
    app = pilot.app
    assert isinstance(app, TutorApp)
    await until(pilot, lambda: app.screen.is_running)
    app.open(f"lesson:1/{section}")
    await until(pilot, lambda: isinstance(app.screen, LessonScreen) and "section" in seen(app))
    screen = app.screen
    assert isinstance(screen, LessonScreen)
    await until(pilot, lambda: screen.query_one(Page).is_running and bool(screen.cells.session))
    return screen


@pytest.mark.slow
async def test_a_bookmark_is_on_disk_shown_listed_and_taken_away(reader: TutorApp) -> None:
    async with reader.run_test(notifications=True, size=(80, 24)) as pilot:
        screen = await at(pilot, "a-prediction")
        screen.query_one(Page).focus()
        await pilot.press("m")
        await until(pilot, lambda: "Bookmark set" in seen(reader))
        with closing(sqlite3.connect(paths.record_file())) as db:
            assert db.execute("SELECT day, item, ticked FROM ticks").fetchall() == [
                (1, "section:a-prediction", 1)
            ]
        reader.clear_notifications()
        await until(pilot, lambda: "◆  section 2 of 4" in seen(reader))
        await pilot.press("t")
        await until(pilot, lambda: "A prediction" in seen(reader) and "min" in seen(reader))
        row = next(line for line in seen(reader).split("\n") if "│" in line and "A predic" in line)
        assert "◆" in row
        await pilot.press("escape", "p")
        await until(pilot, lambda: "section 1 of 4" in seen(reader))
        await pilot.press("M")
        await until(pilot, lambda: "Day  1  A prediction" in seen(reader))
        await pilot.press("enter")
        await until(pilot, lambda: reader.screen is not screen and "section 2 of 4" in seen(reader))
        await pilot.press("m")
        await until(pilot, lambda: "removed" in seen(reader))
        assert reader.record.notes.bookmarks() == ()
        await pilot.press("q")
        await until(pilot, lambda: not isinstance(reader.screen, LessonScreen))


@pytest.mark.slow
async def test_a_note_is_kept_shown_searched_and_its_markup_is_text(reader: TutorApp) -> None:
    async with reader.run_test(notifications=True, size=(80, 24)) as pilot:
        await at(pilot, "where-it-leads")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(reader.screen, NoteScreen))
        assert "Your note to this section" in seen(reader)
        await pilot.press(*"Zebra [b]x", "f2")
        await until(pilot, lambda: "Note saved" in seen(reader))
        assert [n.text for n in reader.record.notes.section_notes()] == ["Zebra [b]x"]
        await until(pilot, lambda: "Zebra [b]x" in seen(reader))
        reader.clear_notifications()
        await until(pilot, lambda: "✎  section 4 of 4" in seen(reader))
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(reader.screen, SearchScreen))
        await pilot.press(*"zebra")
        await until(pilot, lambda: "your note · Day 1 · Where it leads" in seen(reader))
        await pilot.press("escape", "e")
        await until(pilot, lambda: isinstance(reader.screen, NoteScreen))
        reader.screen.query_one(TextArea).clear()
        await pilot.press("f2")
        await until(pilot, lambda: "removed" in seen(reader))
        assert reader.record.notes.section_notes() == ()
        assert "Your note  " not in seen(reader)


@pytest.mark.slow
async def test_a_note_that_cannot_be_stored_stays_in_the_editor(
    reader: TutorApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reader.run_test(notifications=True, size=(80, 24)) as pilot:
        await at(pilot, "where-it-leads")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(reader.screen, NoteScreen))
        full = reader.record.log.connection
        full.execute(f"PRAGMA max_page_count = {full.execute('PRAGMA page_count').fetchone()[0]}")
        reader.screen.query_one(TextArea).insert("keep me " * 500)
        await pilot.press("f2")
        await until(pilot, lambda: "full" in seen(reader))
        assert isinstance(reader.screen, NoteScreen)
        assert "keep me" in seen(reader)
        full.execute("PRAGMA max_page_count = 1000000")
        await pilot.press("f2")
        await until(pilot, lambda: "Note saved" in seen(reader))
        assert reader.record.notes.section_notes()[0].text.startswith("keep me keep me")


@pytest.mark.slow
async def test_words_of_a_section_are_explained_and_lead_on(reader: TutorApp) -> None:
    async with reader.run_test(notifications=True, size=(80, 24)) as pilot:
        screen = await at(pilot, "where-it-leads")
        await pilot.press("w")
        await until(pilot, lambda: isinstance(reader.screen, ChooseScreen))
        assert "tl.load" in seen(reader)
        assert "A block of [numbers]" in seen(reader)
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(reader.screen, EntryScreen))
        assert "that one program owns" in seen(reader)
        await pilot.press("enter")
        await until(pilot, lambda: "A second lesson" in seen(reader) and "One page" in seen(reader))
        await pilot.press("escape")
        await until(pilot, lambda: reader.screen is screen)


@pytest.mark.slow
async def test_links_are_listed_followed_and_come_back_to_the_row(reader: TutorApp) -> None:
    async with reader.run_test(notifications=True, size=(80, 10)) as pilot:
        screen = await at(pilot, "where-it-leads")
        page = screen.query_one(Page)
        await pilot.press("end")
        await until(pilot, lambda: page.scroll_y > 0)
        row = page.scroll_y
        await pilot.press("o")
        await until(pilot, lambda: isinstance(reader.screen, ChooseScreen))
        listed = reader.screen.query_one(OptionList)
        assert listed.option_count == 4  # the section, the term, Day 3, Day 2
        await pilot.press("enter")
        await until(pilot, lambda: "section 3 of 4" in seen(reader))
        await pilot.press("escape")
        await until(pilot, lambda: "section 4 of 4" in seen(reader) and page.scroll_y == row)
        await pilot.press("o", "down", "down", "enter")
        await until(pilot, lambda: "One page" in seen(reader))
        await pilot.press("escape")
        await until(pilot, lambda: reader.screen is screen and page.scroll_y == row)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(reader.screen, LessonScreen))


async def test_a_day_in_a_sentence_is_followed_by_the_mouse(reader: TutorApp) -> None:
    async with reader.run_test(notifications=True, size=(80, 24)) as pilot:
        await at(pilot, "where-it-leads")
        rows = seen(reader).split("\n")
        line = next(i for i, row in enumerate(rows) if "Day 3 follows" in row)
        await pilot.click(offset=(rows[line].index("Day 3") + 1, line))
        await until(pilot, lambda: "One page" in seen(reader))


@pytest.mark.slow
async def test_the_cells_of_a_lesson_outlive_a_link(reader: TutorApp) -> None:
    async with reader.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await at(pilot, "counting-bytes")
        await pilot.press("x")
        await until(pilot, lambda: "n is 42" in seen(reader))
        await screen.open_target("day:3")
        await until(pilot, lambda: "One page" in seen(reader))
        await pilot.press("escape")
        await until(pilot, lambda: reader.screen is screen)
        assert "n is 42" in seen(reader)


@pytest.mark.slow
async def test_search_finds_as_one_types_and_enter_goes_there(reader: TutorApp) -> None:
    async with reader.run_test(notifications=True, size=(80, 24)) as pilot:
        screen = await at(pilot, "counting-bytes")
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(reader.screen, SearchScreen))
        await pilot.press(*"mis")
        await until(pilot, lambda: "Three that misbehave" in seen(reader))
        await pilot.press(*"behave")
        await until(pilot, lambda: "1 place" in seen(reader) or "2 places" in seen(reader))
        for theme in ("tutor-light", "terminal-dark", "tutor-dark"):  # the field has the keyboard
            reader.theme = theme
            await pilot.pause()
            rows = reader.screen.query_one(OptionList)
            ground = rows.get_visual_style("option-list--option-highlighted").background
            assert ground == Color.parse(reader.theme_variables["block-cursor-background"])
        await pilot.press("enter")
        await until(pilot, lambda: "section 3 of 4" in seen(reader))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(reader.screen, SearchScreen))
        assert reader.screen.query_one(Input).value == "misbehave"
        await pilot.press(*[" ", '"', "*", "(", "A", "N", "D"])
        await until(pilot, lambda: reader.screen.query_one(Input).value.endswith("AND"))
        await pilot.press("escape")
        await until(pilot, lambda: reader.screen is screen)


@pytest.mark.slow
async def test_search_shows_an_explanation_only_after_the_answer(reader: TutorApp) -> None:
    async with reader.run_test(notifications=True, size=(80, 24)) as pilot:
        await at(pilot, "counting-bytes")
        await pilot.press("slash", *"one more than")
        await until(pilot, lambda: isinstance(reader.screen, SearchScreen))
        await until(pilot, lambda: "nothing has" in seen(reader) or "none with all" in seen(reader))
        assert "explanation" not in seen(reader)
        keep_answer(reader.record, "d01-how-many", 1, 43, True, 1.0, None, 1.0, "predict")
        await pilot.press("escape", "slash", *"one more than")
        await until(pilot, lambda: "explanation" in seen(reader))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(reader.screen, EntryScreen))
        assert "How many?" in seen(reader)


def tool(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


async def copied(reader: TutorApp, words: str) -> str:
    """Copy the only block of code of the last section; what the screen says of it."""
    async with reader.run_test(notifications=True, size=(120, 24)) as pilot:
        await at(pilot, "where-it-leads")
        await pilot.press("y")
        await until(pilot, lambda: words in seen(reader))
        return seen(reader)


@pytest.mark.slow
async def test_a_program_of_the_desktop_copies_and_is_named(
    reader: TutorApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """xclip leaves a process that owns the clipboard and holds every pipe it was given."""
    tool(tmp_path / "bin", "wl-copy", "exit 1")
    tool(tmp_path / "bin", "xclip", f'cat > "{tmp_path}/got"; (sleep 5 &)')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setenv("DISPLAY", ":0")
    await copied(reader, "copied by xclip")
    assert (tmp_path / "got").read_text() == "block = 1\n"


@pytest.mark.slow
async def test_without_a_display_the_terminal_and_a_file_get_it(
    reader: TutorApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("wl-copy", "xclip", "xsel"):
        tool(tmp_path / "bin", name, f'touch "{tmp_path}/called"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin:/bin")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    await copied(reader, "OSC 52")
    assert not (tmp_path / "called").exists()
    assert reader.clipboard == "block = 1\n"
    assert (paths.cache_dir() / "copied.txt").read_text() == "block = 1\n"


def test_bookmarks_and_notes_travel_with_an_export(tmp_path: Path) -> None:
    here, there = open_record(tmp_path / "a.sqlite3"), open_record(tmp_path / "b.sqlite3")
    here.notes.set_bookmark(22, "masks", True)
    here.notes.set_bookmark(22, "gone", True)
    here.notes.set_bookmark(22, "gone", False)
    here.notes.write(22, "masks", "first")
    here.notes.write(22, "masks", "second \ud800")
    here.checkpoints.tick(14, "can", True)
    here.checkpoints.add_reflection(14, "shaky", "Masks.", 240)
    here.export(tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text().splitlines()
    for _ in range(2):  # twice changes nothing
        there.merge(lines, "all.jsonl")
        assert there.notes.bookmarks() == ((22, "masks"),)
        assert [(n.day, n.slug, n.text) for n in there.notes.section_notes()] == [
            (22, "masks", "second ?")
        ]
        assert there.checkpoints.ticks(14) == {"can": True}
        assert there.checkpoints.ticks(22) == {}
        assert [row.text for row in there.checkpoints.reflections()] == ["Masks."]
    here.close()
    there.close()


@pytest.mark.slow
async def test_a_cell_without_a_function_names_the_one_that_has_one(app: TutorApp) -> None:
    more = "\n```python run\ndef twice(x):\n    return 2 * x\n```\n"
    file = next(Path(app.course.root, "lessons").glob("day-01-*.md"))
    file.write_text(LESSON.replace("\n## A prediction", f"{more}\n## A prediction"))
    async with app.run_test(notifications=True, size=(80, 40)) as pilot:
        screen = await open_lesson(pilot)
        next(iter(screen.query(CellView))).focus()
        await pilot.press("l")
        said = "This cell defines no function to lower; cell 2 of this page does."
        await until(pilot, lambda: said in seen(app))
        await pilot.press("escape", "n")
        await until(pilot, lambda: "section 2 of 3" in seen(app))
        await pilot.press("l")
        await until(pilot, lambda: "No cell of this page defines a function" in seen(app))
