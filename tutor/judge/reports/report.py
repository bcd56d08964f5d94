"""The state of a submission: what the judge has said of it so far. Pure."""

from dataclasses import dataclass, replace

from tutor.judge.model.events import Progress, Provisional
from tutor.judge.model.verdict import CaseResult, Diagnosis, Timing, Verdict
from tutor.judge.reports.unwritten_answer import missing_lines, unwritten


@dataclass(frozen=True)
class Report:
    """The state of a submission so far. `source` is the submitted text, `starter` where it began."""

    source: str = ""
    starter: str = ""
    progress: str = ""
    seconds: int = 0  # that the caller has waited for what is going on
    limit: float = 0.0  # seconds after which the cases are ended; 0: not known
    cases: tuple[CaseResult, ...] = ()
    diagnosis: tuple[Diagnosis, ...] = ()
    timing: Timing | None = None
    verdict: Verdict | None = None  # with `progress`: a cause is still being sought
    trouble: str = ""  # why there is no verdict: this machine cannot, or the call was wrong

    def after(self, event: object) -> "Report":
        """The report with one more event of the judge in it; others change nothing."""
        match event:
            case CaseResult():
                return replace(self, cases=(*self.cases, event))
            case Diagnosis():
                return replace(self, diagnosis=(*self.diagnosis, event))
            case Timing():
                return replace(self, timing=event)
            case Progress():
                return replace(self, progress=event.text)
            case Provisional():  # of a right answer only the final one is shown
                return self if event.verdict.passed else self.after(event.verdict)
            case Verdict():
                return replace(
                    self,
                    progress="",
                    cases=event.cases,
                    diagnosis=event.diagnosis,
                    timing=event.timing,
                    verdict=event,
                )
            case _:
                return self

    @property
    def unwritten(self) -> str:
        """The sentence on an answer of which nothing is written yet; "" otherwise."""
        return unwritten(self.source, self.starter, self.verdict) if self.verdict else ""

    @property
    def lines(self) -> dict[int, str]:
        """Line of the learner's file -> the code of the first cause that points there; of an answer
        of which nothing is written, the lines where the starter says what to write."""
        if self.unwritten:
            return dict.fromkeys(missing_lines(self.source, self.starter), "output-not-written")
        codes: dict[int, str] = {}
        for cause in self.diagnosis:
            if cause.line:
                codes.setdefault(cause.line, cause.code)
        return codes
