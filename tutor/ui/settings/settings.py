"""The page of all settings. A change is applied and written immediately.

Settings of this machine are in `config.toml`. Settings of the memory are rows of the record, so they
move with it.
"""

from dataclasses import dataclass
from typing import Any

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tutor.base import paths
from tutor.base.config import SETTINGS, Setting
from tutor.base.errors import Stopped, UsageError
from tutor.memory.store import settings as memory
from tutor.ui.kit.core import theme
from tutor.ui.kit.core.screen import SAY_SO_SECONDS, TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.prompt_line import AskLine

# `memory.settings` checks the bounds; the page shows its error.
_MEMORY = (
    ("new_per_day", 5, "New cards a day, at most"),
    ("reviews_per_day", 20, "Cards to review a day, at most"),
    ("desired_retention", 0.01, "How likely you want to know a card when it comes back"),
    (
        "easy_days",
        0,
        "Weekdays to keep free, such as sat sun: cards of three days and more avoid them",
    ),
    ("rollover_hour", 1, "The hour at which a study day ends"),
    ("time_zone", 0, "A time zone such as Europe/Berlin; empty: the machine's own"),
)


@dataclass(frozen=True)
class SettingRow:
    """A line of the page. `setting` is None for a setting of the memory, which `name` then names."""

    name: str
    step: float
    help: str
    setting: Setting | None = None

    @property
    def default(self) -> Any:
        return self.setting.default if self.setting else memory.DEFAULTS[self.name]


ROWS: tuple[SettingRow, ...] = (
    *(SettingRow(s.name, s.step, s.help, s) for s in SETTINGS.values() if s.shown),
    *(SettingRow(name, step, text) for name, step, text in _MEMORY),
)
_KEYS = "keys"  # the line that opens the screen for keys
_LABELS = {
    "rollover_hour": "new day starts at",
    "judge_keep_minutes": "judge kept, minutes",
}  # of the others their names
_EXAMPLES = {  # of what is typed, as long as the field is empty
    "editor": "such as nvim; empty: $VISUAL or $EDITOR",
    "easy_days": "such as sat sun; empty: every day is the same",
}
_COLUMN = 2 + max(len(_LABELS.get(row.name, row.name)) for row in ROWS)


