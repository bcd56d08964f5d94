"""Loops of a kernel, worked out from its text: which are known, and what their variables hold."""

import pytest

from tutor.judge.questions.loop_questions import find_loops, write_loop_question

HEAD = "BLOCK = 4\nBIG = 1\nBIG = 2\n\n\ndef k(x, n, STEP):\n"


def loops(body: str, program: tuple[int, int, int] = (1, 0, 0)) -> dict[str, range]:
    text = HEAD + "".join(f"    {line}\n" for line in body.split("\n"))
    found = find_loops(text, "k", {"n": 10, "STEP": 3}, program, (2, 1, 1))
    return {loop.name: loop.turns for loop in found}


@pytest.mark.parametrize(
    ("body", "turns"),
    [
        ("for s in range(0, n, STEP):\n    y = s", range(0, 10, 3)),
        ("for s in tl.range(tl.cdiv(n, BLOCK)):\n    y = s", range(3)),
        ("p = tl.program_id(0)\nfor s in range(p * BLOCK, n):\n    y = s", range(4, 10)),
        ("p = tl.program_id(axis=0).to(tl.int64)\np += 1\nfor s in range(p):\n    y = s", range(2)),
        ("g = tl.num_programs(0) * STEP\nfor s in range(0, n, g):\n    y = s", range(0, 10, 6)),
        ("e = tl.minimum(n, 7)\nfor s in range(e - 1, 0, -STEP):\n    y = s", range(6, 0, -3)),
        ("for s in range(0, n):\n    y = s\nfor s in range(0, 2):\n    y = s", range(2)),
    ],
)
def test_what_is_computed_from_whole_numbers_is_known(body: str, turns: range) -> None:
    assert loops(body) == {"s": turns}


@pytest.mark.parametrize(
    "body",
    [
        "for s in range(0, tl.load(x)):\n    y = s",  # a number from memory
        "n = tl.load(x)\nfor s in range(n):\n    y = s",
        "if n > 3:\n    n = 5\nfor s in range(n):\n    y = s",
        "for t in x:\n    n += 1\nfor s in range(n):\n    y = s",
        "for s in range(BIG):\n    y = s",  # given twice
        "for s in range(n - 11):\n    y = s",  # no turn
        "for s in range(n):\n    s += 1",  # changed on the way
        "for s in range(n):\n    y = s\ns = 0",  # and afterwards
        "for s in range((-n) // 3, 0):\n    y = s",  # Triton divides towards zero
        "for s in range(1 << 200):\n    y = s",
        "for s in range(0, n, 0):\n    y = s",
        "while n:\n    n -= 1",
    ],
)
def test_what_is_not_known_for_certain_is_not_asked(body: str) -> None:
    assert loops(body).get("s") is None


def test_another_function_and_a_text_that_is_no_python_have_no_loops() -> None:
    assert (
        find_loops(
            "def other(n):\n    for s in range(n): pass", "k", {"n": 2}, (0, 0, 0), (1, 1, 1)
        )
        == []
    )
    assert find_loops("def k(", "k", {}, (0, 0, 0), (1, 1, 1)) == []


def test_the_question_tells_typical_mistakes_apart() -> None:
    (loop,) = find_loops(
        "def k(n):\n    for s in range(0, n, 3):\n        y = s\n",
        "k",
        {"n": 10},
        (0, 0, 0),
        (1, 1, 1),
    )
    assert (loop.lines, loop.text) == (range(2, 4), "for s in range(0, n, 3):")
    words = write_loop_question(loop, "program 0")
    assert words["answer"] == 9
    assert words["prompt"] == (
        "Which number does `s` hold in the last turn of `for s in range(0, n, 3):` in program 0?"
    )
    assert words["explanation"] == "There: 0, 3, 6, …, 9. That is 4 turns."
    assert set(words["slips"]) == {"10", "4", "12"}
