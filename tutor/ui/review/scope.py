"""The scopes of a review: all due cards, a phase, the focus, or cram. No screen in here."""

from collections.abc import Mapping
from dataclasses import dataclass

from tutor.ui.kit.text.phrases import ROMAN


@dataclass(frozen=True)
class Scope:
    """A choice of cards. `label` is shown in the list, `name` in the bar. `cram` is practice that does
    not change the schedule. The other fields are arguments of `Session`."""

    label: str = "Everything that is due"
    name: str = ""
    phase: int | None = None
    topic: str | None = None
    cram: bool = False


def scopes(phases: Mapping[int, str], focus: str) -> list[Scope]:
    """All scopes in the order of the list. `phases` have a written day; `focus` is a topic or ""."""
    topic = focus.replace("-", " ")
    short = {number: f"Phase {ROMAN.get(number, number)}" for number in phases}
    return [
        Scope(),
        *(Scope(f"Only {short[n]}, {name}", short[n], phase=n) for n, name in phases.items()),
        *([Scope(f"Only your focus, {topic}", topic, topic=focus)] if focus else []),
        Scope("Cram everything (the schedule stays as it is)", cram=True),
        *(
            Scope(f"Cram {short[n]}, {name}", short[n], phase=n, cram=True)
            for n, name in phases.items()
        ),
    ]
