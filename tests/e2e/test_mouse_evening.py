"""The mouse alone suffices for a section with its cell, a quiz and a kernel."""

from pathlib import Path

import mouse_evening as script
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_an_evening_by_clicks_only(tmp_path: Path, size: tuple[int, int]) -> None:
    script.evening(tmp_path, size)
