"""The footer: six keys at any width, the last ones always."""

import pytest

from tutor.ui.kit.widgets.footer import MOST, Shown, choose_fitting

KEYS = [Shown(str(n), str(n), f"does {n}", f"do({n})", "") for n in range(9)]


@pytest.mark.parametrize("width", [20, 40, 80, 400])
def test_at_most_six_keys_of_which_the_last_two_always(width: int) -> None:
    shown = choose_fitting(KEYS, width)
    assert len(shown) == min(MOST, width // KEYS[0].width)
    assert shown[-2:] == tuple(KEYS[-2:])
    assert list(shown[:-2]) == KEYS[: len(shown) - 2], "the first ones come first"
