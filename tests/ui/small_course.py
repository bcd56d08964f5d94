"""A course of three days written to a folder, and the real application over it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from doing import seen, until

from tutor import paths
from tutor.course import open_course
from tutor.judge.client import Judge
from tutor.memory import open_record
from tutor.ui.app import TutorApp
from tutor.ui.screens.home import HomeScreen
from tutor.ui.screens.lesson import LessonScreen

__all__ = ["app", "course_root", "open_lesson", "seen", "until"]

OUTLINE = """\
[[phase]]
number = 1
name = "Foundations"
[[phase]]
number = 2
name = "Compilers"
[[week]]
number = 1
name = "First week"
[[day]]
day = 1
title = "Counting bytes"
phase = 1
week = 1
kind = "lesson"
goal = "Count them."
[[day]]
day = 2
title = "Not there yet"
phase = 1
week = 1
kind = "lesson"
[[day]]
day = 3
title = "A second lesson"
phase = 2
week = 1
kind = "project"
"""

LESSON = '''\
+++
day = 1
title = "Counting bytes"
minutes = 30
objectives = ["Count [bytes] before you run"]
sources = [{ id = "the-page", title = "A page", version = "v1", url = "https://example.org/p" }]
+++
The first section cites [the-page]. Square [brackets] and <T> stay as they are.

```python run
n = 6 * 7
print("n is", n, "\\x1b[31m[/b]")
```

## A prediction

```predict
id = "d01-how-many"
kind = "number"
prompt = "How many?"
answer_from = "n + 1"
explanation = "One more than n."
```

```python run
print("now", n + 1)
```
expect: now 43

## Three that misbehave

```python run
for i in range(1000):
    print("line", i)
```

```python run
import time
print("before", flush=True)
time.sleep(9)
```

```python run
1 / 0
```

```python run gpu
import torch; print(torch.cuda.get_device_name())
```
'''

SECOND = """\
+++
day = 3
title = "A second lesson"
minutes = 10
objectives = ["Nothing"]
+++
One page.
"""


@pytest.fixture
def course_root(tmp_path: Path) -> Path:
    root = tmp_path / "course"
    (root / "lessons").mkdir(parents=True)
    (root / "quizzes").mkdir()
    (root / "kernels").mkdir()
    (root / "lessons" / "outline.toml").write_text(OUTLINE)
    (root / "lessons" / "day-01-counting-bytes.md").write_text(LESSON)
    (root / "lessons" / "day-03-a-second-lesson.md").write_text(SECOND)
    return root


@pytest.fixture
def app(course_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TutorApp]:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    record = open_record(paths.record_file())
    judge = Judge(course_root)
    yield TutorApp(open_course(course_root), record, judge)
    judge.close()
    record.close()


async def open_lesson(pilot, day: int = 1, section: int = 0) -> LessonScreen:  # type: ignore[no-untyped-def]
    """The lesson's page, laid out to its end."""
    app = pilot.app
    app.record.set_position(day, section)
    await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    app.open_lesson(day)
    await until(pilot, lambda: isinstance(app.screen, LessonScreen) and app.screen.is_running)
    await pilot.pause(0.2)
    return app.screen
