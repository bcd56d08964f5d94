"""A small course with two projects to choose from: offered on its second day, ended on its third."""

import re
import shutil
from pathlib import Path

from tutor.base import paths

DAYS = (("Before", "lesson"), ("Design", "project"), ("Evaluation", "project"))
EXERCISES = {"add_ten": 1, "tail": 2, "vector_add": 3, "fused_chain": 2, "row_softmax": 3}
OFFERED = """
[[project]]
name = "small"
title = "A small one"
why = "It is short."
needs = "Day 1"

[[project]]
name = "large"
title = "A large one"
why = "It is long."
needs = "Days 1 and 2"
"""


ASKED = """
```drill
id = "d02-why"
kind = "open"
prompt = "Why this one?"
model = "It is short."
points = ["a reason"]
explanation = "A choice has a reason."
```
"""


def milestone(slug: str, project: str, more: str = "") -> str:
    return f"""
[[milestone]]
exercise = "{slug}"
project = "{project}"
change = "{slug} anew"
shows = "It works."
{more}
"""


DESIGN = milestone("tail", "small", "promises = true") + milestone(
    "fused_chain", "large", "promises = true"
)
EVALUATION = DESIGN + milestone("vector_add", "small") + milestone("row_softmax", "large")


def write_choice(root: Path, offered: str = OFFERED, evaluation: str = EVALUATION) -> Path:
    """Write the course; its exercises are real ones, moved to its days."""
    for folder in ("lessons", "quizzes", "kernels"):
        (root / folder).mkdir(parents=True)
    heads = '[[phase]]\nnumber = 1\nname = "First"\n[[week]]\nnumber = 1\nname = "One"\n'
    days = "".join(
        f'[[day]]\nday = {day}\ntitle = "{title}"\nphase = 1\nweek = 1\nkind = "{kind}"\n'
        for day, (title, kind) in enumerate(DAYS, 1)
    )
    (root / "lessons" / "outline.toml").write_text(heads + days)
    extra = ("", offered + DESIGN, evaluation)
    for day, (title, _) in enumerate(DAYS, 1):
        (root / "lessons" / f"day-{day:02}-{title.lower()}.md").write_text(
            f'+++\nday = {day}\ntitle = "{title}"\nminutes = 200\nobjectives = ["Go on"]\n'
            f"{extra[day - 1]}+++\nRead.\n{ASKED if day == 2 else ''}"
        )
    for slug, day in EXERCISES.items():
        copied = root / "kernels" / slug
        shutil.copytree(paths.course_root() / "kernels" / slug, copied)
        toml = copied / "exercise.toml"
        toml.write_text(
            re.sub(r"^day = \d+$", f"day = {day}", toml.read_text("utf-8"), flags=re.M), "utf-8"
        )
    return root
