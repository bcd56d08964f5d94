"""What a review can be about: all that is due, a phase, the focus; or cram. No screen in here."""

from collections.abc import Mapping
from dataclasses import dataclass

from tutor.ui.kit.text.phrases import ROMAN


@dataclass(frozen=True)
class Scope:
    """`label`: what the list says; `name`: what the bar says. `cram`: practice that leaves the
    schedule alone. The rest is `Session`'s."""

    label: str = "Everything that is due"
    name: str = ""
    phase: int | None = None
    topic: str | None = None
    cram: bool = False


def scopes(phases: Mapping[int, str], focus: str) -> list[Scope]:
    """In the order of the list. `phases`: those with a written day; `focus`: a topic, or ""."""
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
