"""Questions with changing numbers: `params` in the TOML, formulas in the texts, one variant at a time.

`draw_variant` is the one place where an `AskedQuestion` comes from. Variant 0 has the first value of
every parameter; the others follow in an order that depends only on the question's id and rev, and
all of them come before one comes again.
"""

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from tutor.course.model import AskedQuestion, Question
from tutor.course.reading.faults import format_value
from tutor.course.reading.formula import Formula, group_digits, read_formula
from tutor.course.reading.toml_table import Table, is_finite_number

MOST = 400  # combinations of a question: every one is checked when the file is read
_BRACES = re.compile(r"\{([^{}\n]{1,120})\}")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_CODE_FIELDS = ("code", "setup", "answer_from")  # numbers as Python has them; elsewhere for people
_PLAIN_FIELDS = {"id", "kind", "as_kind", "unit", "source", "tags", "params", "before", "replaces"}

Values = tuple[int | float, ...]


def read_params(table: Table) -> dict[str, Values]:
    """`[question.params]`: name -> its values. Mistakes go to the table's faults."""
    inner = table.table("params")
    if inner is None:
        return {}
    params: dict[str, Values] = {}
    for name in inner.names():
        value = inner.value(name)
        if not _NAME.fullmatch(name):
            inner.fault(name, "a name in lower case", format_value(name))
        elif isinstance(value, list) and len(value) >= 2 and all(map(is_finite_number, value)):
            params[name] = tuple(value)
        elif isinstance(value, dict) and (steps := _steps(value)):
            params[name] = steps
        else:
            expected = "two or more numbers in a list, or { low, high, step }"
            inner.fault(name, expected, format_value(value))
    if (count := _count(params)) > MOST:
        table.fault("params", f"at most {MOST} combinations", str(count))
    return params


def _steps(value: dict[str, Any]) -> Values:
    """low, low + step, … up to high; () where that is no such range."""
    if set(value) != {"low", "high", "step"} or not all(map(is_finite_number, value.values())):
        return ()
    low, high, step = (Fraction(repr(value[name])) for name in ("low", "high", "step"))
    if step <= 0 or not low < high or (high - low) / step > MOST:
        return ()
    whole = all(isinstance(v, int) for v in value.values())
    steps = (low + i * step for i in range(math.floor((high - low) / step) + 1))
    return tuple(int(one) if whole else float(one) for one in steps)


def _count(params: Mapping[str, Values]) -> int:
    return math.prod(len(values) for values in params.values())


def draw_variant(question: Question, number: int = 0) -> AskedQuestion:
    """Return the question with the numbers of its variant `number`, counted from 0, if it has numbers
    to draw."""
    if not question.params:
        return _fill_in(question, {})
    count = _count(question.params)
    chance = random.Random(f"{question.id} {question.rev}")
    stride = chance.choice([n for n in range(1, count + 1) if math.gcd(n, count) == 1])
    return _variant_at(question, (number * stride) % count)


def draw_all(question: Question) -> Iterator[AskedQuestion]:
    """Yield every variant of the question."""
    if not question.params:
        yield _fill_in(question, {})
        return
    for index in range(_count(question.params)):
        yield _variant_at(question, index)


def draw_with(question: Question, numbers: dict[str, int | float] | None) -> AskedQuestion:
    """Return the variant with these numbers (None: of a question without any). Where there is none, as
    after a change of the course, it is the first one."""
    same = (asked for asked in draw_all(question) if asked.numbers == (numbers or {}))
    return next(same, None) or draw_variant(question)


def _fill_in(question: Question, numbers: dict[str, int | float], **changed: Any) -> AskedQuestion:
    given = {field.name: getattr(question, field.name) for field in fields(Question)}
    return AskedQuestion(**{**given, **changed, "params": {}, "numbers": numbers})


