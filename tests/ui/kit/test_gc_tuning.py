"""What a closed screen took is free once the learner reads; what was typed there is not lost."""

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from doing import WIDE, until
from textual._styles_cache import StylesCache
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.core import gc_tuning
from tutor.ui.lab.screen import LabScreen
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.search import SearchScreen

pytestmark = pytest.mark.slow

SLUG = "vector_add"


@pytest.fixture
def tutor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TutorApp]:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    course, record = open_course(), open_record(paths.record_file())
    record.activity.section_read(22, 0)
    with Judge(course.root) as judge:
        yield TutorApp(course, record, judge)
    record.close()
    gc.collect()
    gc.freeze()  # as it was: see `tests/conftest.py`


async def at(pilot: Pilot[None], kind: type[Screen[None]]) -> Screen[None]:
    await until(pilot, lambda: isinstance(pilot.app.screen, kind))
    await pilot.pause()
    return pilot.app.screen


async def visit(pilot: Pilot[None], tutor: TutorApp) -> list[weakref.ref[Widget]]:
    """Lab, search and lesson, opened and closed."""
    gone: list[weakref.ref[Widget]] = []
    tutor.open(f"exercise:{SLUG}")
    lab = await at(pilot, LabScreen)
    gone += [weakref.ref(lab), weakref.ref(lab.query_one(CodeEditor))]
    tutor.pop_screen()
    await at(pilot, HomeScreen)
    await pilot.press("slash")
    search = await at(pilot, SearchScreen)
    await pilot.press(*"tile")
    await until(pilot, lambda: search.query_one(OptionList).option_count > 0)
    gone.append(weakref.ref(search))
    await pilot.press("escape")
    await at(pilot, HomeScreen)
    tutor.open("lesson:22")
    gone.append(weakref.ref(await at(pilot, LessonScreen)))
    tutor.pop_screen()
    await at(pilot, HomeScreen)
    return gone


async def test_closed_screens_are_free(tutor: TutorApp) -> None:
    async with tutor.run_test(size=WIDE) as pilot:
        await at(pilot, HomeScreen)
        await pilot.pause(0.2)  # the judge's start: threads are ours from now on
        gone = await visit(pilot, tutor)

        def all_free() -> bool:
            gc_tuning.collect(tutor)
            return not any(each() for each in gone)

        await until(pilot, all_free)
        gc.unfreeze()
        shown = {id(w._styles_cache) for s in tutor.screen_stack for w in s.walk_children()}
        shown |= {id(screen._styles_cache) for screen in tutor.screen_stack}
        drawn = [o for o in gc.get_objects() if isinstance(o, StylesCache)]
        kept = [cache for cache in drawn if cache._cache and id(cache) not in shown]
        assert kept == []


async def test_leaving_from_the_lab_keeps_its_text(tutor: TutorApp) -> None:
    async with tutor.run_test(size=WIDE) as pilot:
        tutor.open(f"exercise:{SLUG}")
        lab = await at(pilot, LabScreen)
        assert isinstance(lab, LabScreen)
        editor = lab.document.editor
        editor.focus()
        await pilot.press(*"xyz", "ctrl+q")
    assert "xyz" in editor.text
    assert lab.document.work.path.read_text("utf-8") == editor.text


async def test_a_palette_closed_in_the_middle_of_a_search(tutor: TutorApp) -> None:
    async with tutor.run_test(size=WIDE) as pilot:
        await at(pilot, HomeScreen)
        for _ in range(3):
            await pilot.press("colon")
            await until(pilot, lambda: isinstance(tutor.screen, CommandPalette))
            tutor.screen.query_one(Input).value = "tile"  # and not a moment for its search
            await pilot.press("escape", "escape")
            await at(pilot, HomeScreen)
        assert tutor._exception is None


async def test_enter_on_a_hit_that_is_no_longer_listed(tutor: TutorApp) -> None:
    async with tutor.run_test(size=WIDE) as pilot:
        await at(pilot, HomeScreen)
        await pilot.press("slash")
        search = await at(pilot, SearchScreen)
        await pilot.press(*"tile")
        hits = search.query_one(OptionList)
        await until(pilot, lambda: hits.option_count > 0)
        hits.action_select()  # its message waits while the list is made anew
        hits.clear_options()
        await until(pilot, lambda: tutor.screen is not search)
        assert tutor._exception is None
