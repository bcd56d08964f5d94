"""Reads one question of any kind, from a quiz or from a lesson's `predict` or `drill` fence.

Each kind's function asks its table for the fields that docs/course-format.md lists for it and
checks them against each other. What a function did not ask for, `Table.finish` reports.
"""

import re
import tokenize
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from tutor.course.model import QUESTION_KINDS, Look, Question
from tutor.course.reading.faults import CourseFault, format_value, read_course_file
from tutor.course.reading.python_source import mode_of, syntax_error
from tutor.course.reading.toml_table import Table, is_finite_number, is_integer
from tutor.course.reading.variants import check_variants, read_params
from tutor.course.reading.wrong_answers import without_hints, wrong_answer

COMPUTED_KINDS = ("number", "text", "choice")  # what a `predict` question may be answered as
ALL_PAIRS = "all"  # of an order question: `before` where no two items may be exchanged
LONGEST_CODE = 20_000  # characters of a program that a question begins with, or that answers it
SLIP_KINDS = ("number", "text", "fill", "order")  # a wrong answer of theirs may have its sentence
_ID = r"[a-z0-9]+(-[a-z0-9]+)*"
_BLANK = re.compile(r"\{(\d+)\}")


def read_question(table: Table, day: int, *, prediction: bool = False) -> Question | None:
    """The question of `table`, or None with the reasons in `toml_table.faults`.

    A prediction may take its answer from what the lesson's next cell leaves behind (`answer_from`);
    in a quiz only the kind `predict` has a computed answer.
    """
    before = len(table.faults)
    kind = table.one_of("kind", QUESTION_KINDS)
    if not kind:
        return None  # without a kind, no other field can be judged
    fields: dict[str, Any] = {
        "id": table.matching("id", _ID, "lower-case words joined by hyphens"),
        "kind": kind,
        "prompt": table.text("prompt"),
        # an open question's model answer explains it
        "explanation": table.text("explanation", default="" if kind == "open" else None),
        "source": table.text("source", default=""),
        "tags": table.texts("tags"),
        "days": table.integers("days") or (day,),
        "rev": table.integer("rev", 1, default=1),
        "replaces": _replaces(table),
        "code": table.text("code", default="").rstrip("\n"),
        "day": day,
        "params": read_params(table),
        "line": table.line(),
    }
    shape = kind
    if prediction and kind == "code":
        table.fault("kind", "a kind that can be predicted; code stands in a drill", "code")
    if kind == "predict":
        shape = _read_code(table, fields)
    computed = kind == "predict" or (
        prediction and kind not in ("open", "code") and "answer_from" in table
    )
    if prediction:
        fields["reveal"] = table.text("reveal", default="")
        fields["aside"] = table.text("aside", default="")
        if computed and fields["reveal"]:
            table.fault("reveal", "no reveal beside answer_from", format_value(fields["reveal"]))
    if computed:
        fields["answer_from"] = table.text("answer_from")
        if fields["answer_from"]:
            _parses(table, "answer_from", fields["answer_from"], "eval")
        if "answer" in table:
            table.fault(
                "answer", "no answer beside answer_from", format_value(table.value("answer"))
            )
    if shape:
        fields.update(_KINDS[shape](table, computed, fields["code"]))
        if shape in SLIP_KINDS:
            fields["slips"] = table.texts_by_key("slips")
    table.finish(f"a question of kind {kind}")
    if len(table.faults) > before:
        return None
    question = Question(**fields)
    if question.params:
        check_variants(table, question)
    return question if len(table.faults) == before else None


def _replaces(table: Table) -> tuple[str, ...]:
    ids = table.texts("replaces")
    for one in ids:
        if not re.fullmatch(_ID, one):
            table.fault("replaces", "ids of questions that went", format_value(one))
    return ids


def _read_code(table: Table, fields: dict[str, Any]) -> str:
    """Read what a `predict` question runs. Return the kind that it is answered as."""
    fields["as_kind"] = table.one_of("as", COMPUTED_KINDS)
    fields["setup"] = table.text("setup", default="").rstrip("\n")
    if not fields["code"]:
        table.fault("code", "the code to run", "nothing")
    if look := table.table("xray"):
        fields["xray"] = look_of_table(look)
    for name in ("setup", "code"):
        _parses(table, name, fields[name], "exec")
    fields["mode"] = mode_of("\n".join((fields["setup"], fields["code"])))
    return str(fields["as_kind"])


