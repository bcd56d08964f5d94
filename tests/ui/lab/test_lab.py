"""The lab: typed, saved, judged, and never lost."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from doing import SMALL, TINY, WIDE, Host, seen, show, until
from textual import events
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Static

from tutor.base import paths
from tutor.course.reading.wrong_answers import read_wrong_answers, wrong_answer
from tutor.judge.client import Event, Submission
from tutor.judge.model.verdict import CaseResult, Diagnosis, Repair, Sample, Timing, Verdict
from tutor.judge.reports.report import Report
from tutor.memory.store.rows import JudgedProgram
from tutor.ui.home.home import HomeScreen
from tutor.ui.lab.attempt_screen import AttemptScreen
from tutor.ui.lab.conflict_dialog import ConflictScreen
from tutor.ui.lab.mode import LabMode
from tutor.ui.lab.pages.hints import HintsPage
from tutor.ui.lab.pages.task import TaskPage
from tutor.ui.lab.screen import LabScreen
from tutor.ui.lab.split_panes import SplitPanes

SLUG = "vector_add"
BROKEN = "def add(x, y:\n    return x\n"
ENDLESS = "def add(x, y):\n    while True:\n        pass\n"


def lab_of(host: Host) -> LabScreen:
    screen = host.screen
    assert isinstance(screen, LabScreen)
    return screen


async def open_lab(pilot: Pilot[None], host: Host) -> LabScreen:
    await show(pilot, LabScreen(SLUG))
    lab = lab_of(host)
    lab.panes.show_side("editor")
    await pilot.pause()
    return lab


async def put(pilot: Pilot[None], lab: LabScreen, text: str) -> None:
    """Replace the editor's text as a learner would: select all, paste."""
    lab.document.editor.select_all()
    lab.app.post_message(events.Paste(text))
    await pilot.pause()


async def checked(pilot: Pilot[None], lab: LabScreen) -> Verdict:
    await pilot.press("f5")
    await until(pilot, lambda: not lab.judgement.running and not lab.judgement.redraw_pending)
    assert lab.judgement.report.verdict is not None, lab.judgement.report.trouble
    return lab.judgement.report.verdict


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_a_wrong_then_a_right_answer(host: Host, size: tuple[int, int]) -> None:
    exercise = host.course.exercise(SLUG)
    wrong = next(a for a in read_wrong_answers(exercise.folder) if "mask" in a.name)
    async with host.run_test(size=size) as pilot:
        lab = await open_lab(pilot, host)
        await put(pilot, lab, wrong.code)
        verdict = await checked(pilot, lab)
        assert not verdict.passed
        host.record.activity.hint_shown(SLUG, 1)
        lab.pane.of(HintsPage).show(1)
        await until(pilot, lambda: not lab.judgement.redraw_pending)
        text = seen(host)
        assert "✗ It reads outside a tensor" in text or "✗ Wrong" in text
        line = verdict.diagnosis[0].line
        assert f"{line}▸" in text.replace(" ", "")
        assert (paths.work_dir() / f"{SLUG}.py").read_text() == wrong.code

        await put(pilot, lab, exercise.solution.read_text())
        verdict = await checked(pilot, lab)
        assert verdict.passed
        assert f"✓ Right on {len(verdict.cases)} cases" in seen(host)
        assert lab.pane.of(HintsPage).title.startswith("hints 1/"), "what was shown stays"
        modes = (lab.mode, LabMode(for_review=True))  # of a lab that is opened again
        assert [mode.hints_shown(host.record, SLUG) for mode in modes] == [1, 0]
        await pilot.press("f6")
        await pilot.pause()
        assert "next: " in seen(host)
        assert "Right at the second try; it returns on " in seen(host)
        attempts = host.record.activity.attempts(SLUG)
        assert [attempt.passed for attempt in attempts] == [True, False]
        assert SLUG in host.record.activity.passed_exercises()
        for text, changed in ((wrong.code, True), (exercise.solution.read_text(), False)):
            lab.document.restore(text)
            await pilot.pause()
            line = str(lab.query_one("#strip", Static).render())
            assert ("✓ Right on" in line, "changed since" in line) == (True, changed)
        await pilot.press("f6")
        await pilot.press("c")
        await pilot.pause()
        assert "import triton" in seen(host)
        await pilot.press("escape")
        lab = await open_lab(pilot, host)
        assert lab.judgement.report.verdict == verdict  # the last verdict still speaks of this text


