"""The interface of the application to its screens, so that no screen imports the application."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tutor.base.config import Config, Loaded
    from tutor.course.catalog.course import Course
    from tutor.judge.client import Judge
    from tutor.memory.record import Record


class Services(Protocol):
    """The application as its screens see it. `ui.app.TutorApp` is the one in the product."""

    course: "Course"
    record: "Record"
    loaded: "Loaded"
    keymap: dict[str, str]  # action id -> the keys that replace the action's own
    notices: list[str]  # sentences about the start of the application, shown at home

    @property
    def judge(self) -> "Judge": ...
    @property
    def config(self) -> "Config": ...

    def open(self, target: str, *details: Any, replace: bool = False) -> None:
        """Show the screen that `target` names (see `tutor.ui.routes`), or say why it cannot be shown.

        `replace`: in place of the present screen, not above it.
        """

    def set_setting(self, name: str, value: object) -> None:
        """Write a setting and follow it. Raises `UsageError` if it cannot be written."""

    def set_keys(self, changes: dict[str, str | None]) -> None:
        """Write the keys of actions and follow them. Raises `UsageError` if they cannot be written."""

    def action_change_theme(self) -> None:
        """Offer the list of themes."""

    def push_screen(self, *args: Any, **options: Any) -> Any: ...
    def switch_screen(self, screen: Any) -> Any: ...
    def notify(self, *args: Any, **options: Any) -> None: ...
