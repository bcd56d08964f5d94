"""Private names, one test each; and a device that is pretended, and gone again."""

import pytest
import torch

from tutor.base.errors import CannotHere
from tutor.hardware.gpus import TARGETS, target
from tutor.xray.fake_gpu import fake_gpu
from tutor.xray.fake_gpu.fake_gpu import (
    NAMES,
    find_missing_names,
    pretending,
    private,
    replace_private,
)

without_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="a CUDA device is here")


@pytest.mark.parametrize("path", NAMES)
def test_torch_has(path: str) -> None:
    found = private(path)
    assert found is not None
    assert NAMES[path]


def test_nothing_is_missing() -> None:
    assert find_missing_names() == ()


@pytest.mark.parametrize("path", ["torch._inductor.scheduler.Nothing.here", "torch._nowhere.x"])
def test_a_missing_name_is_one_sentence(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setitem(NAMES, path, "the lowered nodes")
    with pytest.raises(CannotHere) as raised:
        private(path)
    said = str(raised.value)
    assert path in said
    assert torch.__version__ in said
    assert "the lowered nodes" in said
    assert "\n" not in said
    assert find_missing_names() == ((path, "the lowered nodes"),)


def test_a_name_that_is_not_in_the_table_is_refused() -> None:
    with pytest.raises(KeyError):
        private("torch._dynamo.reset")


@pytest.mark.parametrize("chip", TARGETS, ids=lambda chip: chip.name)
def test_the_pretended_device_answers_as_the_target(chip) -> None:
    with pretending(chip):
        properties = torch.cuda.get_device_properties(0)
        assert torch.cuda.is_available()
        assert torch.cuda.get_device_capability() == chip.capability
        assert properties.multi_processor_count == chip.multiprocessors
        assert properties.warp_size == chip.warp_size
        assert (torch.version.hip is not None) is (chip.vendor == "amd")
        seen = private("torch._inductor.runtime.hints.DeviceProperties").create(
            torch.device("cuda", 0)
        )
        assert seen.type == chip.backend
        assert seen.cc == chip.triton_arch
        assert private("torch.utils._triton.has_triton")()
        driver = private("triton.runtime.driver.driver")
        assert driver.active.get_current_target().arch == chip.triton_arch


@without_gpu
def test_afterwards_no_device_is_left() -> None:
    kept = dict(vars(torch.Tensor))

    def interrupted() -> None:
        with pretending(target("sm_80")):
            assert private("torch.utils._triton.has_triton")()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interrupted()
    assert not torch.cuda.is_available()
    assert not private("torch.utils._triton.has_triton")()
    assert torch.version.hip is None
    assert dict(vars(torch.Tensor)) == kept
    assert torch.arange(4)[1:].sum().item() == 6
    assert not fake_gpu.is_real(target("sm_90"))


def test_a_replaced_name_comes_back() -> None:
    path = "torch._inductor.scheduler.WhyNoFuse.__call__"
    before = private(path)

    def interrupted() -> None:
        with replace_private(path, None):
            assert private(path) is None
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interrupted()
    assert private(path) is before


def test_a_replaced_setting_comes_back() -> None:
    path = "torch._inductor.config.force_disable_caches"
    before = private(path)
    with replace_private(path, not before):
        assert private(path) is (not before)
    assert private(path) is before
