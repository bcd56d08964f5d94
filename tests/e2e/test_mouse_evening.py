"""The mouse alone suffices for a section with its cell, a quiz and a kernel, in a small window.

`tests/ui/kit/test_mouse.py` clicks through an evening in a large one.
"""

from pathlib import Path

import mouse_evening as script
import pytest

pytestmark = pytest.mark.slow


def test_an_evening_by_clicks_only(tmp_path: Path) -> None:
    script.evening(tmp_path, (80, 24))
