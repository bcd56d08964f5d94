"""What a worker may answer. The learner's code shares its process and could write to its channel, so
every reply is held against this list before the server uses anything in it.
"""

import os
import stat
from collections.abc import Callable, Mapping
from typing import Any

from tutor.judge.model import access_map
from tutor.judge.processes.wire import Message

_ENDLESS = float("inf")
_LONGEST = 1 << 16  # characters of one text

Check = Callable[[Any], bool]


def _integer(value: Any) -> bool:
    return type(value) is int and abs(value) < 1 << 63


def _number(value: Any) -> bool:
    return _integer(value) or type(value) is float


def _text(value: Any) -> bool:
    if type(value) is not str or len(value) > _LONGEST:
        return False
    return not any("\ud800" <= c <= "\udfff" for c in value)  # such a text cannot be stored


def _truth(value: Any) -> bool:
    return type(value) is bool


def _maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _all(check: Check) -> Check:
    return lambda value: type(value) is list and all(map(check, value))


def _times(value: Any) -> bool:
    """Milliseconds, at least one: no NaN, nothing infinite, none below zero."""
    return bool(value) and _all(_number)(value) and all(0 <= each < _ENDLESS for each in value)


def _object(needed: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with all of the needed fields; further fields that nobody reads do no harm."""

    def check(value: Any) -> bool:
        if type(value) is not dict or not all(
            k in value and c(value[k]) for k, c in needed.items()
        ):
            return False
        return all(c(value[k]) for k, c in (optional or {}).items() if k in value)

    return check


_LINE = _maybe(_integer)
_ERROR = _object(
    {},
    {
        "type": _text,
        "message": _text,
        "line": _LINE,
        "detail": _text,
        "compiling": _truth,
        "launched": _truth,
    },
)
_LANES = _object({"line": _LINE, "lanes": _integer})
_OUTSIDE = {"kind": _text, "masked": _truth, "line": _LINE, "lanes": _integer, "of": _integer,
            "program": _all(_integer), "lane": _all(_integer), "tile": _all(_integer)}  # fmt: skip
_RACE = _object({"tensor": _text, "element": _integer,
                 "program": _all(_integer), "verb": _text, "line": _LINE,
                 "other": _all(_integer), "other_verb": _text, "other_line": _LINE})  # fmt: skip
_LAUNCH = _object({"kernel": _text, "defined": _integer, "line": _LINE, "elements": _integer,
                   "key": _text, "variant": _text,
                   "args": lambda value: type(value) is dict})  # fmt: skip
_SEEN = _object({}, {
    "kernels": _all(_LAUNCH),
    "out_of_bounds": _all(
        lambda v: _object(_OUTSIDE)(v)
        and ("tensor" not in v
             or _object({"tensor": _text, "first": _integer, "elements": _integer})(v))
    ),
    "races": _all(_RACE),
    "clashes": _all(_RACE),
    "undefined": _all(_LANES),
    "padded": _all(_LANES),
    "same_stores": _all(_object({"line": _LINE, "tensor": _text, "programs": _integer,
                                 "first": _integer, "last": _integer})),
    **dict.fromkeys(("programs", "loaded", "stored", "loaded_once", "stored_once"), _integer),
})  # fmt: skip
_GRAPHS = _object({
    "graphs": _integer, "breaks": _all(_object({"reason": _text, "line": _LINE})),
    "ops": _all(_text),
})  # fmt: skip
_RESOURCES = _object({
    "target": _text, "registers": _integer, "spills": _integer, "shared_bytes": _integer,
})  # fmt: skip
_KERNEL = _object({"name": _text, "count": _number, "median_us": _number})
_RAISED = {"raised": _ERROR}
_STAGE = _object({
    "name": _text, "title": _text, "language": _text, "kernel": _text, "ms": _number,
    "text": lambda value: type(value) is str and len(value) <= 4_000_000,
    "notes": _all(_text), "counts": lambda value: _named_numbers(value),
})  # fmt: skip
_PART = (
    _object({"stage": _STAGE}),
    _object({"failure": _object({"stage": _text, "sentence": _text})}),
    _object({"links": _all(lambda value: _link(value))}),
)
_WRONG_TYPE = {"wrong_type": _text}
_TENSOR = {"shape": _all(_integer), "dtype": _text, "device": _text}
_CASE = {"seen": _SEEN, "launches": _integer, "compilations": _integer, "repeated": _integer,
         "guards": _all(_text), "explained": _GRAPHS, "alias": _maybe(_integer),
         "trace": access_map.is_trace}  # fmt: skip

# For each question the answers it has; the first whose fields are all there counts.
_ANSWERS: dict[str, tuple[Check, ...]] = {
    "xray": (
        _object({"part": lambda value: any(check(value) for check in _PART)}),
        _object({"device": lambda value: value in ("pretend", "real"), "status": _integer}),
        _object({"refused": _text, "status": _integer}),
    ),
    "load": (
        _object({"loaded": _truth, "constants": lambda value: type(value) is dict}),
        _object({"failed": _text, "error": _ERROR}),
    ),
    "case": tuple(_object(each, _CASE) for each in (_RAISED, _WRONG_TYPE, _TENSOR)),
    "lower": (
        _object(_RAISED),
        _object({"kernels": _integer}, {"bytes_read": _integer, "bytes_written": _integer}),
    ),
    "compile": (
        _object(_RAISED),
        _object({"cannot": _text}),
        _object({"needs": lambda value: _sizes(value)}),
    ),
    "finish": (_object({"known": _integer}),),
    "time": (_object(_RAISED), _object({"ready": _truth}, {"resources": _maybe(_RESOURCES)})),
    "round": (_object({"ms": _times}),),
    "host": (
        _object({"submit_ms": _times, "rest_ms": _times, "empty_ms": _times, "persisting": _integer}),
    ),
    "profile": (_object(_RAISED), _object({"kernels": _all(_KERNEL)})),
    "probe": (_object(_RAISED), _object({"found": lambda value: type(value) is dict})),
    "output": (_object(_WRONG_TYPE), _object(_TENSOR)),
    "cell": (
        _object({"ok": _truth, "ms": _number},
                {"error": _text, "values": lambda value: type(value) is dict}),
    ),
}  # fmt: skip


def _named_numbers(value: Any) -> bool:
    return type(value) is dict and all(_text(k) and _number(v) for k, v in value.items())


def _sizes(value: Any) -> bool:
    """Named whole numbers, none below 0."""
    return _named_numbers(value) and all(type(v) is int and v >= 0 for v in value.values())


def _link(value: Any) -> bool:
    """Source, its line, target, its line, kernel."""
    return type(value) is list and [type(each) for each in value] == [str, int, str, int, str]


def believable(do: str, reply: Message, fds: list[int]) -> bool:
    """Whether `reply` has a shape that the question `do` can be answered with. What it says may
    still be untrue: whoever uses it compares the outputs."""
    if not all(stat.S_ISREG(os.fstat(fd).st_mode) for fd in fds):
        return False  # a pipe would make the reader wait
    return any(check(reply) for check in _ANSWERS[do])
