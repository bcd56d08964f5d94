"""Writes small courses for these tests: a valid one, to be broken one line at a time."""

from pathlib import Path

OUTLINE = """\
[[phase]]
number = 1
name = "First"

[[week]]
number = 1
name = "Week one"

[[day]]
day = 1
title = "One"
phase = 1
week = 1
kind = "lesson"
goal = "Start."

[[day]]
day = 2
title = "Two"
phase = 1
week = 1
kind = "checkpoint"
"""

LESSON = """\
+++
day = 1
title = "One"
minutes = 10
objectives = ["Add"]
sources = [{ id = "torch-add", title = "torch.add", version = "torch 2.13" }]
+++

Adding is old [torch-add].

## Cells

```predict
id = "d01-sum"
kind = "number"
prompt = "How much?"
answer_from = "total"
explanation = "One and one."
```

```python run
total = 1 + 1
print(total)
```
expect: 2

> A note.

## Last

The end.
"""

DRILL = """\
```drill
id = "d01-repair"
kind = "code"
prompt = "Repair it."
exercise = "tail"
wrong = "no_mask"
explanation = "Lanes past the end touch nothing."
```
"""

QUIZ_HEAD = 'day = 1\ntitle = "One"\n\n'

QUESTION_HEAD = """\
[[question]]
id = "d01-q"
prompt = "Which?"
explanation = "Because."
"""

KINDS = {
    "choice": """kind = "choice"
options = { a = "yes", b = "no" }
answer = "a"
feedback = { b = "tempting" }
""",
    "multi": """kind = "multi"
options = { a = "yes", b = "no", c = "also" }
answer = ["a", "c"]
feedback = { b = "tempting" }
""",
    "number": """kind = "number"
answer = 156.0
unit = "FLOP/B"
tolerance = 0.02
""",
    "text": """kind = "text"
answer = "tl.program_id"
accept = ["program_id"]
""",
    "order": """kind = "order"
items = { a = "x", b = "y" }
answer = ["b", "a"]
""",
    "match": """kind = "match"
left = { a = "x", b = "y" }
right = { p = "1", q = "2" }
answer = { a = "q", b = "p" }
""",
    "fill": """kind = "fill"
code = "f({1}, {2})"
answer = ["mask", "other"]
accept = [["m"], []]
""",
    "line": """kind = "line"
code = "one()\\ntwo()\\n"
answer = 2
tempting = { 1 = "no" }
""",
    "predict": """kind = "predict"
as = "number"
code = "x = 2"
answer_from = "x + 1"
""",
    "open": """kind = "open"
model = "Long."
points = ["one", "two"]
""",
}

EXERCISE = """\
title = "Add"
day = 1
kind = "kernel"
entry = "add(x, y)"
minutes = 5
needs = ["triton"]
task = "Write it."
hints = ["a", "b", "c"]
[[promise]]
id = "sum"
text = "Write it"
broken_by = ["minus"]
"""

REFERENCE = """\
def reference(x, y):
    return x + y

eager = reference

def work(x, y):
    return None

CASES = ()
"""


WRONG = "# expect: wrong-values\ndef add(x, y):\n    return x - y\n"


def quiz(kind: str) -> str:
    return QUIZ_HEAD + QUESTION_HEAD + KINDS[kind]


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def course(root: Path) -> Path:
    """A course of two days without a mistake."""
    return write(
        root,
        {
            "lessons/outline.toml": OUTLINE,
            "lessons/day-01-one.md": LESSON,
            "quizzes/day-01.toml": quiz("choice"),
            "kernels/add/exercise.toml": EXERCISE,
            "kernels/add/starter.py": "def add(x, y):\n    raise NotImplementedError\n",
            "kernels/add/solution.py": "def add(x, y):\n    return x + y\n",
            "kernels/add/reference.py": REFERENCE,
            "kernels/add/wrong/minus.py": WRONG,
        },
    )