def _parses(table: Table, name: str, code: str, mode: Literal["exec", "eval"]) -> None:
    if error := syntax_error(code, mode):
        expected = "Python" if mode == "exec" else "a Python expression"
        table.fault(name, expected, f"{error[1]} (line {error[0]})")


def _keys(names: Any) -> str:
    return ", ".join(str(name) for name in names)


def _options(table: Table, right: set[str], computed: bool) -> dict[str, Any]:
    """Options and their feedback. Only the right ones need none: the explanation speaks of them.

    Where the right option is not known (a computed answer, or a mistaken one), any one may lack it.
    """
    options = table.texts_by_key("options", least=2)
    feedback = table.texts_by_key("feedback")
    if options:
        for key in feedback:
            if key not in options:
                table.fault("feedback", f"keys among {_keys(options)}", format_value(key))
        missing = [key for key in options if key not in feedback and key not in right]
        unknown = computed or not right <= set(options)
        if len(missing) > unknown:
            table.fault("feedback", "a text for each wrong option", f"none for {_keys(missing)}")
    return {"options": options, "feedback": feedback}


def _choice(table: Table, computed: bool, code: str) -> dict[str, Any]:
    answer = None if computed else table.text("answer")
    fields = _options(table, {answer} if answer else set(), computed)
    if answer and fields["options"] and answer not in fields["options"]:
        table.fault("answer", f"one of {_keys(fields['options'])}", format_value(answer))
    return {"answer": answer, **fields}


def _multi(table: Table, computed: bool, code: str) -> dict[str, Any]:
    answer = () if computed else table.texts("answer", least=1)
    fields = _options(table, set(answer), computed)
    if len(set(answer)) < len(answer):
        table.fault("answer", "each option once", _keys(answer))
    for key in answer:
        if fields["options"] and key not in fields["options"]:
            table.fault("answer", f"keys among {_keys(fields['options'])}", format_value(key))
    return {"answer": None if computed else answer, **fields}


def _number(table: Table, computed: bool, code: str) -> dict[str, Any]:
    formula = "params" in table and isinstance(table.value("answer"), str)
    if not computed and not formula and not is_finite_number(table.value("answer")):
        table.fault("answer", "a number", format_value(table.value("answer")))
    return {
        "interval": None if computed else _interval(table, table.value("answer")),
        "answer": None if computed else table.value("answer"),
        "unit": table.text("unit", default=""),
        "tolerance": table.number("tolerance", least=0),
        "tolerance_abs": table.number("tolerance_abs", least=0),
    }


def _interval(table: Table, answer: Any) -> tuple[float, float] | None:
    """`range = [low, high]`, which holds the answer."""
    value = table.value("range")
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(map(is_finite_number, value)):
        table.fault("range", "two numbers, [low, high]", format_value(value))
    elif not is_finite_number(answer) or not value[0] <= answer <= value[1]:
        table.fault("range", "low to high, with the answer between", str(value))
    else:
        return value[0], value[1]
    return None


def _text(table: Table, computed: bool, code: str) -> dict[str, Any]:
    return {
        "answer": None if computed else table.text("answer"),
        "accept": table.texts("accept"),
        "exact": table.flag("exact"),
    }


def _order(table: Table, computed: bool, code: str) -> dict[str, Any]:
    items = table.texts_by_key("items", least=2)
    answer = None if computed else table.texts("answer", least=2)
    if items and answer and sorted(answer) != sorted(items):
        table.fault("answer", f"each of {_keys(items)} once", _keys(answer))
        answer = ()
    return {"items": items, "answer": answer, "before": _before(table, answer or ())}


