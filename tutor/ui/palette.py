"""The command palette: all actions of the current screen, all days and all exercises."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, cast

from textual.app import ComposeResult
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.errors import NoWidget
from textual.events import Click
from textual.timer import Timer
from textual.worker import Worker

from tutor.ui.kit.core import theme
from tutor.ui.kit.core.services import Services
from tutor.ui.kit.core.textual_fixes import ScreenFixes
from tutor.ui.kit.keys.keymap import display_keys
from tutor.ui.kit.text.inline_markdown import style_code

_ITSELF = {"command_palette", "app.command_palette", "jump", "app.jump"}


class Found(CommandList):
    """The list of results.

    Textual's list fails on a click on a line that the search has just removed, and on a page key if
    no line fits.
    """

    def action_page_up(self) -> None:
        with suppress(KeyError):
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        with suppress(KeyError):
            super().action_page_down()  # type: ignore[no-untyped-call]

    async def _on_click(self, event: Click) -> None:
        if event.style.meta.get("option", 0) >= self.option_count:
            event.prevent_default()


class Palette(ScreenFixes, CommandPalette):
    """The command palette in our colours.

    Textual's search, and the timers that it starts, fail if the palette is closed during a search; here
    only the search ends, not the application. Textual mixes its colours, also from the terminal's, and
    they are too faint under the cursor.
    """

    DEFAULT_CSS = """
    Palette > Vertical, Palette:dark > Vertical { background: $surface; }
    Palette #--input { border: hkey $border; }
    Palette SearchIcon { color: $foreground; }
    Palette > .command-palette--help-text { text-style: not bold; }
    Palette Found > .option-list--option-highlighted {
        color: $block-cursor-foreground;
        background: $block-cursor-background;
        text-style: $block-cursor-text-style;
    }
    """

    def run_worker(self, *arguments: Any, **settings: Any) -> Worker[Any]:
        return super().run_worker(*arguments, **{**settings, "exit_on_error": False})

    def set_timer(
        self, delay: float, callback: Callable[[], Any] | None = None, **settings: Any
    ) -> Timer:
        def unless_closed() -> Any:
            return callback() if callback and self.query(CommandList) else None

        return super().set_timer(delay, unless_closed, **settings)

    def _on_click(self, event: Click) -> None:  # type: ignore[override]
        """Ignore a click on a place where nothing is, as after the terminal has become smaller.

        Textual asks which widget is there and does not expect none.
        """
        try:
            self.get_widget_at(event.screen_x, event.screen_y)
        except NoWidget:
            event.prevent_default()

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            yield Found() if isinstance(widget, CommandList) else widget


class Commands(Provider):
    """Searches actions, days and exercises by the letters typed; names count before descriptions."""

    async def startup(self) -> None:
        self._tutor = cast("Services", self.app)
        self._actions = list(self._applicable())
        self._places = list(self._days()) + list(self._exercises()) + list(self._looks())

    async def discover(self) -> Hits:
        for name, help_text, call in self._actions:
            yield DiscoveryHit(name, call, help=help_text)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, help_text, call in [*self._actions, *self._places]:
            # Matches in names come before matches in descriptions.
            if (score := matcher.match(name) or matcher.match(help_text) / 2) > 0:
                yield Hit(score, Content(name), call, text=name, help=help_text)

    def _applicable(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        """Yield each action of the screen below once, as its footer and help list it."""
        actions: dict[str, tuple[str, str, str, Callable[[], object]]] = {}
        for active in self.screen.active_bindings.values():
            binding = active.binding
            # Only actions of `keys` have an id; the others move inside a list or a text.
            if binding.id is None or not active.enabled or binding.action in _ITSELF:
                continue
            keys = display_keys(self.app, binding.key)
            if binding.action in actions:
                name, help_text, before, call = actions[binding.action]
                actions[binding.action] = (name, help_text, f"{before}  {keys}", call)
            else:
                name = binding.description[:1].upper() + binding.description[1:]
                call = partial(self.app.run_action, binding.action, active.node)
                actions[binding.action] = (name, binding.tooltip, keys, call)
        for name, help_text, keys, call in actions.values():
            about = " · ".join(filter(None, (style_code(help_text).plain, keys)))
            yield name, about, call

    def _looks(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        """Yield what sets how the program looks: the themes, the keys, and whose the font is."""
        for name in theme.theme_names(self.app.available_themes):
            about = theme.ABOUT.get(name, "the colours of this name")
            yield f"Theme {name}", f"Use {about}", partial(setattr, self.app, "theme", name)
        yield "Change keys", "Another key for any action", partial(self._tutor.open, "keys")
        says = "The font is the terminal's own: change it, or its size, in the terminal's settings"
        yield "Font", says, partial(self.app.notify, f"{says}.", timeout=8)

    def _days(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        for day in self._tutor.course.overview().days:
            if day.written:
                title = f"Day {day.day} · {style_code(day.title).plain}"
                goal = style_code(day.goal).plain
                yield title, goal, partial(self._tutor.open, f"lesson:{day.day}")

    def _exercises(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        for exercise in self._tutor.course.overview().exercises:
            about = f"Exercise of Day {exercise.day} · {style_code(exercise.title).plain}"
            yield exercise.slug, about, partial(self._tutor.open, f"exercise:{exercise.slug}")
