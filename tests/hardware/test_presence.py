"""A GPU that the environment hides is absent for every part of the program."""

import pytest

from tutor.hardware import presence


@pytest.mark.parametrize(
    ("visible", "there"), [(None, True), ("0", True), ("1,0", True), ("", False), ("-1", False)]
)
def test_hidden_gpus_are_absent(tmp_path, monkeypatch, visible, there):
    driver = tmp_path / "nvidiactl"
    driver.touch()
    monkeypatch.setattr(presence, "NVIDIA_CONTROL", str(driver))
    if visible is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert presence.has_nvidia() is there
    assert presence.has_nvidia_driver()


def test_without_a_driver_nothing_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(presence, "NVIDIA_CONTROL", str(tmp_path / "absent"))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert not presence.has_nvidia()
    assert not presence.has_nvidia_driver()
