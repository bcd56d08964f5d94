"""The page on which a question stands alone: in a quiz, a review, the placement."""

from typing import ClassVar

from textual.containers import VerticalScroll


class QuestionSheet(VerticalScroll):
    """It scrolls and may have the keyboard. A click beside the question leaves the keyboard there."""

    FOCUS_ON_CLICK: ClassVar[bool] = False
