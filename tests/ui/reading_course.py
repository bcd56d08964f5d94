"""The files of a course of three days, and the way to a page of its first lesson."""

from pathlib import Path

from doing import until
from textual.pilot import Pilot

from tutor.ui.app import TutorApp
from tutor.ui.home.home import HomeScreen
from tutor.ui.lesson.screen import LessonScreen

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

LESSON = """\
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
"""

SECOND = """\
+++
day = 3
title = "A second lesson"
minutes = 10
objectives = ["Nothing"]
+++
One page.
"""


def write_course(root: Path) -> Path:
    for folder in ("lessons", "quizzes", "kernels"):
        (root / folder).mkdir(parents=True)
    (root / "lessons" / "outline.toml").write_text(OUTLINE)
    (root / "lessons" / "day-01-counting-bytes.md").write_text(LESSON)
    (root / "lessons" / "day-03-a-second-lesson.md").write_text(SECOND)
    return root


async def open_lesson(pilot: Pilot[None], day: int = 1, section: int = 0) -> LessonScreen:
    """The lesson's page, laid out to its end."""
    app = pilot.app
    assert isinstance(app, TutorApp)
    app.record.activity.set_position(day, section)
    await until(pilot, lambda: isinstance(app.screen, HomeScreen))
    app.open(f"lesson:{day}")
    await until(pilot, lambda: isinstance(app.screen, LessonScreen) and app.screen.is_running)
    await pilot.pause(0.2)
    assert isinstance(app.screen, LessonScreen)
    return app.screen
