"""Code, a difference or a report that is only read: its lines are broken to the width of the widget."""

from collections.abc import Callable

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tutor.ui.kit.text.wrapped_lines import wrap_code


class CodeText(Widget):
    """Shows a text whose long lines go on below, as `breaks` has them. It is as high as that takes."""

    DEFAULT_CSS = """
    CodeText { height: auto; width: 1fr; }
    """

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002  (Textual's name for it)
        classes: str | None = None,
        breaks: Callable[[Content, int], Content] = wrap_code,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._breaks = breaks
        self._text = Content()
        self._wrapped: dict[int, Content] = {}  # by width

    def update(self, text: Content) -> None:
        self._text = text
        self._wrapped.clear()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._at(width).plain.count("\n") + 1

    def render(self) -> Content:
        return self._at(self.content_size.width)

    def _at(self, width: int) -> Content:
        if width not in self._wrapped:
            self._wrapped = {width: self._breaks(self._text, max(1, width))}
        return self._wrapped[width]
