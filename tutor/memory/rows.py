"""Rows that the record gives back."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Answer:
    """`value` is JSON (lists, not tuples); `right` is None where nobody could say."""

    id: int
    at: datetime
    question: str
    day: int
    value: Any
    right: bool | None
    credit: float
    confidence: int | None
    seconds: float
    origin: str


@dataclass(frozen=True)
class Attempt:
    id: int
    at: datetime
    exercise: str
    source: str
    verdict: dict[str, Any]
    passed: bool
    device: str


@dataclass(frozen=True)
class Edit:
    id: int
    at: datetime
    exercise: str
    path: str
    text: str
