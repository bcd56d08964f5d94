"""The views of a review other than questions: a term, an exercise, the ratings, the end."""

from collections.abc import Mapping
from datetime import date

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tutor.base.day_text import format_day
from tutor.base.number_text import plural
from tutor.course.catalog.glossary import Term
from tutor.course.model import Exercise
from tutor.memory.review_session import Summary, Twist
from tutor.memory.schedule.ratings import GOOD, RATING_NAMES
from tutor.memory.store.rows import QueuedCard
from tutor.ui.kit.keys.key_labels import key_name, key_of
from tutor.ui.kit.keys.key_text import Named
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.text.phrases import format_minutes
from tutor.ui.kit.text.safe_text import limit_text, make_visible
from tutor.ui.kit.widgets.press import runs
from tutor.ui.question.explanation import Explained, markdown_widget
from tutor.ui.review.scope import Scope

KINDS = {
    "term": "What does it mean?",
    "op": "What does this operation do?",
    "layout": "What does this layout say?",
    "instruction": "What does this instruction do?",
    "stage": "What happens in this stage?",
}


class TermView(Vertical):
    """A term. The learner recalls its meaning before the view shows it."""

    DEFAULT_CSS = """
    TermView { height: auto; }
    TermView Static { height: auto; }
    TermView .term { margin: 0 0 1 0; }
    TermView .explained {
        height: auto; margin: 1 0 0 0; padding: 0 0 0 1; border-left: thick $border;
    }
    """

    def __init__(self, term: Term) -> None:
        super().__init__()
        self.term = term

    def compose(self) -> ComposeResult:
        yield Static(Content.styled(make_visible(self.term.term), "bold $accent"), classes="term")
        yield Static(Content(KINDS.get(self.term.kind, "What does it mean?")))
        yield Named(self._how)

    def _how(self) -> Content:
        words = f"Say it in a sentence, then {key_of(self, 'review.show')} shows it."
        return Content.styled(words, "dim")

    async def reveal(self) -> None:
        explained = Explained()
        await self.mount(explained)
        source = Static(Content.styled(f"Source: {make_visible(self.term.source)}", "dim"))
        await explained.mount_all([markdown_widget(self.term.says), source])


class KernelView(Vertical):
    """An exercise to write again from the starter."""

    DEFAULT_CSS = """
    KernelView { height: auto; }
    KernelView Static { height: auto; margin: 0 0 1 0; }
    """

    def __init__(self, exercise: Exercise, twist: Twist, last: date | None, today: date) -> None:
        super().__init__()
        self.exercise, self.twist = exercise, twist
        self.days = (today - last).days if last else None

    def compose(self) -> ComposeResult:
        ago = f" · last written {plural(self.days, 'day')} ago" if self.days else ""
        yield Static(
            Content.assemble(
                ("Write it again: ", "bold"),
                (self.exercise.slug, "bold $accent"),
                (f"{ago} · about {self.exercise.minutes} min", "$foreground 70%"),
            )
        )
        yield Static(style_inline(self.exercise.task.strip().split("\n\n")[0]))
        yield Static(this_time(self.twist))
        yield Named(self._how)

    def _how(self) -> Content:
        words = (
            f"{key_of(self, 'review.show')} opens the lab; the verdict rates it, with the hints you "
            f"took. {key_of(self, 'review.give_up')}: I do not know (Again, until tomorrow)."
        )
        return Content.styled(words, "dim")

    async def show_missed(self, sentence: str) -> None:
        """Show that the last program was right, but not written by the twist."""
        await self.query(".missed").remove()
        said = style_inline(limit_text(sentence, lines=4))
        await self.mount(Static(said, classes="missed"), Named(self._ways, classes="missed"))

    def _ways(self) -> Content:
        show, give_up = key_of(self, "review.show"), key_of(self, "review.give_up")
        words = f"{show} goes on in the lab · {give_up} gives up · or rate it yourself, below."
        return Content.styled(words, "dim")


def this_time(twist: Twist) -> Content:
    """Return the sentence that says what a review asks for."""
    return Content.assemble(("This time  ", "$primary"), style_inline(twist.text))


class TwistView(Vertical):
    """Asks whether a right program was written by a twist that no verdict can judge. `rating` is that
    of the program."""

    DEFAULT_CSS = """
    TwistView { height: auto; }
    TwistView Static { height: auto; margin: 0 0 1 0; }
    """

    def __init__(self, exercise: Exercise, twist: Twist, rating: int) -> None:
        super().__init__()
        self.exercise, self.twist, self.rating = exercise, twist, rating

    def compose(self) -> ComposeResult:
        right = Content.assemble(
            ("✓ Right  ", "bold $success"), (self.exercise.slug, "bold $accent")
        )
        yield Static(right)
        yield Static(Content.styled("Did you do it this way?", "bold"))
        yield Static(this_time(self.twist))
        yield Named(self._how)

    def _how(self) -> Content:
        yes, no = key_of(self, "review.yes"), key_of(self, "review.no")
        words = (
            f"{yes}: yes, it is rated {RATING_NAMES[self.rating].capitalize()} · "
            f"{no}: no, it is rated Again and comes back tomorrow."
        )
        return Content.styled(words, "dim")