def _variant_at(question: Question, index: int) -> AskedQuestion:
    """The variant of one combination. Raises `ValueError` where a formula has no value."""
    given: dict[str, int | float] = {}
    for name, values in question.params.items():
        index, place = divmod(index, len(values))
        given[name] = values[place]
    exact = {name: Fraction(repr(value)) for name, value in given.items()}

    def fill_with(show: Callable[[Fraction], str]) -> Callable[[str], str]:
        def one(match: re.Match[str]) -> str:
            formula = _formula(match[1], question.params)
            return show(formula.value(exact)) if formula else match[0]

        return lambda text: _BRACES.sub(one, text)

    in_code, in_words = fill_with(_code), fill_with(_words)
    changed = {
        name: _map_texts(value, in_code if name in _CODE_FIELDS else in_words)
        for name, value in _texts(question)
    }
    if (question.as_kind or question.kind) == "number" and isinstance(question.answer, str):
        changed["answer"] = to_int_or_float(read_formula(question.answer).value(exact))
    changed["slips"] = {in_code(slip): in_words(text) for slip, text in question.slips.items()}
    return _fill_in(question, given, **changed)


def _texts(question: Question) -> Iterator[tuple[str, Any]]:
    for field in fields(question):
        value = getattr(question, field.name)
        if value and field.name not in _PLAIN_FIELDS and isinstance(value, str | tuple | dict):
            yield field.name, value


def _map_texts(value: Any, fill: Callable[[str], str]) -> Any:
    """`fill` on each text inside a field's value."""
    if isinstance(value, str):
        return fill(value)
    if isinstance(value, tuple):
        return tuple(_map_texts(one, fill) for one in value)
    if isinstance(value, dict):
        return {key: _map_texts(one, fill) for key, one in value.items()}
    return value


def _formula(text: str, params: Mapping[str, Values]) -> Formula | None:
    """The formula between two braces; None for braces that mean something else ({1}, a dict)."""
    try:
        formula = read_formula(text)
    except ValueError:
        return None
    return formula if formula.names and formula.names <= set(params) else None


def _find_used_parameters(question: Question) -> set[str]:
    """The parameters in the formulas of the question's texts."""
    texts = (text for _, value in _texts(question) for text in _leaves(value))
    formulas = (
        _formula(braces[1], question.params) for t in texts for braces in _BRACES.finditer(t)
    )
    return {name for formula in formulas if formula for name in formula.names}


def _find_constant_formula(question: Question) -> tuple[str, str] | None:
    """A field for people and the formula in it that computes with numbers alone; None without one."""
    for name, value in _texts(question):
        if name in (*_CODE_FIELDS, "text"):
            continue
        for braces in (match for text in _leaves(value) for match in _BRACES.finditer(text)):
            try:
                computed = not read_formula(braces[1]).names
            except ValueError:
                continue
            if computed and not braces[1].strip().isdecimal():
                return name, braces[0]
    return None


def to_int_or_float(number: Fraction) -> int | float:
    """An int where it is whole, else the nearest float64."""
    return int(number) if number.denominator == 1 else float(number)


def _code(number: Fraction) -> str:
    return repr(to_int_or_float(number))


def _words(number: Fraction) -> str:
    """As `tutor.quiz.numbers.show_number`: whole numbers in full, others to six digits."""
    value = to_int_or_float(number)
    return group_digits(value) if isinstance(value, int) else f"{value:.6g}"


def check_variants(table: Table, question: Question) -> None:
    """Report a parameter that nothing uses, a formula without a parameter, which would be shown as it
    is written, and a combination whose formulas have no value."""
    if written := _find_constant_formula(question):
        table.fault(written[0], "a parameter in each formula, or its value", written[1])
        return
    used = _find_used_parameters(question)
    if isinstance(question.answer, str) and (question.as_kind or question.kind) == "number":
        try:
            names = read_formula(question.answer).names
        except ValueError as error:
            table.fault("answer", "a formula", str(error))
            return
        if unknown := sorted(names - set(question.params)):
            table.fault("answer", f"names among {', '.join(question.params)}", unknown[0])
            return
        used |= names
    for name in question.params:
        if name not in used:
            table.fault("params", f"{{{name}}} in the prompt or the answer", "nowhere")
            return
    for index in range(_count(question.params)):
        try:
            _variant_at(question, index)
        except ValueError as error:
            table.fault("params", "formulas that have a value for every combination", str(error))
            return


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _leaves(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _leaves(one)
