"""The record of a finding."""

from dataclasses import dataclass

OK, WARN, FAIL = "OK", "WARN", "FAIL"


@dataclass(frozen=True)
class CheckRow:
    """`status`: "OK"; "WARN", something less works; "FAIL", reading, quizzes or the interpreter do
    not. `found` describes the state and its effect; `remedy` is the advice ("" for OK)."""

    name: str
    status: str
    found: str
    remedy: str = ""

    def to_json(self) -> dict[str, str]:
        return {
            "name": self.name,
            "status": self.status,
            "found": self.found,
            "remedy": self.remedy,
        }
