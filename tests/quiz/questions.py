"""Questions of every kind: a few by hand, and hypothesis strategies that draw any."""

from typing import Any

from hypothesis import strategies as st

from tutor.course.model import QUESTION_KINDS, AskedQuestion


def question(kind: str, **fields: Any) -> AskedQuestion:
    given = {"id": f"d22-{kind}", "prompt": "Which?", "explanation": "Because.", "day": 22}
    return AskedQuestion(kind=kind, **{**given, **fields})


CHOICE = question(
    "choice",
    options={"a": "one", "b": "two", "c": "three"},
    answer="b",
    feedback={"a": "That is the grid.", "c": "That is the block."},
)
MULTI = question(
    "multi",
    options={"a": "A", "b": "B", "c": "C", "d": "D"},
    answer=("a", "c"),
    feedback={"b": "No load.", "d": "No store."},
)
NUMBER = question("number", answer=156.0, unit="FLOP/B", tolerance=0.02)
TEXT = question("text", answer="tl.program_id", accept=("program_id",))
SPAN = question("number", answer=4, interval=(3, 6))
WORD = question("text", answer="arithmetic intensity")
ORDER = question("order", items={"a": "A", "b": "B", "c": "C"}, answer=("c", "a", "b"))
MATCH = question(
    "match",
    left={"a": "grid", "b": "block"},
    right={"x": "programs", "y": "lanes", "z": "none"},
    answer={"a": "x", "b": "y"},
)
FILL = question(
    "fill",
    code="tl.load(p, {1}=m, {2}=0.0)",
    answer=("mask", "other"),
    accept=((), ("other ",)),
)
LINE = question("line", code="a\nb\nc", answer=1, tempting={2: "This one is right."})
LINES = question("line", code="a\nb\nc", answer=(1, 3))
PREDICT = question(
    "predict", code="n = 2", answer_from="n", as_kind="number", unit="", tolerance=None
)
OPEN = question("open", model="Because of masks.", points=("masks", "lanes", "padding"))

words = st.text("abcdefghij._()'\"=<>-+", min_size=1, max_size=12)
keys = st.lists(st.text("abcdefgh", min_size=1, max_size=2), min_size=2, max_size=6, unique=True)
numbers = st.one_of(
    st.integers(-(10**12), 10**12),
    st.floats(-1e12, 1e12).filter(lambda x: x == 0 or abs(x) > 1e-6),
)


CLOSED = tuple(kind for kind in QUESTION_KINDS if kind not in ("predict", "open", "code"))


@st.composite
def any_question(draw: st.DrawFn) -> AskedQuestion:
    kind = draw(st.sampled_from(CLOSED))
    names = draw(keys)
    texts = {name: f"text {name}" for name in names}
    if kind == "choice":
        return question(kind, options=texts, answer=draw(st.sampled_from(names)))
    if kind == "multi":
        answer = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        return question(kind, options=texts, answer=tuple(answer))
    if kind == "number":
        unit = draw(st.sampled_from(["", "GB/s", "FLOP/B", "TFLOPS", "programs", "%", "ms"]))
        tolerance = draw(st.none() | st.floats(0, 0.1))
        return question(kind, answer=draw(numbers), unit=unit, tolerance=tolerance)
    if kind == "text":
        return question(kind, answer=draw(words), accept=tuple(draw(st.lists(words, max_size=2))))
    if kind == "order":
        return question(kind, items=texts, answer=tuple(draw(st.permutations(names))))
    if kind == "match":
        right = {f"x{i}": "…" for i in range(3)}
        partners = st.sampled_from(sorted(right))
        return question(
            kind, left=texts, right=right, answer={name: draw(partners) for name in names}
        )
    if kind == "fill":
        answer = tuple(draw(st.lists(words, min_size=1, max_size=4)))
        blanks = " ".join(f"{{{i}}}" for i in range(1, len(answer) + 1))
        return question(kind, code=f"f({blanks})", answer=answer)
    if kind == "line":
        count = draw(st.integers(1, 9))
        return question(kind, code="x\n" * count + "y", answer=draw(st.integers(1, count + 1)))
    raise ValueError(f"No question of kind {kind} is drawn here yet.")


def right_value(q: AskedQuestion) -> Any:
    """The answer as a learner's value: JSON has lists where a question has tuples."""
    return list(q.answer) if isinstance(q.answer, tuple) else q.answer
