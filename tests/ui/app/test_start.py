"""The program in a real terminal: it starts, is seen, and ends by its own key."""

from pathlib import Path

import pytest
from ptyterm import Terminal


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_introduction_then_home_is_seen_and_q_quits(
    size: tuple[int, int], tmp_path: Path
) -> None:
    terminal = Terminal(*size, tmp_path)
    try:
        for text in ("How would you like to begin?", "This machine", "Placement", "Exercise"):
            terminal.until(text)
        terminal.press("i")
        for text in ("Welcome.", "Begin", "Training at Scale", "q quit"):
            terminal.until(text)
        terminal.press("q")
        assert terminal.ended() == 0
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_terminal_of_a_few_characters_does_not_crash_it(tmp_path: Path) -> None:
    terminal = Terminal(8, 3, tmp_path)
    try:
        terminal.until("Make")
        terminal.press("q")
        assert terminal.ended() == 0
    finally:
        terminal.close()