class SettingsScreen(TutorScreen):
    """Lists the settings with their values; Enter changes one."""

    CSS_PATH = "settings.tcss"
    BINDINGS = bindings("settings")
    AUTO_FOCUS = "OptionList"

    def __init__(self) -> None:
        super().__init__()
        self._following = self._stopped = False

    def compose(self) -> ComposeResult:
        yield Bar()
        yield OptionList(markup=False)
        yield Static(id="help", markup=False)
        yield AskLine(id="ask")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(Bar).show("Settings", str(paths.config_file()))
        self._fill()
        self.query_one(OptionList).action_first()

    def on_screen_resume(self) -> None:
        self._fill()

    # ---- what is shown

    def _fill(self) -> None:
        listed = self.query_one(OptionList)
        here = listed.highlighted
        options = [_heading("This machine, in config.toml")]
        options += [Option(self._line(row), id=row.name) for row in ROWS if row.setting]
        options += [
            Option(self._keys_line(), id=_KEYS),
            _heading("Your memory, in the record"),
        ]
        options += [Option(self._line(row), id=row.name) for row in ROWS if not row.setting]
        listed.clear_options().add_options(options)
        listed.highlighted = here

    def _line(self, row: SettingRow) -> Content:
        value = self._value(row)
        changed = value != row.default
        return _format_value(_label(row), _words(row.name, value), changed)

    def _keys_line(self) -> Content:
        count = len(self.tutor.config.keys)
        words = f"{count} of your own" if count else "default"
        return _format_value("keys", words, count > 0)

    def _value(self, row: SettingRow) -> Any:
        if row.setting:
            return getattr(self.tutor.config, row.name)
        return self.tutor.record.settings.get(row.name)

    @property
    def _row(self) -> SettingRow | None:
        """The setting under the cursor; None on the line of the keys."""
        option = self.query_one(OptionList).highlighted_option
        return next((row for row in ROWS if option and row.name == option.id), None)

    @on(OptionList.OptionHighlighted)
    def explain(self) -> None:
        row = self._row
        if row is None:
            about, rest = "Which key does what. Enter shows them all", ""
        else:
            about = row.help
            place = self.tutor.loaded.places.get(row.name, "") if row.setting else ""
            rest = f"Default: {_words(row.name, row.default)}" + (f" · {place}" if place else "")
        self.query_one("#help", Static).update(
            Content.assemble(
                f"{about}.\n", (limit_text(rest, lines=1, columns=150), "$foreground 70%")
            )
        )
        self.refresh_bindings()

    # ---- what is changed

    def _set(self, row: SettingRow, value: Any) -> bool:
        """Write the value, None for the default. Say why it is not allowed, and return False then."""
        if self._following:
            return True
        taken = True
        try:
            if row.setting:
                self.tutor.set_setting(row.name, value)
            else:
                value = row.default if value is None else value
                self.tutor.record.settings.set(row.name, value, follow=False)
        except UsageError as error:
            self.say(str(error).replace(row.name, _label(row)), wrong=True)
            taken = False
        self._fill()
        self.explain()
        return taken

    @on(OptionList.OptionSelected)
    def change_selected(self) -> None:
        self.action_change()

    def action_change(self) -> None:
        """Choose the next value of a short list, open the list of themes, or ask for a value."""
        row = self._row
        if row is None:
            self.tutor.open("keys")
            return
        value = self._value(row)
        if isinstance(value, bool):
            self._set(row, not value)
        elif row.name == "theme":
            self.tutor.action_change_theme()
        elif row.setting and row.setting.choices:
            self._set(row, _neighbour(row.setting.choices, value, 1))
        else:
            self.query_one(AskLine).ask(row.name, str(value), _EXAMPLES.get(row.name, "a value"))

    def action_step(self, direction: int) -> None:
        """Increase or decrease a number, or take the next or previous choice."""
        row = self._row
        if row is None:
            return
        value = self._value(row)
        if isinstance(value, bool):
            self._set(row, not value)
        elif isinstance(value, int | float):
            # Rounded: steps of 0.01 would add up to 0.9100000000000001.
            self._set(row, type(value)(round(value + direction * row.step, 4)))
        elif row.name == "theme":
            self._set(
                row, _neighbour(theme.theme_names(self.app.available_themes), value, direction)
            )
        elif row.setting and row.setting.choices:
            self._set(row, _neighbour(row.setting.choices, value, direction))
        else:
            self.action_change()

    def label_now(self, action: str) -> str | None:
        """Leave out of the footer what does nothing on this row."""
        row = self._row
        if action.startswith("step("):
            typed = row is None or (
                isinstance(row.default, str) and not (row.setting and row.setting.choices)
            )
            return "" if typed and not (row and row.name == "theme") else None
        if action == "default":
            return None if row is not None and self._value(row) != row.default else ""
        if action == "leave" and self.query_one(AskLine).display:
            return "cancel"
        return None

    def action_default(self) -> None:
        if (row := self._row) is not None:
            self._set(row, None)

    @on(Input.Submitted)
    def write_typed(self, event: Input.Submitted) -> None:
        event.stop()
        ask, typed = self.query_one(AskLine), event.value.strip()
        row = next(row for row in ROWS if row.name == ask.asking)
        try:
            value = type(row.default)(typed)
        except ValueError:
            self.say(f"“{_label(row)}” is a number: {typed[:40]!r} is none.", wrong=True)
            return
        if self._set(row, value):  # else the text stays, to be mended
            ask.put_away()
            self.query_one(OptionList).focus()

    def action_leave(self) -> None:
        ask = self.query_one(AskLine)
        if ask.display:
            ask.put_away()
            self.query_one(OptionList).focus()
        elif self._following:
            self._stopped = True
        elif self.tutor.record.settings.is_stale():
            self._following = True
            self.set_timer(SAY_SO_SECONDS, self._say_so)
            self._follow()
        else:
            self.app.pop_screen()

    # ---- the schedule is updated once after all changes

    def _say_so(self) -> None:
        words = f"every card is computed anew · {key_of(self, 'settings.leave')} stops that"
        self.query_one("#help", Static).update(words)

    @work(thread=True, exit_on_error=False)
    def _follow(self) -> None:
        """Update the schedule in a thread: it takes seconds if there are many reviews."""

        def go_on() -> None:
            if self._stopped:
                raise Stopped("the cards follow when tutor is next started")

        trouble = ""
        try:
            self.tutor.record.settings.follow(go_on)
        except (Stopped, UsageError) as error:
            trouble = str(error)
        self.app.call_from_thread(self._end_following, trouble)

    def _end_following(self, trouble: str) -> None:
        self._following = False
        if trouble:
            self.say(trouble, wrong=True)
        if self.app.screen is self:
            self.app.pop_screen()

    def put_away(self) -> None:
        self._stopped = True


def _label(row: SettingRow) -> str:
    return _LABELS.get(row.name, row.name.replace("_", " "))


def _heading(text: str) -> Option:
    return Option(Content.styled(text, "bold $primary"), disabled=True)


def _format_value(name: str, value: str, changed: bool) -> Content:
    return Content.assemble(
        ("• " if changed else "  ", "$accent"),
        name.ljust(_COLUMN),
        (value, "bold" if changed else ""),
    )


def _words(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value == "":
        return "–"
    if name == "theme" and value in theme.ABOUT:
        return f"{value} ({theme.ABOUT[value]})"
    return f"{value:g}" if isinstance(value, float) else limit_text(str(value), lines=1, columns=50)


def _neighbour(choices: list[str] | tuple[str, ...], value: str, step: int) -> str:
    here = choices.index(value) if value in choices else -1 if step > 0 else 0
    return choices[(here + step) % len(choices)]
