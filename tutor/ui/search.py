"""The search screen: a field for words, and below it the hits, best first. Enter opens a hit."""

from collections.abc import Callable

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tutor.base.errors import CannotHere, UsageError
from tutor.base.number_text import plural
from tutor.search.results import KIND_NAMES, Hit, SearchResults
from tutor.search.search import Finder
from tutor.ui.kit.core.screen import SAY_SO_SECONDS, TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.phrases import shorten
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar

MOST = 40  # listed hits


class SearchScreen(TutorScreen):
    """Searches the course and the learner's notes while words are typed."""

    DEFAULT_CSS = """
    SearchScreen Input { margin: 1 1 0 1; background: $panel; }
    SearchScreen OptionList { height: 1fr; margin: 1 0 0 0; padding: 0 1; }
    SearchScreen OptionList > .option-list--option { padding: 0 1; }
    SearchScreen OptionList > .option-list--option-highlighted {
        background: $block-cursor-background;
        color: $block-cursor-foreground;
    }
    """
    BINDINGS = bindings("search")
    AUTO_FOCUS = "Input"

    def __init__(self) -> None:
        super().__init__()
        self._finder: Finder | None = None
        self._hits: tuple[Hit, ...] = ()
        self._reading: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Bar()
        yield Input(
            placeholder="words of lessons, questions, the glossary, your notes",
            max_length=200,
            compact=True,
        )
        hits = OptionList(markup=False)
        hits.can_focus = False  # the focus stays in the input; the arrow keys move in the list
        yield hits
        yield Footer()

    def on_screen_resume(self) -> None:
        """Search again: the learner may have written a note on the screen that was above."""
        self._show_bar("")
        if self._finder is None:
            self.set_timer(SAY_SO_SECONDS, self._say_so)
        self._open()

    @property
    def is_opening(self) -> bool:
        return self._finder is None

    def _say_so(self) -> None:
        if self._finder is None and self._reading is None and not self.is_left:
            self._reading = self.count_seconds(self._show_bar, "reading the course …")

    @work(thread=True, exclusive=True, group="search", exit_on_error=False)
    def _open(self) -> None:
        """Open the index in a thread: after a change in the course it is built again."""
        try:
            finder = Finder(self.tutor.course, self.tutor.record)
        except (CannotHere, UsageError) as error:
            self.app.call_from_thread(self._cannot, str(error))
            return
        self.app.call_from_thread(self._take_finder, finder)

    def _cannot(self, sentence: str) -> None:
        self._end_reading()
        self._show_bar("")
        self.say(sentence, wrong=True)

    def _end_reading(self) -> None:
        if self._reading is not None:
            self._reading.stop()

    def _take_finder(self, finder: Finder) -> None:
        self._end_reading()
        if self.is_left:
            finder.close()
            return
        if self._finder is not None:
            self._finder.close()
        self._finder = finder
        self._search(keep=True)

    def on_unmount(self) -> None:
        if self._finder is not None:
            self._finder.close()

    @on(Input.Changed)
    def search_typed(self, event: Input.Changed) -> None:
        event.stop()
        self._search()

    def _search(self, keep: bool = False) -> None:
        """Search for the typed words. `keep`: the words are the same, so the cursor stays."""
        typed = self.query_one(Input).value
        if self._finder is None:
            return
        results = self._finder.find(typed, MOST)
        hits = self.query_one(OptionList)
        before = hits.highlighted if keep and results.hits == self._hits else None
        self._hits = results.hits
        hits.clear_options().add_options([Place(hit) for hit in results.hits])
        hits.highlighted = (before or 0) if results.hits else None
        hits.scroll_home(animate=False) if before is None else hits.scroll_to_highlight()
        self._show_bar(_how_many(typed, results))

    def _show_bar(self, right: str) -> None:
        self.query_one(Bar).show("Search", right)

    @on(Input.Submitted)
    def open_highlighted(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(OptionList).action_select()

    @on(OptionList.OptionSelected)
    def open_hit(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        assert isinstance(event.option, Place)
        self.tutor.open(hit_target(event.option.hit))  # the list may be another one by now

    def action_cursor(self, step: int) -> None:
        hits = self.query_one(OptionList)
        hits.action_cursor_down() if step > 0 else hits.action_cursor_up()

    def action_page(self, step: int) -> None:
        hits = self.query_one(OptionList)
        move: Callable[[], None] = hits.action_page_down if step > 0 else hits.action_page_up
        move()


class Place(Option):
    """A hit in the list."""

    def __init__(self, hit: Hit) -> None:
        super().__init__(_line(hit))
        self.hit = hit


def hit_target(hit: Hit) -> str:
    """The target that shows a hit."""
    if hit.kind == "card note":
        return hit.place
    if hit.kind == "reflection":
        return "written:"
    kind = {"note": "lesson", "explanation": "question"}.get(hit.kind, hit.kind)
    return f"{kind}:{hit.place}"


def _line(hit: Hit) -> Content:
    """The place of the hit and the words around the match. The match is bold and underlined."""
    where = [f"Day {hit.day}" if hit.day else "", shorten(make_visible(hit.title), 60)]
    excerpt = [
        (make_visible(text), "bold underline" if match else "") for text, match in hit.excerpt
    ]
    return Content.assemble(
        (KIND_NAMES[hit.kind], "$accent"),
        (" · ".join(["", *filter(None, where)]), "$primary"),
        "\n",
        *excerpt,
    )


def _how_many(typed: str, results: SearchResults) -> str:
    if not results.hits:
        return "nothing has these words" if typed.strip() else ""
    count = (
        "the first 40 places" if len(results.hits) == MOST else plural(len(results.hits), "place")
    )
    return f"{count} · Enter: open" if results.every else f"{count}, none with all these words"