def interval(days: int) -> str:
    """`soon`, `1 day`, `12 days`, `3.1 months`, `2 years`."""
    if days < 1:
        return "soon"
    if days < 31:
        return plural(days, "day")
    if days < 365:
        return f"{days / 30.44:.2g} months"
    return f"{days / 365.25:.2g} years"


def rating_line(
    offered: Mapping[int, int | None], proposed: int | None, keymap: Mapping[str, str]
) -> Content:
    """The keys of the ratings that are `offered`, with their intervals in days where there are some;
    the proposed one is highlighted."""
    parts: list[Content] = []
    if proposed and proposed not in offered:
        proposed = GOOD
    for rating, after in offered.items():
        name = RATING_NAMES[rating]
        mine = rating == proposed
        days = "" if after is None else interval(after)
        key = (
            f" {key_name(f'review.{name}', keymap)} ",
            "bold $block-cursor-foreground on $primary" if mine else "bold $accent",
        )
        words = (f" {name.capitalize()} ", "bold" if mine else "")
        days_after = (f"{days}  ", "$foreground 70%")
        parts.append(runs(Content.assemble(key, words, days_after), f"review.{name}"))
    return Content.assemble(*parts)


def cards_left(counts: Mapping[str, int]) -> Content:
    """The numbers of cards that are left, as `3 for the first time · 1 again · 12 asked before`."""
    styles = {"for the first time": "$primary", "again": "$error"}
    parts = [
        Content.styled(f"{count} {name}", styles.get(name, "$success"))
        for name, count in counts.items()
    ]
    return Content(" · ").join(parts)


def card_notes(card: QueuedCard, keymap: Mapping[str, str]) -> Content:
    """Notes on what is special about a card, the most important first; empty if there are none."""
    rows = []
    if card.changed:
        rows.append(Content.styled("Changed since you last saw it: read it anew.", "$warning"))
    if card.leech:
        lesson = key_name("review.lesson", keymap)
        rows.append(
            Content.assemble(
                (f"Forgotten {card.lapses} times. ", "$warning"),
                f"Read its page again before the next try: {lesson} opens it.",
            )
        )
    if card.confident_mistake:
        rows.append(Content.styled("You were sure of a wrong answer here.", "$warning"))
    if card.flag:
        rows.append(Content.styled("⚑ flagged", "$accent"))
    if card.note:
        rows.append(
            Content.assemble(
                ("Your note  ", "$accent"), limit_text(card.note, lines=4, columns=200)
            )
        )
    return Content("\n").join(rows)


def leech_line(card: QueuedCard) -> Content:
    """A line in the list of cards whose pages the learner should read again."""
    return Content.assemble(
        (f"Day {card.day}  ", "$primary"),
        style_inline(limit_text(card.title, lines=1, columns=90)),
        (f"  forgotten {card.lapses} times", "$foreground 70%"),
    )


def end_lines(summary: Summary, today: date, scope: Scope, begin: str = "") -> Content:
    """The strong and weak points of the session, and the date of the next one, which is that of all
    cards. `scope`: the cards that the session chose among. `begin`: the hour from which that day counts,
    if it is the clock's date."""
    part = f" of {scope.name}" if scope.name else ""
    if not summary.reviewed:
        nothing = f"There is no card{part}." if scope.cram else f"Nothing{part} is due."
        lines = [Content.styled(nothing, "bold")]
    else:
        share = summary.remembered / summary.reviewed
        minutes = format_minutes(max(1, summary.seconds / 60))
        words = f"{plural(summary.reviewed, 'card')}, {share:.0%} remembered, {minutes}"
        lines = [Content.styled(words, "bold")]
    for name, topics, style in (
        ("Strong", summary.strong, "$success"),
        ("Weak", summary.weak, "$warning"),
    ):
        if topics:
            words = limit_text(", ".join(topic.replace("-", " ") for topic in topics[:6]), lines=1)
            lines.append(Content.assemble((f"{name}  ".ljust(8), style), words))
    if summary.next is not None:
        days = (summary.next - today).days
        when = (
            f"today{begin}"
            if begin
            else "tomorrow"
            if days == 1
            else f"{summary.next:%A}, {format_day(summary.next, today)}"
        )
        cards = plural(summary.tomorrow, "card") + (", of all phases" if part else "")
        amount = f" ({cards})" if days == 1 and summary.tomorrow else ""
        lines.append(Content.assemble(("Back".ljust(8), "$primary"), f"{when}{amount}"))
    return Content("\n").join(lines)