@pytest.mark.slow
async def test_the_line_below_the_editor_names_the_page_beside_it(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        lab = await open_lab(pilot, host)
        await put(pilot, lab, "def add(\n")
        await checked(pilot, lab)
        for page, words in (("hints", "the hints"), ("verdict", "the verdict")):
            lab.pane.open(page)
            await pilot.pause()
            assert f"F6 shows {words}" in str(lab.query_one("#strip", Static).render())


@pytest.mark.slow
async def test_each_verdict_begins_at_its_top(host: Host) -> None:
    exercise = host.course.exercise(SLUG)
    answers = read_wrong_answers(exercise.folder)
    wrong = next(answer for answer in answers if "mask" in answer.name).code
    async with host.run_test(size=SMALL) as pilot:
        lab = await open_lab(pilot, host)
        rows = lab.query_one("VerdictPage VerticalScroll")
        for code in (wrong, wrong.replace("BLOCK = 256", "BLOCK = 128")):
            await put(pilot, lab, code)
            await checked(pilot, lab)
            assert rows.scroll_y == 0
            lab.panes.show_side("pane")
            await until(pilot, lambda: rows.max_scroll_y)
            rows.scroll_end(animate=False)
            await until(pilot, lambda: rows.scroll_y)
            lab.panes.show_side("editor")


@pytest.mark.slow
async def test_saving_again_judges_the_newest_text(host: Host) -> None:
    exercise = host.course.exercise(SLUG)
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        await put(pilot, lab, ENDLESS)
        await pilot.press("f5")
        await pilot.pause(0.5)
        assert lab.judgement.running
        await put(pilot, lab, exercise.solution.read_text())
        assert (await checked(pilot, lab)).passed
        assert [attempt.passed for attempt in host.record.activity.attempts(SLUG)] == [True]


@pytest.mark.slow
async def test_leaving_while_judging_stores_no_attempt(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        await put(pilot, lab, ENDLESS)
        await pilot.press("f5")
        await pilot.pause(0.5)
        assert lab.judgement.running
        await pilot.press("escape", "escape")
        await pilot.pause(0.5)
        assert not isinstance(host.screen, LabScreen)
        assert host.record.activity.attempts(SLUG) == ()


@pytest.mark.slow
async def test_a_right_answer_on_its_way_as_the_lab_is_left_is_kept(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    came, left = threading.Event(), threading.Event()
    submit = host.judge.submit

    def held_up(submission: Submission) -> Iterator[Event]:
        for event in submit(submission):
            if isinstance(event, Verdict):
                came.set()
                assert left.wait(60)
            yield event

    monkeypatch.setattr(host.judge, "submit", held_up)
    host.notices = []  # type: ignore[attr-defined]
    wrong = JudgedProgram(SLUG, BROKEN, {"passed": False, "diagnosis": []}, False, "cpu")
    async with host.run_test(size=WIDE) as pilot:
        host.record.activity.attempt(wrong)
        await show(pilot, HomeScreen())
        lab = await open_lab(pilot, host)
        right = host.course.exercise(SLUG).solution.read_text()
        await put(pilot, lab, right)
        await pilot.press("f5")
        await until(pilot, came.is_set)
        host.pop_screen()
        await until(pilot, lambda: f"{SLUG} — last verdict: " in seen(host))
        assert len(host.record.activity.attempts(SLUG)) == 1
        left.set()
        await until(pilot, lambda: len(host.record.activity.attempts(SLUG)) == 2)
        assert host.record.activity.attempts(SLUG)[0].source == right
        await until(pilot, lambda: SLUG not in seen(host))  # home offers another one


@pytest.mark.slow
async def test_judging_can_be_stopped_while_typing_goes_on(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        await put(pilot, lab, ENDLESS)
        await pilot.press("f5", *"# on")
        assert lab.judgement.running
        assert lab.document.editor.text.endswith("# on")
        await until(pilot, lambda: re.search(r"judging · \d+ s of at most 10 s", seen(host)))
        await pilot.press("f10")
        await pilot.pause()
        assert not lab.judgement.running
        await until(pilot, lambda: "Stopped." in seen(host))
        await put(pilot, lab, BROKEN)
        assert not (await checked(pilot, lab)).passed
        assert len(host.record.activity.attempts(SLUG)) == 1


@pytest.mark.slow
async def test_typing_indents_like_python(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        await put(pilot, lab, "")
        await pilot.press(*"if x:", "enter", *"y", "enter", "backspace", *"z")
        assert lab.document.editor.text == "if x:\n    y\nz"


@pytest.mark.budget
async def test_unsaved_text_is_kept_within_two_seconds(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        before = lab.document.work.path.read_text()
        began = time.monotonic()
        await pilot.press(*"# mine")
        await until(pilot, lambda: host.record.activity.edits(SLUG), seconds=2)
        assert time.monotonic() - began < 2
        await until(
            pilot,
            lambda: host.record.activity.edits(SLUG)[0].text == lab.document.editor.text,
            seconds=2,
        )
        assert lab.document.work.path.read_text() == before
        assert "unsaved" in seen(host)


_TYPES_AND_IS_KILLED = """
import asyncio, os, signal, sys
sys.path.insert(0, sys.argv[1])
from doing import Host
from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.memory.record import open_record
from tutor.ui.lab.mode import LabMode
from tutor.ui.lab.screen import LabScreen
from tutor.ui.lab.split_panes import SplitPanes

async def main():
    course = open_course()
    app = Host(course, open_record(paths.record_file()), Judge(course.root))
    async with app.run_test(size=(120, 40)) as pilot:
        await app.push_screen(LabScreen("vector_add"))
        app.screen.panes.show_side("editor")
        await pilot.pause()
        await pilot.press(*"# typed before the end")
        await pilot.pause(2)
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.mark.slow
async def test_a_killed_program_gives_the_text_back(host: Host) -> None:
    here = str(Path(__file__).parents[1])
    ended = subprocess.run(
        [sys.executable, "-c", _TYPES_AND_IS_KILLED, here],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        assert lab.document.editor.text.startswith("# typed before the end")
        assert lab.document.unsaved
        assert "typed before" not in lab.document.work.path.read_text()


@pytest.mark.slow
async def test_the_file_is_followed(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        await pilot.press("x", "f5")
        await until(pilot, lambda: lab.document.saved_at is not None)
        lab.document.work.path.write_text(BROKEN)
        await until(pilot, lambda: lab.document.editor.text == BROKEN)
        assert lab.document.saved_at is None  # that time was of what the learner saved
        await until(pilot, lambda: lab.judgement.report.verdict is not None)
        assert host.record.activity.attempts(SLUG)[0].source == BROKEN


@pytest.mark.slow
@pytest.mark.parametrize("key", ["m", "t"])
@pytest.mark.parametrize("how", ["noticed", "when saving"])
async def test_two_changes_ask_and_lose_nothing(
    host: Host,
    key: str,
    how: str,
) -> None:
    async with host.run_test(size=SMALL) as pilot:
        lab = await open_lab(pilot, host)
        await pilot.press(*"# mine")
        mine = lab.document.editor.text
        lab.document.work.path.write_text(BROKEN)
        if how == "when saving":
            await pilot.press("f5")
        await until(pilot, lambda: isinstance(host.screen, ConflictScreen))
        assert lab.document.work.path.read_text() == BROKEN
        assert {mine, BROKEN} <= {edit.text for edit in host.record.activity.edits(SLUG)}
        await pilot.press("b")
        await pilot.pause()
        assert "--- mine" in seen(host)
        await pilot.press(key)
        await until(pilot, lambda: host.screen is lab)
        assert lab.document.editor.text == (mine if key == "m" else BROKEN)
        assert lab.document.work.path.read_text() == BROKEN
        assert host.record.activity.edits(SLUG)[0].text == lab.document.editor.text
        await pilot.press("f5")
        await until(pilot, lambda: not lab.judgement.running)
        assert lab.document.work.path.read_text() == lab.document.editor.text


@pytest.mark.slow
async def test_a_text_that_undo_brings_back_is_unsaved_where_the_file_has_another(
    host: Host,
) -> None:
    async with host.run_test(size=SMALL) as pilot:
        lab = await open_lab(pilot, host)
        before = lab.document.editor.text
        await pilot.press("x")
        lab.document.work.path.write_text(BROKEN)
        await until(pilot, lambda: isinstance(host.screen, ConflictScreen))
        await pilot.press("m")
        await until(pilot, lambda: host.screen is lab)
        await pilot.press("ctrl+z")
        assert lab.document.editor.text == before
        assert lab.document.unsaved
        assert lab.document.save()
        assert lab.document.work.path.read_text() == before
        assert not lab.document.unsaved


@pytest.mark.slow
async def test_a_key_that_comes_while_the_lab_opens_types_nothing(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SplitPanes, "show_side", lambda panes, side: None)  # not yet
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, LabScreen(SLUG))
        lab = lab_of(host)
        before = lab.document.editor.text
        await pilot.press("m")
        assert lab.document.editor.text == before
        assert not lab.document.editor.has_focus


@pytest.mark.slow
async def test_an_earlier_attempt_comes_back(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        await put(pilot, lab, BROKEN)
        await checked(pilot, lab)
        await put(pilot, lab, "# something else\n")
        await pilot.press("f8")
        await pilot.pause()
        assert "draft ·" not in seen(host)  # it is in the editor
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(host.screen, AttemptScreen))
        text = seen(host)
        assert "+# something else" in text
        assert "-def add(x, y:" in text
        assert "It does not compile" in text
        await pilot.press("b")
        await pilot.pause()
        assert "+def add(x, y:" in seen(host)
        await pilot.press("r")
        await until(pilot, lambda: host.screen is lab)
        assert lab.document.editor.text == BROKEN
        await pilot.press("f8")
        await pilot.pause()
        assert "draft · 1 line" in seen(host)
        assert "# something else\n" in {edit.text for edit in host.record.activity.edits(SLUG)}
        lab.document.editor.undo()
        assert lab.document.editor.text == "# something else\n"


async def test_enter_and_space_before_a_verdict(host: Host) -> None:
    async with host.run_test(size=SMALL, notifications=True) as pilot:
        await show(pilot, LabScreen(SLUG))
        task = lab_of(host).pane.of(TaskPage).query_one(VerticalScroll)
        await until(pilot, lambda: task.max_scroll_y)
        await pilot.press("enter")
        await until(pilot, lambda: "No verdict yet: Ctrl+S checks your file." in seen(host))
        await pilot.press("space")
        await until(pilot, lambda: task.scroll_y)


@pytest.mark.slow
async def test_the_untouched_starter_leads_to_the_first_hint(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        lab = await open_lab(pilot, host)
        await checked(pilot, lab)
        lab.action_page("verdict")
        await until(pilot, lambda: "This is still the starter" in seen(host))
        assert seen(host).count(" hint ") == 1, "the key of the hints stands in the footer"
        lab.action_hint()
        await until(pilot, lambda: "Hint 1 of" in seen(host))
        assert "From the last verdict" not in seen(host)


async def test_the_page_of_the_verdict_says_how_to_get_one(host: Host) -> None:
    async with host.run_test(size=SMALL) as pilot:
        lab = await open_lab(pilot, host)
        lab.action_page("verdict")
        await until(pilot, lambda: "Nothing is judged since this page was opened." in seen(host))
        await checked(pilot, lab)
        await until(pilot, lambda: "This is still the starter" in seen(host))
        assert "Nothing is judged" not in seen(host)


async def test_a_pass_has_no_key_to_the_ladder(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        for slug, offered in (("dead_code", False), (SLUG, True)):
            await show(pilot, LabScreen(slug))
            assert lab_of(host).check_action("ladder", ()) is offered
            assert (" ladder" in seen(host)) is offered, "in the footer too"


@pytest.mark.slow
async def test_the_hint_to_a_finding_besides_right_cases_speaks_of_no_wrong_case(
    host: Host,
) -> None:
    exercise = host.course.exercise("legal_schedule")
    wrong = wrong_answer(exercise.folder, "starts_at_the_origin")
    async with host.run_test(size=WIDE) as pilot:
        await show(pilot, LabScreen(exercise.slug))
        lab = lab_of(host)
        lab.panes.show_side("editor")
        await pilot.pause()
        await put(pilot, lab, wrong.code)
        await checked(pilot, lab)
        lab.action_hint()
        await until(pilot, lambda: "From the last verdict" in seen(host))
        assert "Every case is right" in seen(host)
        assert "smallest wrong case" not in seen(host)


@pytest.mark.slow
async def test_hints_tell_step_by_step_what_would_mend_the_answer(host: Host) -> None:
    exercise = host.course.exercise(SLUG)
    right = exercise.solution.read_text("utf-8")
    wrong = right.replace("offsets < n", "offsets <= n")
    assert wrong != right
    line = next(i for i, row in enumerate(wrong.split("\n"), 1) if "offsets <= n" in row)
    host.record.activity.attempt(JudgedProgram("tail", "", {"passed": True}, True, "cpu"))
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        await put(pilot, lab, wrong)
        await checked(pilot, lab)
        assert f"A change in line {line} makes all cases right" in seen(host)
        lab.action_hint()
        await until(pilot, lambda: "compares the wrong" in seen(host))
        lab.action_hint()  # what the author says of the same change
        await until(pilot, lambda: "Elements are numbered from 0" in seen(host))
        assert "The same change" not in seen(host)
        lab.action_hint()  # the same change in an exercise that is solved
        await until(pilot, lambda: "The same change in “Ten more, any length”" in seen(host))
        for level in range(1, len(exercise.hints) + 1):
            assert "offsets < n" not in str(lab.pane.of(HintsPage).repair.kind)
            lab.action_hint()
            await until(pilot, lambda level=level: f"Hint {level} of" in seen(host))
        assert "The change that makes" not in seen(host)
        lab.action_hint()
        await until(pilot, lambda: "The change that makes all cases right" in seen(host))
        change = lab.pane.of(HintsPage).repair.change
        assert any(row.startswith("+") and "offsets < n" in row for row in change.split("\n"))


@pytest.mark.slow
async def test_a_wrong_answer_that_was_shown_is_kept_though_the_next_ends_its_search(
    host: Host,
) -> None:
    right = host.course.exercise(SLUG).solution.read_text("utf-8")
    wrong = right.replace("offsets < n", "offsets <= n")
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        await put(pilot, lab, wrong)
        await pilot.press("f5")
        await until(pilot, lambda: lab.judgement.report.verdict is not None)
        await put(pilot, lab, right)
        verdict = await checked(pilot, lab)
        assert verdict.passed
        kept = [attempt.source for attempt in host.record.activity.attempts(SLUG)]
        assert kept == [right, wrong]


@pytest.mark.slow
async def test_hints_climb_and_are_recorded(host: Host) -> None:
    hints = host.course.exercise(SLUG).hints
    async with host.run_test(size=SMALL) as pilot:
        await open_lab(pilot, host)
        for level in range(1, len(hints) + 1):
            await pilot.press("f3")
            await pilot.pause()
            assert host.record.activity.hints_shown(SLUG) == level
            assert f"Hint {level} of {len(hints)}" in seen(host)
        rows = {row.strip() for row in seen(host).splitlines()}
        code = hints[-1].partition("```python\n")[2].partition("\n```")[0].splitlines()
        assert len(code) > 1
        assert rows >= {line.strip() for line in code}, "code keeps its lines"
        assert not any("```" in row or "python " in row for row in rows)
        await pilot.press("f3")
        assert host.record.activity.hints_shown(SLUG) == len(hints)


@pytest.mark.slow
async def test_each_new_hint_is_in_sight_on_a_small_screen(host: Host) -> None:
    hints = host.course.exercise("matmul_register_blocks").hints
    async with host.run_test(size=SMALL) as pilot:
        await show(pilot, LabScreen("matmul_register_blocks"))
        for level in range(1, len(hints) + 1):
            host.screen.action_hint()
            await pilot.pause()
            await until(
                pilot, lambda level=level: f"Hint {level} of {len(hints)}" in seen(host), 10
            )
            ends = hints[level - 1].replace("`", " ").split()[-1]
            assert ends in seen(host), f"the end of hint {level} is not in sight"


NASTY = "kernel[grid](x) [/red] [b] \x1b[2J\x00\x9b " + "x" * 10_000_000
REPORT = Report(source=NASTY).after(
    Verdict(
        SLUG,
        False,
        NASTY,
        cases=(CaseResult(NASTY, NASTY, False, float("inf"), 1e-6, note=NASTY),),
        diagnosis=(Diagnosis(NASTY, NASTY, 1, detail=NASTY),),
        timing=Timing(
            Sample(0.0477, (0.0475, 0.0479), 9), Sample(0.1054, (0.10, 0.11), 9), note=NASTY
        ),
        resources={"target": NASTY, "registers": 24, NASTY[:20]: NASTY},
        output=NASTY,
        versions={"torch": NASTY},
    )
)


TALL = (120, 90)  # such a verdict is long


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, TALL])
async def test_what_the_learner_wrote_is_never_markup(
    host: Host,
    size: tuple[int, int],
) -> None:
    async with host.run_test(size=size) as pilot:
        lab = await open_lab(pilot, host)
        lab.judgement.report = REPORT
        await pilot.press("f9")
        await until(pilot, lambda: "kernel[grid](x) [/red] [b]" in seen(host))
        text = seen(host)
        assert not any(code in text for code in "\x1b\x00\x9b")
        if size == TALL:
            assert "0.0477 ms" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x" * 10_000_000, "larger than"),
        (b"x = 1\n" + b"y" * 30_000, "line 2"),
        (b"caf\xe9 = 1\n", "UTF-8"),
    ],
    ids=["huge", "long line", "latin-1"],
)
async def test_a_file_that_cannot_be_edited_is_left_alone(
    host: Host,
    content: bytes,
    said: str,
) -> None:
    path = paths.work_dir() / f"{SLUG}.py"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        assert said in lab.document.trouble
        assert "cannot be edited here" in seen(host)
        await pilot.press("z", "f5", "escape", "escape")
        await pilot.pause()
        assert path.read_bytes() == content


@pytest.mark.slow
async def test_control_codes_in_a_file_are_shown_as_pictures(host: Host) -> None:
    path = paths.work_dir() / f"{SLUG}.py"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x = 1\x00\x1b[2J # [/red]\n")
    async with host.run_test(size=WIDE) as pilot:
        await open_lab(pilot, host)
        text = seen(host)
        assert "x = 1␀␛[2J # [/red]" in text


@pytest.mark.slow
async def test_a_huge_paste_is_refused(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        before = lab.document.editor.text
        host.post_message(events.Paste("x" * 10_000_000))
        await pilot.pause()
        assert lab.document.editor.text == before


@pytest.mark.slow
async def test_a_long_file_is_not_highlighted(host: Host) -> None:
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        assert lab.document.editor.language == "python"
        await put(pilot, lab, "x = 1\n" * 900)
        assert lab.document.editor.language is None
        assert lab.document.editor.cursor_location[0] == 900


@pytest.mark.slow
async def test_a_tiny_screen_does_not_crash(host: Host) -> None:
    async with host.run_test(size=TINY) as pilot:
        lab = await open_lab(pilot, host)
        lab.judgement.report = REPORT
        for key in ("f9", "f6", "f7", "f3", "f8", "f6", "x", "escape", "escape"):
            await pilot.press(key)
        await pilot.pause()


def test_the_editor_named_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tutor.base.errors import CannotHere
    from tutor.ui.editor import external_editor

    tool = tmp_path / "my editor"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("VISUAL", f"'{tool}' -x")
    assert external_editor.find_editor() == [str(tool), "-x"]
    assert external_editor.needs_terminal(["vim"])
    assert not external_editor.needs_terminal(["/usr/bin/code", "--wait"])
    assert external_editor.command_at_line(["vim"], Path("k.py"), 7) == ["vim", "+7", "k.py"]
    monkeypatch.setenv("VISUAL", "no-such-editor-here")
    with pytest.raises(CannotHere, match="no-such-editor-here"):
        external_editor.find_editor()


@pytest.mark.slow
async def test_hints_speak_of_what_is_wrong_beside_right_numbers(host: Host) -> None:
    case = CaseResult("a vector", "f32[5]", True, 0.0, 1e-6, 0.0)
    found = (Diagnosis("wrong-values", "It stores twice.", 1),)
    repair = Repair((1,), change="-    print(x)")
    async with host.run_test(size=WIDE) as pilot:
        lab = await open_lab(pilot, host)
        for right, title in ((True, "makes it right"), (False, "makes all cases right")):
            verdict = Verdict(SLUG, False, "cpu", (replace(case, passed=right),), found)
            report = Report(lab.document.editor.text, "").after(replace(verdict, repair=repair))
            lab.judgement.show(report)
            await until(pilot, lambda: not lab.judgement.redraw_pending)
            hints = lab.pane.of(HintsPage)
            hints.show(4)
            hints.show_change()
            said = "\n".join(block.plain for block in hints._blocks(100))
            assert f"The change that {title}" in said
            assert ("work out by hand" in said) != right, (
                "nothing to compute where numbers are right"
            )
