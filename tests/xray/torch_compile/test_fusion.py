"""Plain words for what Inductor's scheduler says."""

from tutor.xray.torch_compile.fusion import WhyNot


def test_a_tensor_that_both_read_in_another_order_is_not_called_nothing_in_common() -> None:
    for reason in ("no shared data", "no shared data due to indexing mismatch"):
        meaning = WhyNot("op0", "op4", reason).meaning()
        assert "order of elements" in meaning, reason
