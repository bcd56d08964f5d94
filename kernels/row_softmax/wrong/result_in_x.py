# expect: input-modified
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    ptrs = x_ptr + row * row_stride + column * column_stride
    x = tl.load(ptrs, mask=mask, other=float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(ptrs, e / tl.sum(e, axis=0), mask=mask)


def softmax(x):
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    softmax_kernel[(rows,)](x, columns, x.stride(0), x.stride(1), BLOCK=block)
    return x
