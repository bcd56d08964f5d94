"""What the warm process of X-rays does once, so that its forks need not: never what forbids a fork."""

import pytest
import torch

from tutor.hardware import presence
from tutor.judge.worker import xray_worker


@pytest.mark.parametrize(
    ("cuda", "hip", "backward"), [(None, None, True), ("13.0", None, False), (None, "7.1", False)]
)
def test_no_backward_is_rehearsed_where_it_would_start_threads(
    monkeypatch: pytest.MonkeyPatch, cuda: str | None, hip: str | None, backward: bool
) -> None:
    """A build for GPUs starts them also on a machine without one, and no fork may do a backward then."""
    rehearsed: list[bool] = []
    monkeypatch.setattr(torch.version, "cuda", cuda)
    monkeypatch.setattr(torch.version, "hip", hip)
    monkeypatch.setattr(presence, "has_nvidia_driver", lambda: False)
    monkeypatch.setattr(xray_worker, "rehearse_kernel", lambda: None)
    monkeypatch.setattr(
        xray_worker, "_rehearse", lambda stage, *, backward, **_: rehearsed.append(backward)
    )
    xray_worker.warm_compilers()
    assert (True in rehearsed) is backward
    assert False in rehearsed
