"""The interface of the application to its screens, so that no screen imports the application."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from tutor.base.config import Config, Loaded
    from tutor.course.catalog.course import Course
    from tutor.judge.client import Judge
    from tutor.memory.record import Record


class Services(Protocol):
    """The application as its screens see it. `ui.app.TutorApp` is the one in the product."""

    @property
    def course(self) -> "Course": ...
    @property
    def record(self) -> "Record": ...
    @property
    def judge(self) -> "Judge": ...
    @property
    def loaded(self) -> "Loaded": ...
    @property
    def config(self) -> "Config": ...
    @property
    def keymap(self) -> dict[str, str]:
        """Action id -> the keys that replace the action's own."""

    @property
    def notices(self) -> list[str]:
        """Sentences about the start of the application, shown at home."""

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
    def notify(
        self,
        message: str,
        *,
        severity: "SeverityLevel" = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None: ...
