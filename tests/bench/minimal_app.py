"""A minimal Textual application with one label. The program is compared with it."""

from textual.app import App, ComposeResult
from textual.widgets import Label


class Minimal(App[None]):
    def compose(self) -> ComposeResult:
        yield Label("one label")


if __name__ == "__main__":
    Minimal().run()
