"""The README's picture, taken from the real application: a wrong kernel, judged by running it.

`TUTOR_WRITE_IMAGES=1 pytest tests/ui/test_screenshot.py` writes it to docs/images/ again.
"""

import os
from pathlib import Path

from doing import seen, until

from tutor import paths
from tutor.course import open_course
from tutor.judge.client import Judge
from tutor.memory import open_record
from tutor.ui.app import TutorApp
from tutor.ui.screens.lab import LabScreen

IMAGE = Path(__file__).resolve().parents[2] / "docs" / "images" / "lab.svg"


async def test_the_readme_shows_the_lab_as_it_is(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    course = open_course()
    wrong = course.exercise("row_softmax").folder / "wrong" / "padding_wins_the_maximum.py"
    paths.ensure(paths.work_dir())
    text = "".join(wrong.read_text().splitlines(keepends=True)[1:])  # without `# expect:`
    (paths.work_dir() / "row_softmax.py").write_text(text)
    record, judge = open_record(paths.record_file()), Judge(course.root)
    app = TutorApp(course, record, judge)
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            lab = LabScreen("row_softmax")
            await app.push_screen(lab)
            lab.show_side("editor")
            await pilot.press("f5")
            await until(pilot, lambda: not lab.judging and not lab.redraw_pending)
            screen = seen(app)
            picture = app.export_screenshot(title="tutor")
    finally:
        judge.close()
        record.close()
    assert lab.report.verdict is not None
    assert lab.report.verdict.diagnosis[0].code == "missing-mask"
    right_side = " ".join(" ".join(row.split("│")[-1] for row in screen.splitlines()).split())
    assert "with -inf in them the answer is right" in right_side
    if os.environ.get("TUTOR_WRITE_IMAGES"):
        IMAGE.write_text(picture, encoding="utf-8")
    assert "row_softmax" in IMAGE.read_text(encoding="utf-8")
