"""One section of a lesson: what the screen can show is mounted at once, the rest right after it."""

from collections.abc import Callable
from dataclasses import replace

from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget

from tutor.course.model import Block, Cell, Prose
from tutor.ui.widgets import prose

# A page turn has 100 ms, and every block of Markdown is a widget of about 1.6 ms.


class Page(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Holds the widgets of one section. Posts `EndSeen` once its last line has been on screen.

    It has no keys of its own: the lesson's move it.
    """

    class EndSeen(Message):
        pass

    def __init__(self) -> None:
        super().__init__()
        self._turn = 0
        self._complete = False

    async def show(
        self, head: list[Widget], head_rows: int, blocks: tuple[Block, ...], tail: list[Widget],
        build: Callable[[Block], Widget],
    ) -> None:  # fmt: skip
        """Replace what is shown. `head` and `tail` stand before and after the section's blocks."""
        self._turn += 1
        self._complete = False
        turn = self._turn
        now, later = screenful(blocks, self.size.height - head_rows)
        with self.app.batch_update():
            await self.remove_children()
            await self.mount_all([*head, *map(build, now)])
            self.scroll_home(animate=False, immediate=True)

        async def mount_the_rest() -> None:
            if turn == self._turn:
                await self.mount_all([*map(build, later), *tail])
                self._complete = True
                self.call_after_refresh(self.look_for_end)

        self.call_after_refresh(mount_the_rest)

    def look_for_end(self) -> None:
        if self._complete and self.is_vertical_scroll_end:
            self.post_message(self.EndSeen())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.look_for_end()

    @property
    def at_end(self) -> bool:
        return self._complete and self.is_vertical_scroll_end


def screenful(blocks: tuple[Block, ...], rows: int) -> tuple[list[Block], list[Block]]:
    """Blocks that fill `rows` rows, and those after them. Text may be cut between paragraphs."""
    now: list[Block] = []
    for position, block in enumerate(blocks):
        if rows <= 0:
            return now, list(blocks[position:])
        if isinstance(block, Prose):
            first, rest = prose.split(block.text, rows)
            now.append(replace(block, text=first))
            if rest:
                return now, [replace(block, text=rest), *blocks[position + 1 :]]
            rows -= block.text.count("\n") + 1
        else:
            now.append(block)
            rows -= block.code.count("\n") + 4 if isinstance(block, Cell) else 10
    return now, []
