"""What our screens have in common."""

from typing import TYPE_CHECKING, cast

from textual.screen import Screen

if TYPE_CHECKING:
    from tutor.ui.app import TutorApp


class TutorScreen(Screen[None]):
    """A screen that knows the application's own attributes."""

    @property
    def tutor(self) -> "TutorApp":
        return cast("TutorApp", self.app)

    def say(self, text: str, *, wrong: bool = False) -> None:
        """A line in the corner for a few seconds. The text is shown as it is."""
        self.notify(text, severity="warning" if wrong else "information", markup=False, timeout=6)
