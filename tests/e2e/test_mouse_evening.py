"""The mouse alone suffices for a section with its cell and a quiz."""

from pathlib import Path

import mouse_evening as script
import pytest

pytestmark = pytest.mark.slow


def test_an_evening_by_clicks_only(tmp_path: Path) -> None:
    script.evening(tmp_path, (80, 24))
