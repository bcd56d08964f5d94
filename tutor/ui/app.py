"""The application: services that all screens share. The screens themselves are in other modules.

A screen is imported when it is opened, so that the first one paints without delay.
"""

import os
from asyncio import get_running_loop
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from signal import SIGHUP, SIGTERM
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual.await_complete import AwaitComplete
from textual.content import Content
from textual.css.query import NoMatches
from textual.events import DescendantFocus, Event, InputEvent, MouseDown, Resize
from textual.filter import Monochrome
from textual.screen import Screen
from textual.theme import Theme
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import Worker

from tutor.base.config import Config, Loaded, load_config, suggest_name
from tutor.base.errors import CannotHere, ProgramFault, UsageError
from tutor.course.catalog.course import Course
from tutor.memory.record import Record
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.core import gc_tuning, signals, theme
from tutor.ui.kit.core.failed_work import tell_failed_work
from tutor.ui.kit.core.textual_fixes import is_stale_click
from tutor.ui.kit.core.type_ahead import TypeAhead
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import (
    is_typing,
    key_name,
    key_while_typing,
    spell_key,
    with_keys,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.command import Provider

    from tutor.judge.client import Judge
    from tutor.ui.kit.core.screen import Holding

_AFTER_PAINT_SECONDS = 0.05
_CTRL_C_SECONDS = 4.0  # between the two that quit
_HERE = Path(__file__).parent
# At the end of a text or a list these have nowhere to go; Escape leaves what there is to leave.
_MOVES = frozenset(["up", "down", "left", "right", "pageup", "pagedown", "home", "end", "escape"])
SMALLEST = (40, 10)  # columns, rows: in a smaller terminal `SmallScreen` is shown instead


def palette() -> "type[Provider]":
    """Import the palette. Textual calls this when the palette is first opened."""
    from tutor.ui.palette import Commands

    return Commands


class TutorApp(TypeAhead):
    """The application. Every screen uses its `course`, `record` and `judge`; home shows `notices`."""

    TITLE = "tutor"
    # Includes the styles of home: styles that a screen adds make Textual parse all styles again.
    CSS_PATH = [_HERE / "app.tcss", _HERE / "home" / "home.tcss"]  # noqa: RUF012
    BINDINGS = bindings("app")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012
    PAUSE_GC_ON_SCROLL = True
    COMMANDS = {palette}  # noqa: RUF012  (the base class declares it so)

    def __init__(self, course: Course, record: Record, judge: "Judge | None" = None) -> None:
        super().__init__()
        self.course, self.record = course, record
        if judge is not None:
            self.judge = judge
        # Textual's `reparse` forgets what it has parsed, so that the next widget's styles make it parse
        # all again, which takes 14 ms as the first lesson opens. It would keep the old rules if new
        # ones had faults, and ours have none.
        self.stylesheet.reparse = self.stylesheet.parse  # type: ignore[method-assign]
        self.notices = [record.notice] if record.notice else []
        self.failure: UsageError | CannotHere | ProgramFault | None = None
        self._idle: Timer | None = None
        self._previewing = False  # a theme is tried, and not kept yet
        self._told: set[tuple[type[Screen[Any]], str]] = set()  # keys that do nothing
        self._nothing = ""  # the sentence on the last one of them
        self._quits_until = 0.0  # the time until which ctrl+c quits
        for known in (theme.DARK, theme.LIGHT, theme.TERMINAL_DARK, theme.TERMINAL_LIGHT):
            self.register_theme(known)
        if self.no_color:
            self._filters = [
                theme.Greys() if isinstance(f, Monochrome) else f for f in self._filters
            ]
        self.animations = self.animation_level  # as TEXTUAL_ANIMATIONS has it
        self.keymap: dict[str, str] = {}  # action id -> keys that replace the default ones
        self.notices += self.use(load_config())

    @cached_property
    def judge(self) -> "Judge":
        """The judge. It is imported and created after home has painted, and yields to the interface."""
        from tutor.judge.client import Judge

        return Judge(self.course.root, niceness=15, runner=self.config.runner)

    def close_judge(self) -> None:
        if "judge" in self.__dict__:
            self.judge.close()

    def on_mount(self) -> None:
        new = self.record.is_empty()
        self.push_screen(HomeScreen(covered=new))
        for number in (SIGTERM, SIGHUP):  # a request to end and a closed terminal act like ctrl+q
            with suppress(RuntimeError, ValueError):  # not in the main thread
                get_running_loop().add_signal_handler(number, self.call_next, self.action_quit)
        with suppress(RuntimeError, ValueError):
            signals.once(self)
        if new:
            self.open("introduction")
        self.theme_changed_signal.subscribe(self, self._keep_theme)

    def on_unmount(self) -> None:
        # Here, not after `run`: the event loop waits for the threads that wait for the judge.
        self.close_judge()

    async def action_quit(self) -> None:
        """Quit after everything that was written is stored."""
        for screen in self._holding_screens():
            screen.put_away()
        await super().action_quit()

    def _holding_screens(self) -> "list[Holding]":
        from tutor.ui.kit.core.screen import Holding

        return [screen for screen in self.screen_stack if isinstance(screen, Holding)]

    def _handle_exception(self, error: Exception) -> None:
        """End the application with one sentence, which `run` raises.

        An expected failure (disk full, record damaged) has its own. Of any other error the traceback
        goes to a file, and what screens hold is stored first.

        A screen that was opened just before the end has no widgets: `App.exit` lets none be added any
        more (`Widget.mount_all`, Textual 8.2.8), and still sends it `Mount` and `ScreenResume`.
        """
        if self._exit and isinstance(error, NoMatches):
            return
        if isinstance(error, UsageError | CannotHere):
            self.failure = error
            self.exit(return_code=error.exit_status)
        else:
            if self.failure is None:
                from tutor.base.crash_log import SAVED, write_crash

                self.failure = write_crash(error, SAVED)
                self._put_away_all()
            super()._handle_exception(error)

    def panic(self, *renderables: "RenderableType") -> None:
        """End the application after a fault of the thread that reads keys.

        Textual 8.2.8, drivers/linux_driver.py: `_run_input_thread` passes its traceback. It also fails
        where the terminal has closed, which may be heard before SIGHUP and is no fault.
        """
        self._put_away_all()
        if self.failure is None and os.isatty(0):
            from rich.console import Group

            from tutor.base.crash_log import SAVED, write_crash

            lines = self.console.render_lines(Group(*renderables), pad=False)
            text = "\n".join("".join(segment.text for segment in line) for line in lines)
            self.failure = write_crash(RuntimeError(f"keys are not read any more\n{text}"), SAVED)
        self._close_messages_no_wait()

    def _put_away_all(self) -> None:
        for screen in self._holding_screens():
            with suppress(Exception):  # the fault may be this screen's
                screen.put_away()

    def _fatal_error(self) -> None:
        """Close without Textual's page of traceback and local variables."""
        self._close_messages_no_wait()

    def on_ready(self) -> None:
        # Textual is ready before it has painted.
        self.set_timer(_AFTER_PAINT_SECONDS, self._warm_judge)

    def _warm_judge(self) -> None:
        from tutor.ui.kit.core.thread_pool import Threads
        from tutor.ui.routes import prepare_screens

        get_running_loop().set_default_executor(Threads())
        # The judge's processes take a second to load; the learner reads home meanwhile.
        self.run_worker(self.judge.warm, thread=True, group="judge", exit_on_error=False)
        self.run_worker(prepare_screens, thread=True, group="ahead", exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        tell_failed_work(self, event)

    async def on_event(self, event: Event) -> None:
        if isinstance(event, InputEvent | Resize):
            if not self.screen_stack or self._exit:
                return  # it came while the application ends: texts are stored already
            if self._idle is not None:
                self._idle.stop()
            self._idle = self.set_timer(gc_tuning.PAUSE_SECONDS, self._pause)
        if isinstance(event, MouseDown) and is_stale_click(self.screen, event.x, event.y):
            return
        await super().on_event(event)

    def _pause(self) -> None:
        gc_tuning.collect_new()
        seconds = gc_tuning.IDLE_SECONDS - gc_tuning.PAUSE_SECONDS
        self._idle = self.set_timer(seconds, partial(gc_tuning.collect, self))

    # ---- notifications: one at a time, and only on the page that they concern

    def on_notify(self) -> None:
        """Run before Textual handles the new notification."""
        self._notifications.clear()

    def push_screen(self, *args: Any, **options: Any) -> Any:
        self._notifications.clear()
        return super().push_screen(*args, **options)

    def pop_screen(self) -> AwaitComplete:
        self._notifications.clear()
        return super().pop_screen()

    def switch_screen(self, screen: Screen[Any] | str) -> AwaitComplete:
        self._notifications.clear()
        return super().switch_screen(screen)

    async def run_action(
        self, action: Any, default_namespace: Any = None, namespaces: Any = None
    ) -> bool:
        """Run the action unless its page is not mounted.

        Between a key (or Enter in the palette) and its action, a page may have opened or closed.
        """
        if isinstance(default_namespace, Widget) and not (
            default_namespace.is_mounted and default_namespace.is_attached
        ):
            return False
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except KeyError:
            # Textual's `OptionList._move_page` looks up a line of a list that is not laid out yet.
            if str(action).rpartition(".")[2] not in ("page_up", "page_down"):
                raise
            return False

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Say that a key does nothing on this screen, once for each key. The next key that does
        something takes the words away."""
        done = await super()._check_bindings(key, priority)
        if done and self._nothing:
            for told in [one for one in self._notifications if one.message == self._nothing]:
                self._unnotify(told)
            self._nothing = ""
        place = (type(self.screen), key)
        if getattr(self.screen, "is_opening", False):  # its keys come in a moment
            return done
        if not (done or priority or place in self._told or key.rpartition("+")[2] in _MOVES):
            from tutor.ui.kit.core.screen import TutorScreen

            self._told.add(place)
            instead = with_keys(getattr(self.screen, "INSTEAD", TutorScreen.INSTEAD), self.keymap)
            if isinstance(self.screen, TutorScreen) and is_typing(self.screen):
                instead = f"{key_while_typing('app.help', self.keymap)} lists the keys that work."
            self._nothing = f"{spell_key(key)} does nothing here. {instead}"
            self.notify(self._nothing, timeout=4, markup=False)
        return done

    def on_resize(self, event: Resize) -> None:
        from tutor.ui.kit.dialogs.small_window import SmallScreen

        small = event.size.width < SMALLEST[0] or event.size.height < SMALLEST[1]
        shown = isinstance(self.screen, SmallScreen)
        if small and not shown:
            self.push_screen(SmallScreen(*SMALLEST))
        elif shown and not small:
            self.pop_screen()

    # ---- settings

    @property
    def config(self) -> Config:
        return self.loaded.config

    def use(self, loaded: Loaded) -> list[str]:
        """Apply these settings. Returns one sentence for each fault in them."""
        self.loaded = loaded
        faults = list(loaded.faults)
        if loaded.config.keys or not loaded.config.vim_keys or self.keymap:
            from tutor.ui.kit.keys.keymap import read_keymap

            before = self.keymap
            self.keymap, wrong = read_keymap(loaded)
            self.set_keymap(self.keymap)
            faults += wrong
            if self.keymap != before:
                self._name_keys_anew()
        wanted = loaded.config.theme
        if wanted not in self.available_themes:
            place = loaded.places.get("theme", "config.toml")
            near = suggest_name(wanted, self.available_themes)
            key = key_name("app.theme", self.keymap)
            faults.append(f"{place}: no theme {wanted[:60]!r}{near}; {key} shows all")
            wanted = theme.DARK.name
        self.theme = wanted
        self.animation_level = "none" if loaded.config.reduced_motion else self.animations
        if judge := self.__dict__.get("judge"):  # it is made by the first use
            judge.use(loaded.config.runner)
        return faults

    def _name_keys_anew(self) -> None:
        from tutor.ui.kit.core.screen import NamesKeys

        for screen in self.screen_stack:
            for node in screen.walk_children(Widget, with_self=True):
                # One that is not there yet reads the keys when it comes.
                if node.is_mounted and isinstance(node, NamesKeys):
                    node.keys_changed()

    def set_setting(self, name: str, value: object) -> None:
        """Write a setting to `config.toml`, None for its default, and apply it immediately.

        Raises `UsageError` if it cannot be written; then nothing has changed.
        """
        from tutor.base.config_edit import change

        change(name, value)
        self.use(load_config())

    def set_keys(self, changes: dict[str, str | None]) -> None:
        """Write the keys of actions, None for the default keys, and apply them immediately. Raises
        `UsageError` like `set_setting`."""
        from tutor.base.config_edit import change_keys

        change_keys(changes)
        self.use(load_config())

    def _keep_theme(self, _: Theme) -> None:
        # Read the current keymap: the signal of a change may arrive after the next change.
        if self.theme != self.config.theme and not self._previewing:
            try:
                self.set_setting("theme", self.theme)
            except UsageError as error:
                self.notify(str(error), severity="warning", timeout=15, markup=False)

    def action_help_quit(self) -> None:
        """ctrl+c where no text is selected: the second one soon after the first quits, unless the
        keyboard is in a text, where it copies."""
        if self.focused is not None and self.focused.check_consume_key("a", "a"):
            self.notify("Nothing is selected to copy.", timeout=_CTRL_C_SECONDS, markup=False)
            return
        if monotonic() < self._quits_until:
            self.call_next(self.action_quit)
            return
        self._quits_until = monotonic() + _CTRL_C_SECONDS
        self.notify(
            "Ctrl+C again quits; everything is saved.", timeout=_CTRL_C_SECONDS, markup=False
        )

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        if self.config.reduced_motion and hasattr(event.widget, "cursor_blink"):
            event.widget.cursor_blink = False

    def open(self, target: str, *details: Any, replace: bool = False) -> None:
        """Show the screen that `target` names, or say why it cannot be shown."""
        from tutor.ui.routes import open_target

        open_target(self, target, *details, replace=replace)

    def action_open(self, target: str) -> None:
        self.open(target)

    def action_bookmarks(self) -> None:
        from tutor.ui.bookmarks import open_bookmarks

        open_bookmarks(self)

    def action_help(self) -> None:
        from tutor.ui.kit.dialogs.help import HelpScreen

        self.push_screen(HelpScreen(self.screen))

    def action_change_theme(self) -> None:
        from tutor.ui.kit.dialogs.choice import ChooseScreen

        names = theme.theme_names(known := self.available_themes)
        lines = [Content.assemble(n.ljust(24), theme.about(known[n])) for n in names]
        start = names.index(self.theme) if self.theme in names else 0
        before, self._previewing = self.theme, True

        def preview(index: int) -> None:
            self.theme = names[index]

        def chosen(index: int | None) -> None:
            self._previewing = False
            self.theme = before if index is None else names[index]
            self._keep_theme(self.current_theme)

        self.push_screen(ChooseScreen("Colours", lines, start, "chooses", preview), chosen)

    def action_move(self, step: int) -> None:
        from tutor.ui.kit.keys import movement

        movement.move_line(self.screen, step)

    def action_edge(self, step: int) -> None:
        from tutor.ui.kit.keys import movement

        movement.move_to_edge(self.screen, step)

    def action_jump(self) -> None:
        from tutor.ui.kit.dialogs.jump import JumpScreen, targets

        if not (places := targets(self.screen)):
            self.notify("This page has no parts to jump to.", timeout=4)
            return

        self.push_screen(JumpScreen(places))

    def action_command_palette(self) -> None:
        from tutor.ui.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())  # without Textual's id: one that closes may still have it

    def action_settings(self) -> None:
        from tutor.ui.routes import screen_class

        if not isinstance(self.screen, screen_class("settings")):
            self.open("settings")
