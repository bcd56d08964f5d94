from tutor.xray.triton_kernels.layouts import layout_notes

SHARED = "#shared = #ttg.swizzled_shared<{vec = %d, perPhase = 1, maxPhase = %d, order = [1, 0]}>"


def test_one_phase_is_no_swizzle() -> None:
    assert layout_notes(SHARED % (1, 1)) == [
        "#shared: shared memory, not swizzled; dimension 1 runs fastest."
    ]
    assert "swizzled: runs of 8 elements" in layout_notes(SHARED % (8, 4))[0]
