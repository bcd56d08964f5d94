"""Bytes that Inductor's kernels read and write."""

from pathlib import Path

import pytest
import torch
import xray_functions as functions
from capturing import f32, look
from running import run

from tutor.xray.model.input_specs import TensorSpec
from tutor.xray.torch_compile.inductor import LIBRARY_CALL
from tutor.xray.torch_compile.memory_traffic import MemoryTraffic, sum_kernel_traffic


def bytes_of(stage) -> tuple[int | float, int | float]:
    counts = dict(stage.counts)
    return counts["bytes_read"], counts["bytes_written"]


def test_a_fused_chain_moves_its_input_and_its_output_once() -> None:
    seen = look(functions.chain, f32(1024, 1024))
    (kernel,) = seen.names()
    assert bytes_of(seen.stages[f"triton:{kernel}"]) == (4 << 20, 4 << 20)
    assert bytes_of(seen.stages["wrapper"]) == (4 << 20, 4 << 20)
    assert "reads 4194304 bytes and writes 4194304" in seen.notes(f"triton:{kernel}")


def test_a_split_reduction_hands_partial_sums_on() -> None:
    seen = look(functions.day28_reduction, f32(1024, 1024), f32(1024, 1024))
    first, second = (bytes_of(seen.stages[f"triton:{name}"]) for name in seen.names())
    assert first[0] == 4 << 20
    assert first[1] == second[0] < 1 << 16
    assert second[1] == 4
    assert bytes_of(seen.stages["wrapper"]) == (first[0] + second[0], first[1] + second[1])


def test_a_constant_of_the_graph_is_read_too() -> None:
    factors = [float(i * i) for i in range(11)]  # a shorter one is written into the kernel
    seen = look(lambda x: x * torch.tensor(factors, device=x.device), f32(16, 11))
    (kernel,) = seen.names()
    assert bytes_of(seen.stages[f"triton:{kernel}"]) == (16 * 11 * 4 + 11 * 4, 16 * 11 * 4)


def twice(x, y):
    return torch.mm(x + 1, y + 1)


def test_each_launch_counts_in_the_wrapper() -> None:
    seen = look(twice, f32(512, 512), f32(512, 512))
    (kernel,) = seen.names()
    assert seen.count("wrapper", "launches") == 2
    one, all_of_them = bytes_of(seen.stages[f"triton:{kernel}"]), bytes_of(seen.stages["wrapper"])
    assert one == (1 << 20, 1 << 20)
    assert all_of_them == (2 << 20, 2 << 20)


def two_parts(x):
    a, b = x[:, :8].sin(), x[:, 8:16].cos()
    return a + b, a - b


def writes_over_its_input(x, y):
    x.copy_(y * 2)
    return y + 1


def changes_a_part_first(x, y):
    x[:, :4] = y
    return x * 2


@pytest.mark.parametrize(
    ("function", "columns", "moved"),
    [
        (two_parts, 0, [(4096, 4096)]),
        (writes_over_its_input, 64, [(16384, 32768)]),
        (changes_a_part_first, 4, [(1024, 1024), (16384, 16384)]),
    ],
)
def test_only_what_a_kernel_accesses_counts(function, columns, moved) -> None:
    seen = look(function, f32(64, 64), *([f32(64, columns)] if columns else []))
    assert [bytes_of(seen.stages[f"triton:{name}"]) for name in seen.names()] == moved
    assert bytes_of(seen.stages["wrapper"]) == tuple(map(sum, zip(*moved, strict=True)))


def rows_and_columns(x):
    return x.sum(-1), x.sum(0)


def test_what_a_kernel_leaves_in_its_workspace_is_added_by_a_call_of_aten() -> None:
    seen = look(rows_and_columns, f32(8192, 1024))
    assert seen.count("wrapper", "launches") == 1
    assert "workspace_0" in seen.stages["wrapper"].text
    assert seen.count("wrapper", "extern_calls") == 1
    assert "Calls into libraries and ATen: sum." in seen.notes("wrapper")


def test_what_is_not_known_of_one_node_is_not_known_of_the_kernel() -> None:
    found = {
        "op0": ("op0_op1", MemoryTraffic(8, 4)),
        "op1": ("op0_op1", MemoryTraffic(8, 4)),
        "op2": ("op2", MemoryTraffic(1, 2)),
    }
    assert sum_kernel_traffic(("op0", "op1"), found) == MemoryTraffic(8, 4)
    assert sum_kernel_traffic(("op0", "op1", "op2"), found) == MemoryTraffic(9, 6)
    assert sum_kernel_traffic(("op0", "op3"), found) is None
    assert sum_kernel_traffic((), found) is None


def count_each(i):
    zeros = torch.zeros(8, dtype=torch.int64, device=i.device)
    return zeros.scatter_add(0, i, torch.ones_like(i))


def test_a_scatter_that_aten_does_is_a_call_in_the_wrapper() -> None:
    seen = look(count_each, TensorSpec("i64", (256,)))
    assert seen.count("wrapper", "extern_calls") == 1
    assert seen.count("ir_post_fusion", "library_calls") == 1
    assert "Calls into libraries and ATen: aten.scatter_reduce_.two." in seen.notes("wrapper")


def test_a_call_of_aten_is_a_statement() -> None:
    text = """
            # Topologically Sorted Source Nodes: [y], Original ATen: [aten.index_put]
            aten.index_put_(buf0, [arg1_1], arg2_1, True)
            extern_kernels.mm(aten.view.dtype(arg0_1, torch.int32), arg1_1, out=buf1)
            buf2 = torch.ops.aten.topk.default(buf1, 2)
    """
    calls = ["".join(names) for names in LIBRARY_CALL.findall(text)]
    assert calls == ["aten.index_put_", "mm", "aten.topk.default"]


def take(x, i):
    return x[i] + 1


def test_loads_and_reductions_are_counted_in_the_body() -> None:
    seen = look(take, f32(64, 8), TensorSpec("i64", (16,)))
    (kernel,) = seen.names()
    assert "In its body, counted: loads 2, stores 1, reductions 0." in seen.notes(
        f"triton:{kernel}"
    )
    for columns in (
        8,
        8192,
    ):  # one block a row; a loop over the row, whose maximum and sum go along
        seen = look(functions.softmax, f32(64, columns))
        (kernel,) = seen.names()
        assert seen.count(f"triton:{kernel}", "reductions") == 2


@pytest.mark.slow
def test_what_is_made_and_read_in_one_kernel_is_not_read_from_memory() -> None:
    file = Path(__file__).parents[1] / "triton_kernels" / "writes_rows.py"
    shown = run(file, "writes_rows", "f32[512]", stage="triton")
    counts = [dict(s.counts) for s in shown.stages.values() if "select_zeros_0" in s.kernel]
    assert [(one["loads"], one["bytes_read"], one["bytes_written"]) for one in counts] == [
        (0, 0, 2048)
    ]
