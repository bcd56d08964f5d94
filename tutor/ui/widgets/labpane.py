"""Beside the editor: the task, the verdict, hints, attempts and, once earned, a worked solution."""

from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import ContentSwitcher, OptionList, Static

from tutor.course.model import Exercise
from tutor.judge.verdict import Verdict
from tutor.memory import Attempt
from tutor.ui import highlight
from tutor.ui.inline import CODE, inline
from tutor.ui.plain import bounded, visible
from tutor.ui.widgets.prose import Prose
from tutor.ui.widgets.verdict import Report, VerdictView, headline

PAGES = {"task": "t", "verdict": "v", "hints": "h", "attempts": "a", "solution": "c"}


class LabPane(Vertical):
    """One page at a time; the line above says which there are."""

    class Restore(Message):
        """The learner wants this attempt's text back in the editor."""

        def __init__(self, attempt: Attempt) -> None:
            super().__init__()
            self.attempt = attempt

    def __init__(self, exercise: Exercise) -> None:
        super().__init__()
        self.exercise = exercise
        self.page = "task"
        self._hints = 0
        self._attempts: tuple[Attempt, ...] = ()
        self._solved = False

    def compose(self) -> ComposeResult:
        yield Static(id="pages")
        with ContentSwitcher(initial="task"):
            with VerticalScroll(id="task"):
                yield Static(_facts(self.exercise), classes="facts")
                yield Prose(self.exercise.task)
            with Vertical(id="verdict"):
                yield Static(id="next")
                with VerticalScroll(id="verdict-page"):
                    yield VerdictView()
            with VerticalScroll(id="hints"):
                yield Static(id="hint-list")
            yield OptionList(id="attempts", markup=False)
            with VerticalScroll(id="solution"):
                yield Static(id="solution-text")

    def on_mount(self) -> None:
        self.show_next(Content(""))
        self._draw_pages()

    def open(self, page: str) -> None:
        self.page = page
        self.query_one(ContentSwitcher).current = page
        self._draw_pages()

    def take_focus(self) -> None:
        self.query_one("#verdict-page" if self.page == "verdict" else f"#{self.page}").focus()

    def _draw_pages(self) -> None:
        names = {
            "task": "task",
            "verdict": "verdict",
            "hints": f"hints {self._hints}/{len(self.exercise.hints)}",
            "attempts": f"attempts {len(self._attempts)}",
            "solution": "solution",
        }
        parts: list[tuple[str, str]] = []
        for page, key in PAGES.items():
            if page == "solution" and not self._solved:
                continue
            here = page == self.page
            parts.append((f" {key} ", "$primary" if not here else "bold $primary reverse"))
            parts.append((f"{names[page]} ", "bold" if here else "$foreground 70%"))
        self.query_one("#pages", Static).update(Content.assemble(*parts))

    # ---- what the pages show

    def show_report(self, report: Report, *, detail: bool) -> None:
        self.query_one(VerdictView).show(report, detail=detail)

    def show_next(self, text: Content) -> None:
        bar = self.query_one("#next", Static)
        bar.update(text)
        bar.display = bool(text)

    def show_hints(self, shown: int) -> None:
        """The hints up to `shown`; a further one costs nothing but is recorded."""
        self._hints = shown
        blocks = [
            Content.assemble((f"Hint {n} of {len(self.exercise.hints)}\n", "bold"), inline(text))
            for n, text in enumerate(self.exercise.hints[:shown], 1)
        ]
        if shown < len(self.exercise.hints):
            blocks.append(
                Content.styled(
                    "h shows the next one (F3 from the editor). Hints are recorded: the exercise "
                    "comes back a little sooner.",
                    "dim",
                )
            )
        elif self.exercise.hints:
            blocks.append(Content.styled("These are all there are.", "dim"))
        else:
            blocks.append(Content.styled("This exercise has no hints.", "dim"))
        self.query_one("#hint-list", Static).update(Content("\n\n").join(blocks))
        self._draw_pages()

    def show_attempts(self, attempts: tuple[Attempt, ...]) -> None:
        """Newest first."""
        self._attempts = attempts
        listed = self.query_one("#attempts", OptionList)
        listed.clear_options()
        listed.add_options([_attempt_line(attempt) for attempt in attempts])
        if not attempts:
            listed.add_option(Content.styled("Nothing handed in yet.", "dim"))
        listed.highlighted = 0
        self._draw_pages()

    def show_solution(self, text: str) -> None:
        if self._solved:
            return
        self._solved = True
        shown = highlight.code(bounded(text, lines=1000).rstrip("\n"))
        self.query_one("#solution-text", Static).update(shown)
        self._draw_pages()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._attempts):
            self.post_message(self.Restore(self._attempts[event.option_index]))


def _facts(exercise: Exercise) -> Content:
    """What to write, at a glance: the signature that the judge calls."""
    needs = f" · needs {', '.join(exercise.needs)}" if exercise.needs else ""
    return Content.assemble(
        (exercise.title, "bold"),
        "\n",
        (visible(exercise.entry), CODE),
        (f"   about {exercise.minutes} min{needs}", "$foreground 60%"),
    )


def _attempt_line(attempt: Attempt) -> Content:
    mark, style = ("✓", "bold $success") if attempt.passed else ("✗", "bold $error")
    return Content.assemble(
        (f"{mark} ", style),
        (f"{when(attempt.at)}  ", "$foreground 60%"),
        outcome(attempt),
        (f"  {bounded(attempt.device, lines=1, columns=40)}", "$foreground 60%"),
    )


def outcome(attempt: Attempt) -> str:
    """The headline of a stored verdict in words, without its mark."""
    from tutor.judge.verdict import verdict_from_json

    try:
        verdict: Verdict = verdict_from_json(attempt.verdict)
    except (KeyError, TypeError):  # written by another version
        return "right" if attempt.passed else "wrong"
    return headline(Report().after(verdict)).plain[2:]


def when(at: datetime) -> str:
    """Local time; with the date if that is not today."""
    local = at.astimezone()
    today = datetime.now().astimezone().date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%d %b %H:%M}"
