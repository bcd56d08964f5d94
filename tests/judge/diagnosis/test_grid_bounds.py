"""When a source proves that its grid never passes a number, and when it does not."""

import pytest

from tutor.base.paths import course_root
from tutor.judge.diagnosis.grid_bounds import find_capped_grid

PROGRAM = """\
MOST = 512


@triton.jit
def kernel(x, n, B: tl.constexpr = 256, D: tl.constexpr = tl.float32):
    {body}


def add(x, n, size):
    count = min(triton.cdiv(n, 256), 1024)
    {before}
    {launch}
"""


def found(
    launch: str, before: str = "pass", body: str = "tl.store(x, 1)"
) -> tuple[int, int] | None:
    return find_capped_grid(PROGRAM.format(launch=launch, before=before, body=body))


@pytest.mark.parametrize(
    ("grid", "most"),
    [
        ("(min(triton.cdiv(n, 256), 1024),)", 1024),
        ("min(triton.cdiv(n, 256), 1024),", 1024),
        ("lambda meta: (min(MOST, triton.cdiv(n, meta['B'])),)", 512),
        ("(count,)", 1024),
        ("(count, 4)", 4096),
        ("(count // 4,)", 256),
        ("(triton.cdiv(count, MOST),)", 2),
        ("(triton.next_power_of_2(min(n, 100)),)", 128),
        ("(max(1, min(n, 65535)),)", 65535),
        ("(min(n, 2 * 40 + 4 - 1),)", 83),
        ("(min(n, 8) if n else 3,)", 8),
        ("(min(n, 8), n % 7)", 48),
    ],
)
def test_a_grid_that_never_passes_a_number_is_found(grid, most):
    assert found(f"kernel[{grid}](x, n, B=256)") == (12, most)


@pytest.mark.parametrize(
    "grid",
    [
        "(triton.cdiv(n, 256),)",
        "(min(n, len(x)),)",
        "(4, 2)",  # no number of programs grows here, and none is cut off
        "(n, count)",
        "(count, triton.cdiv(n, 1024))",
        "(triton.cdiv(n, min(1024, triton.next_power_of_2(n))),)",
        "(n // min(n, 8),)",
        "(max(count, n),)",
        "(count if n < 9 else n,)",
        "(count + n,)",
        "(unknown(min(n, 8)),)",
        "(min(*x, 8),)",
        "(size,)",
        "lambda count: (count,)",
        "lambda meta: (meta['count'],)",
    ],
)
def test_a_grid_without_a_bound_is_left_alone(grid):
    assert found(f"kernel[{grid}](x, n, B=256)") is None


@pytest.mark.parametrize(
    ("before", "capped"),
    [
        ("count = min(count, 64)", 64),
        ("blocks, count = n, min(n, 32)", 32),
        ("if n: count = min(n, 2000)", 2000),
        ("if n: count = 7", 1024),
        ("if n: count = n", None),
        ("count = triton.cdiv(n, 256)", None),
        ("count += n", None),
        ("count, rest = x.shape", None),
        ("for count in x: pass", None),
        ("print(count := n)", None),
        ("def count(): pass", None),
    ],
)
def test_a_name_stands_for_what_it_was_last_set_to(before, capped):
    assert found("kernel[(count,)](x, n, B=256)", before) == (capped and (12, capped))


@pytest.mark.parametrize(
    ("launch", "before", "body"),
    [
        ("kernel[(count,)](x, n)", "pass", "for i in range(9): tl.store(x, 1)"),
        ("kernel[(count,)](x, n)", "pass", "while n: tl.store(x, 1)"),
        ("kernel[(count,)](x, n, B=size)", "pass", "tl.store(x, 1)"),  # the block widens
        ("kernel[(count,)](x, n, size)", "pass", "tl.store(x, 1)"),
        ("kernel[(count,)](x, n, **more)", "pass", "tl.store(x, 1)"),
        ("kernel[(count,)](*all)", "pass", "tl.store(x, 1)"),
        ("kernel[(count,)](x, n, triton.next_power_of_2(triton.cdiv(n, count)))", "pass", "pass"),
        ("for i in x: kernel[(count,)](i, n)", "pass", "tl.store(x, 1)"),
        ("[kernel[(count,)](i, n) for i in x]", "pass", "tl.store(x, 1)"),
        ("kernel[(count,)](x, n)", "add(x, n - 1, size)", "tl.store(x, 1)"),
        ("kernel[(count,)](x, n)", "def f(): g()\n\n\ndef g(): f()", "tl.store(x, 1)"),
        ("kernel[(count,)](x, n)", "kernel[(n,)](x, n)", "tl.store(x, 1)"),  # the rest
        ("kernel[(count,)](x, n)", "go = kernel[(n,)]", "tl.store(x, 1)"),
        ("kernel[(count,)](x, n)", "list(map(add, x))", "tl.store(x, 1)"),
        ("kernel[(count,)](TensorDescriptor(x, [n], [1], [size]), n)", "pass", "x.store([0], 1)"),
        ("def inner(): kernel[(count,)](x, n)", "pass", "tl.store(x, 1)"),
    ],
)
def test_whatever_may_finish_a_large_tensor_breaks_the_proof(launch, before, body):
    assert found(launch, before, body) is None


@pytest.mark.parametrize(
    "launch",
    [
        "kernel[(count,)](x, n)",
        "kernel[(count,)](x, n, MOST)",
        "kernel[(count,)](x, n, B=min(size, 1024), D=tl.float16)",
        "return kernel[(count,)](x, n, D=n > 3)",
        "kernel[(count,)](x, size)",
    ],
)
def test_blocks_of_bounded_width_leave_the_proof(launch):
    assert found(launch) == (12, 1024)


def test_expressions_that_name_each_other_come_to_an_end():
    rows = "\n    ".join(f"a{i + 1} = a{i} + a{i} + a{i}" for i in range(200))
    assert found("kernel[(min(n, 8), a200)](x, n)", f"a0 = 1\n    {rows}") is None
    assert find_capped_grid("def add(") is None


def test_a_file_that_no_person_wrote_is_left_alone():
    """A proof of 20 000 functions would keep the judge for hours."""
    assert found("kernel[(count,)](x, n)", f"rest = [{'0, ' * 1_000}]") == (12, 1024)
    assert found("kernel[(count,)](x, n)", f"rest = [{'0, ' * 20_000}]") is None


def test_no_right_answer_has_a_capped_grid():
    course = course_root() / "kernels"
    right = [*course.glob("*/solution.py"), *course.glob("*/right/*.py")]
    assert len(right) > 100
    assert [path for path in right if find_capped_grid(path.read_text("utf-8"))] == []
