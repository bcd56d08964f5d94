"""The page of a lesson's section: what the screen can show is mounted at once, the rest right after it.

The section that comes next is mounted, laid out and drawn below the screen while this one is read, so
that turning to it only has to move it into place. So is the section a reader turns back from.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic

from textual.containers import Vertical, VerticalScroll
from textual.geometry import Region
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from tutor.course.model import Block, Cell, Prose
from tutor.ui.kit.widgets import markdown
from tutor.ui.question.question_view import QuestionView

MOVED_SECONDS = 1.0
SEEN_SECONDS = 1.0  # a screenful that is left sooner was not read

_BLANK = 1  # row, the margin of each block and of each paragraph

# A page turn has 60 ms, and every block of Markdown is a widget of about 1.6 ms.


@dataclass(frozen=True)
class PageSection:
    """The contents of a page. `head` and `tail` stand before and after the blocks; `key` names it."""

    key: tuple[int, int]
    head: tuple[Widget, ...]
    head_rows: int
    blocks: tuple[Block, ...]
    tail: tuple[Widget, ...]


class Sheet(Vertical, inherit_bindings=False):
    """The widgets of one section. While it is `below` the screen, nothing in it takes the keyboard.

    Below, not hidden: what is hidden has no size, and is laid out and drawn when it is shown.
    """

    below = False
    tail: tuple[Widget, ...] = ()  # what stands below the section's text: a note, the ways on

    def put_below(self) -> None:
        self.below = True
        self.styles.overlay = "screen"  # takes no room in the page
        self.styles.offset = (0, "100vh")

    def bring_up(self) -> None:
        self.below = False
        self.styles.overlay = "none"
        self.styles.offset = (0, 0)

    def allow_focus_children(self) -> bool:
        return not self.below

    async def draw(self, rows: int, refreshes: int = 3) -> None:
        """Have the first `rows` rows of every widget drawn: Textual keeps them until they change.

        Leaves as soon as the sheet is brought up. Keys are handled between two widgets. A sheet that
        is not laid out yet, as a refresh of something else came first, waits for so many `refreshes`.
        """
        if not self.region and refreshes:
            self.call_after_refresh(self.draw, rows, refreshes - 1)
            return
        top = self.region.y
        for widget in [self, *self.walk_children(Widget)]:
            await asyncio.sleep(0)
            if not self.below or not self.is_attached:
                return
            region = widget.region
            seen = min(region.height, rows - (region.y - top))
            if seen > 0:
                widget.render_lines(Region(0, 0, region.width, seen))


class Page(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Holds the sheet of one section. Posts `EndSeen` once its last line is on the screen and has stayed
    for `SEEN_SECONDS`, or at once where the page was open for so long for each of its screenfuls. Posts
    `LaidOut` when it is complete, and `Moved` a moment after it was scrolled.

    It has no keys of its own: the lesson's move it.
    """

    class EndSeen(Message):
        """`key` names the section."""

        def __init__(self, key: tuple[int, int]) -> None:
            super().__init__()
            self.key = key

    class LaidOut(Message):
        """All of the section is mounted and laid out."""

    class Moved(Message):
        """Another row stands at the top."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = 0
        self.complete = False  # all of the section is mounted and laid out
        self.key = (0, 0)  # the day and the section that are shown
        self._ahead: tuple[tuple[int, int], Sheet] | None = None
        self._told: tuple[int, int] | None = None  # whose end was posted last
        self._seeing: Timer | None = None  # runs while the last line is on the screen
        self._moving: Timer | None = None  # runs from the first row that was not told
        self._opened = monotonic()
        self.sheet = Sheet()

    def is_prepared(self, key: tuple[int, int]) -> bool:
        """Return True if that section is mounted already, out of sight."""
        return self._ahead is not None and self._ahead[0] == key

    async def show(
        self,
        section: PageSection,
        build: Callable[[Block], Widget],
        row: int = 0,
        rows: int = 0,
    ) -> None:
        """Replace what is shown. One that `is_prepared` knows needs no widgets and no blocks.

        `row`: the one to begin at, where the reader comes back to a section, which had so many `rows`
        then.
        """
        self._turn += 1
        turn = self._turn
        self._stop_seeing()
        self._opened, self._told = monotonic(), None
        before = list(self.children)
        if self._ahead and self._ahead[0] == section.key:
            self.key, self.sheet = self._ahead
            self._ahead = None
            for old in before:
                old.display = old is self.sheet
            self.sheet.bring_up()
            self.scroll_home(animate=False, immediate=True)
            self.complete = False
            # Each widget that goes takes its time: the page is turned first.
            self.call_after_refresh(
                self.remove_children, [w for w in before if w is not self.sheet]
            )
            self.call_after_refresh(self._finish_layout, turn, row, rows)
            return
        self._ahead = kept = None
        day, index = section.key
        if self.key == (day, index + 1) and self._stays():  # turned back: it comes next again
            kept = self.sheet
            before.remove(kept)
            kept.put_below()
            self._ahead = self.key, kept
        self.complete, self.key = False, section.key
        now, later = screenful(section.blocks, self.size.height - section.head_rows)
        self.sheet = Sheet(*section.head, *map(build, now))
        with self.app.batch_update():
            await self.remove_children(before)
            # A sheet below is placed from where it stands in the page: after what is read.
            await self.mount(self.sheet, before=kept)
            self.scroll_home(animate=False, immediate=True)

        async def mount_the_rest() -> None:
            if turn == self._turn:
                self.sheet.tail = section.tail
                await self.sheet.mount_all([*map(build, later), *section.tail])
                self.call_after_refresh(self._finish_layout, turn, row, rows)

        self.call_after_refresh(mount_the_rest)

    def _stays(self) -> bool:
        """Return True if the section shown would be built the same again; what was predicted in it
        stands there in other words when the reader is back."""
        return self.complete and not self.sheet.query(QuestionView)

    def _finish_layout(self, turn: int, row: int, rows: int, refreshes: int = 9) -> None:
        """All of the section is mounted and laid out. A row to go to waits for those around it, but not
        for more than some refreshes: it may have fewer rows now."""
        if turn != self._turn:
            return
        if row and refreshes and self.virtual_size.height < rows:
            self.call_after_refresh(self._finish_layout, turn, row, rows, refreshes - 1)
            return
        self.complete = True
        self._opened = monotonic()  # what a slow machine took so far is no time of reading
        if row:
            there = row * self.virtual_size.height / rows
            self.scroll_to(y=round(there), animate=False, immediate=True)
        self.post_message(self.LaidOut())
        self.look_for_end()

    async def prepare(self, section: PageSection, build: Callable[[Block], Widget]) -> None:
        """Mount the section that is likely to be shown next."""
        if self.is_prepared(section.key):
            return
        sheet = Sheet(*section.head, *map(build, section.blocks), *section.tail)
        sheet.tail = section.tail
        sheet.put_below()
        self._ahead = section.key, sheet
        await self.mount(sheet)
        self.call_after_refresh(sheet.draw, self.size.height)

    def look_for_end(self) -> None:
        if not self.end_in_sight:
            self._stop_seeing()
        elif self._seeing is None:
            screenfuls = self.virtual_size.height / max(1, self.size.height)
            rest = self._opened + max(1.0, screenfuls) * SEEN_SECONDS - monotonic()
            if rest <= 0:
                self._post_end_seen()
            else:
                self._seeing = self.set_timer(min(rest, SEEN_SECONDS), self._post_end_seen)

    def _stop_seeing(self) -> None:
        if self._seeing is not None:
            self._seeing.stop()
            self._seeing = None

    def _post_end_seen(self) -> None:
        self._seeing = None
        if self.end_in_sight and self._told != self.key:
            self._told = self.key
            self.post_message(self.EndSeen(self.key))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.look_for_end()
        if self._moving is None:
            self._moving = self.set_timer(MOVED_SECONDS, self._post_moved)

    def watch_virtual_size(self) -> None:
        """Look again where the page has grown or shrunk: the end may be in sight without a scroll."""
        self.call_after_refresh(self.look_for_end)

    def on_resize(self) -> None:
        self.call_after_refresh(self.look_for_end)

    def _post_moved(self) -> None:
        self._moving = None
        self.post_message(self.Moved())

    @property
    def at_end(self) -> bool:
        return self.complete and self.is_vertical_scroll_end

    def rank_of_sight(self, widget: Widget) -> int:
        """Return 0 for a widget that begins on the screen, 1 for one of which less is there, else 2."""
        if self.region.y <= widget.region.y < self.region.bottom:
            return 0
        return 1 if self.region.overlaps(widget.region) else 2

    @property
    def end_in_sight(self) -> bool:
        """Return True if the last line of the section is on the screen. Below it there may be more: an
        empty row, the learner's note, the ways on."""
        below = self.styles.padding.bottom + _BLANK
        for widget in self.sheet.tail:
            if widget.display:
                margin = widget.styles.margin
                below += margin.top + widget.outer_size.height + margin.bottom
        return self.complete and self.scroll_offset.y >= self.max_scroll_y - below


def screenful(blocks: tuple[Block, ...], rows: int) -> tuple[list[Block], list[Block]]:
    """Blocks that fill `rows` rows, and those after them. Text may be cut between paragraphs."""
    now: list[Block] = []
    for position, block in enumerate(blocks):
        if rows <= 0:
            return now, list(blocks[position:])
        if isinstance(block, Prose):
            first, rest = markdown.split_at_block(block.text, rows)
            now.append(replace(block, text=first))
            if rest:
                return now, [replace(block, text=rest), *blocks[position + 1 :]]
            rows -= block.text.count("\n") + 1
        else:
            now.append(block)
            rows -= block.code.count("\n") + 4 if isinstance(block, Cell) else 10
    return now, []
