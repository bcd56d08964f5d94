"""Kernels that Triton or an assembler refuses, each for a reason that its exception does not have."""

import triton
import triton.language as tl


@triton.jit
def narrowed(x, y, B: tl.constexpr):
    lanes = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + lanes, tl.load(x + lanes).to(y.dtype.element_ty))


@triton.jit
def left_early(x, n, B: tl.constexpr):
    for start in range(0, n, B):
        if start > 8:
            return
        tl.store(x + start + tl.arange(0, B), 1.0)


@triton.jit
def counted():
    at = tl.program_id(0)
    while at < 9:
        at += 1
        return at  # the line that is named
    return at


@triton.jit
def calls_it(x):
    tl.store(x, counted())


@triton.jit
def scaled(a, a_scale, b, b_scale, c, S: tl.constexpr):
    i = tl.arange(0, S)
    s = tl.arange(0, S // 32)
    rows = i[:, None]
    left = tl.load(a + rows * S + i[None, :])
    right = tl.load(b + rows * S + i[None, :])
    of_left = tl.load(a_scale + rows * (S // 32) + s[None, :])
    of_right = tl.load(b_scale + rows * (S // 32) + s[None, :])
    product = tl.dot_scaled(left, of_left, "e5m2", right, of_right, "e5m2")
    tl.store(c + rows * S + i[None, :], product)


@triton.jit
def processor(x):
    number = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], tl.int32, True, 1)
    tl.store(x + tl.program_id(0), number)


@triton.jit
def waits(x, y, B: tl.constexpr):
    lanes = tl.program_id(0) * B + tl.arange(0, B)
    tl.extra.cuda.gdc_wait()  # of sm_90 and later
    tl.store(y + lanes, tl.load(x + lanes) * 2)


@triton.jit
def inserts(table, n, B: tl.constexpr):
    lanes = tl.arange(0, B)
    slot = tl.where(lanes < n, lanes, n)
    found = lanes < n
    left = tl.sum(found.to(tl.int32), axis=0)
    all_found = lanes < 0
    while left != 0:
        all_found = (all_found | found) & (lanes < n)
        slot = tl.where(~all_found, slot + 1, n)
        before = tl.atomic_cas(table + slot, lanes, lanes)
        found = (before == lanes) & ~all_found
        left = tl.sum(found.to(tl.int32), axis=0)
        if left != 0:
            tl.store(table + slot, lanes, mask=found)


@triton.jit
def multiplies(left, right, sums):
    return tl.dot(left, right, sums)


@triton.jit
def doubles(x, y):
    return x * 2


@triton.jit
def names_what_is_missing(left):
    return left * MISSING  # noqa: F821


@triton.jit
def product(a, b, c, B: tl.constexpr):
    i = tl.arange(0, B)
    places = i[:, None] * B + i[None, :]
    sums = tl.zeros((B, B), tl.float32)
    left = names_what_is_missing(tl.load(a + places))
    tl.store(c + places, doubles(multiplies(left, tl.load(b + places), sums), None))