def _before(table: Table, answer: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The pairs that a right order keeps: neighbours in a list of `before`, or "all" of the answer."""
    value = table.value("before")
    if value is None or not answer:
        return ()
    if value == ALL_PAIRS:
        return tuple(pairwise(answer))
    if not isinstance(value, list) or not value or not all(map(_is_chain, value)):
        expected = f'"{ALL_PAIRS}", or lists of items such as [["a", "c"]], each before the next'
        table.fault("before", expected, format_value(value))
        return ()
    pairs = tuple(pair for chain in value for pair in pairwise(chain))
    for first, second in pairs:
        if first not in answer or second not in answer:
            table.fault("before", f"keys among {_keys(answer)}", f"{first}, {second}")
        elif answer.index(first) >= answer.index(second):
            table.fault("before", "pairs that the answer keeps", f"{first} before {second}")
    return pairs


def _is_chain(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(k, str) for k in value)


def _match(table: Table, computed: bool, code: str) -> dict[str, Any]:
    left, right = table.texts_by_key("left", least=2), table.texts_by_key("right", least=1)
    answer = None if computed else table.texts_by_key("answer", least=2)
    if left and right and answer:
        if set(answer) != set(left):
            table.fault("answer", f"a partner for each of {_keys(left)}", _keys(answer))
        for key, partner in answer.items():
            if partner not in right:
                table.fault(f"answer.{key}", f"one of {_keys(right)}", format_value(partner))
    return {"left": left, "right": right, "answer": answer}


def _fill(table: Table, computed: bool, code: str) -> dict[str, Any]:
    text = table.text("text", default="")
    answer = () if computed else table.texts("answer", least=1)
    accept = _read_accepted(table)
    blanks = {int(number) for number in _BLANK.findall(code + text)}
    if answer and blanks != set(range(1, len(answer) + 1)):
        expected = f"blanks {{1}} to {{{len(answer)}}}, one for each answer"
        seen = _keys(f"{{{number}}}" for number in sorted(blanks)) or "none"
        table.fault("text" if text else "code", expected, seen)
    if accept and answer and len(accept) != len(answer):
        table.fault("accept", f"{len(answer)} lists, one for each blank", str(len(accept)))
    exact = table.flag("exact")
    return {"text": text, "answer": None if computed else answer, "accept": accept, "exact": exact}


def _read_accepted(table: Table) -> tuple[tuple[str, ...], ...]:
    value = table.value("accept")
    if value is None:
        return ()
    if not isinstance(value, list) or not all(
        isinstance(forms, list) and all(isinstance(form, str) for form in forms) for forms in value
    ):
        table.fault("accept", "a list of lists of texts", format_value(value))
        return ()
    return tuple(tuple(forms) for forms in value)


def _line(table: Table, computed: bool, code: str) -> dict[str, Any]:
    count = len(code.split("\n")) if code else 0
    value = None if computed else table.value("answer")
    several = isinstance(value, list)
    answers = value if isinstance(value, list) else [value]
    if not count:
        table.fault("code", "the lines to point at", "nothing")
    elif not computed and not (answers and all(_within(line, count) for line in answers)):
        table.fault(
            "answer", f"a line from 1 to {count}", str(value) if several else format_value(value)
        )
    tempting: dict[int, str] = {}
    for key, text in table.texts_by_key("tempting").items():
        if not (key.isdecimal() and _within(int(key), count)):
            table.fault("tempting", f"keys from 1 to {count}", format_value(key))
        elif int(key) in answers:
            table.fault("tempting", "lines that are wrong", f"the right line {key}")
        else:
            tempting[int(key)] = text
    return {"answer": tuple(answers) if several else value, "tempting": tempting}


def _within(line: Any, count: int) -> bool:
    return is_integer(line) and 1 <= line <= count


def _open(table: Table, computed: bool, code: str) -> dict[str, Any]:
    return {"model": table.text("model"), "points": table.texts("points", least=1)}


def _code(table: Table, computed: bool, code: str) -> dict[str, Any]:
    """The text to begin with, from the question or a wrong answer of the exercise, and a right one."""
    kernels = table.path.parent.parent / "kernels"
    exercise = table.matching("exercise", r"[a-z][a-z0-9_]*", "an exercise of the course")
    folder = kernels / exercise
    if exercise and not (folder / "exercise.toml").is_file():
        table.fault("exercise", "an exercise of the course", format_value(exercise))
        exercise = ""
    wrong = table.text("wrong", default="")
    if bool(code) == bool(wrong):
        seen = "both" if wrong else "neither"
        table.fault("wrong" if wrong else "code", "one of code and wrong", seen)
    elif exercise and wrong:
        code = _wrong_answer(table, folder, wrong)
    answer = table.text("answer", default="").rstrip("\n")
    if exercise and "answer" not in table:
        answer = _text_of(table, "exercise", folder / "solution.py")
    for name, text in (("code", code), ("answer", answer)):
        _parses(table, name, text, "exec")
    if len(code) > LONGEST_CODE:
        table.fault("code", f"at most {LONGEST_CODE} characters", str(len(code)))
    if code and code == answer:
        table.fault("code", "a text that is not the answer", "the answer")
    minutes = table.integer("minutes", 2, default=3)
    if minutes > 5:
        table.fault("minutes", "2 to 5", str(minutes))
    if "params" in table:
        table.fault("params", "no params in a code question", "some")
    return {
        "code": code.strip("\n"),
        "answer": answer,
        "exercise": exercise,
        "minutes": minutes,
    }


def _wrong_answer(table: Table, folder: Path, name: str) -> str:
    """The text of a wrong answer of the exercise, without the solution's comments."""
    try:
        code = wrong_answer(folder, name).code
        return without_hints(code, read_course_file(folder / "starter.py"))
    except CourseFault as fault:
        first = fault.faults[0]
        table.fault("wrong", first.expected, first.found)
    except (SyntaxError, tokenize.TokenError) as error:
        table.fault("wrong", "a wrong answer that is Python", str(error))
    return ""


def _text_of(table: Table, name: str, path: Path) -> str:
    try:
        return read_course_file(path).strip("\n")
    except CourseFault as fault:
        table.fault(name, f"{path.name} of the exercise", fault.faults[0].found)
        return ""


_KINDS: dict[str, Callable[[Table, bool, str], dict[str, Any]]] = {
    "choice": _choice,
    "multi": _multi,
    "number": _number,
    "text": _text,
    "order": _order,
    "match": _match,
    "fill": _fill,
    "line": _line,
    "open": _open,
    "code": _code,
}  # a `predict` question is one of these, by its `as`


# The stages of docs/contract.md that a cell may show; a test holds them against tutor.xray's own.
STAGES = (
    "source",
    "bytecode",
    "dynamo",
    "guards",
    "rewritten",
    "joint",
    "forward",
    "backward",
    "post_grad",
    "lowered",
    "ir_pre_fusion",
    "ir_post_fusion",
    "wrapper",
    "triton",
    "ttir",
    "ttgir",
    "passes",
    "llir",
    "ptx",
    "sass",
    "amdgcn",
)
WORDS = ("xray", "target", "input", "name")  # of a fence, each `word=value`


def look_of_words(words: Iterable[str]) -> tuple[Look | None, str]:
    """The look that `xray=ptx target=sm_90 input=f32[8] backward` asks for, and what is wrong with
    it ("" where nothing is). None where no word is about the ladder."""
    named: dict[str, list[str]] = {}
    backward = False
    for word in words:
        key, equals, value = word.partition("=")
        if word == "backward":
            backward = True
        elif not equals or key not in WORDS:
            return None, f"{word!r} is no word of a cell"
        elif not value:
            return None, f"{key}= without a value"
        elif key != "input" and key in named:
            return None, f"{key}= twice"
        else:
            named.setdefault(key, []).append(value)
    if not named and not backward:
        return None, ""
    if "xray" not in named:
        return None, "a target or an input, but no xray=STAGE"
    stage = named["xray"][0]
    if stage not in STAGES:
        return None, f"xray={stage}, which is none of {', '.join(STAGES)}"
    target = named.get("target", ["sm_90"])[0]
    name = named.get("name", [""])[0]
    return Look(tuple(named.get("input", ())), target, stage, name, backward), ""


def look_of_table(table: Table) -> Look:
    """The look of a question's `xray = { input = [...], target = "sm_90" }`."""
    look = Look(
        inputs=table.texts("input"),
        target=table.text("target", default="sm_90"),
        stage=table.one_of("stage", STAGES, default=""),
        name=table.text("name", default=""),
        backward=table.flag("backward"),
    )
    table.finish("xray")
    return look
