"""How far a placement has come, and what it shows. Pure."""

from dataclasses import dataclass, field

from tutor.course.catalog.placement import Strand


@dataclass
class PlacementSession:
    """`right`: question id -> whether it was answered right, of those asked so far."""

    strands: tuple[Strand, ...]
    right: dict[str, bool] = field(default_factory=dict)

    @property
    def current(self) -> tuple[Strand, str] | None:
        """The strand and the question to ask now; None at the end."""
        for strand in self.strands:
            for name in strand.questions:
                if name not in self.right:
                    return strand, name
                if not self.right[name]:
                    break  # the day is to be read: no more of it
        return None

    def answered(self, question: str, right: bool) -> None:
        self.right[question] = right

    @property
    def most(self) -> int:
        """How many questions are asked if every answer from now on is right."""
        count = 0
        for strand in self.strands:
            for name in strand.questions:
                count += 1
                if not self.right.get(name, True):
                    break
        return count

    @property
    def known(self) -> tuple[int, ...]:
        """The days of which every question was answered right."""
        return tuple(
            strand.day
            for strand in self.strands
            if all(self.right.get(name, False) for name in strand.questions)
        )
