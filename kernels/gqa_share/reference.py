import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
PROMISED = (
    (
        "`heads` is a multiple of `kv_heads`",
        lambda weight, heads, kv_heads: heads % kv_heads == 0 and weight.shape[0] % heads == 0,
    ),
)


def shared(weight, heads, kv_heads, *, change=""):
    """Return the new weight, head by head. The option names a mistake."""
    each = [part.double() for part in weight.chunk(heads)]
    group = heads // kv_heads
    if change == "rows take turns":
        each = [weight[h::heads].double() for h in range(heads)]
    out = []
    for j in range(kv_heads):
        old = each[j * group : (j + 1) * group]
        if change == "heads take turns":
            old = each[j::kv_heads]
        stack = torch.stack(old)
        made = {
            "sum": lambda x: x.sum(0),
            "first": lambda x: x[0],
            "last": lambda x: x[-1],
            "largest": lambda x: x.amax(0),
            "rows": lambda x: x.mean((0, 1), keepdim=True)[0].expand(x.shape[1:]),
        }
        out.append(made.get(change, lambda x: x.mean(0))(stack))
    return torch.cat(out)


def reference(weight, heads, kv_heads):
    return shared(weight, heads, kv_heads)


def eager(weight, heads, kv_heads):
    return shared(weight, heads, kv_heads).to(weight.dtype)


def work(weight, heads, kv_heads):
    moved = weight.numel() + weight.numel() * kv_heads // heads
    return Work(bytes=moved * weight.element_size(), flops=weight.numel())


def by_mistake(change):
    return lambda *args: shared(*args, change=change)


NEAR_MISSES = (
    ("the heads are added up, and not averaged", by_mistake("sum")),
    ("the first head of each group stays", by_mistake("first")),
    ("the last head of each group stays", by_mistake("last")),
    ("the largest number of each group's heads stays", by_mistake("largest")),
    ("heads that are `kv_heads` apart are averaged", by_mistake("heads take turns")),
    ("row r belongs to head r % heads", by_mistake("rows take turns")),
    ("all rows of a group are averaged to one", by_mistake("rows")),
)


def drawn_weight(heads, kv_heads, *shape, dtype=torch.float32, large=1.0):
    def make(g):
        return (torch.randn(shape, generator=g, device=g.device) * large).to(dtype), heads, kv_heads

    return make


def transposed(g):
    weight = torch.randn(7, 24, generator=g, device=g.device).T
    return weight, 8, 2


def window(g):
    weight = torch.randn(30, 40, 3, generator=g, device=g.device)
    return weight[3:27:1, 1:40:5], 6, 3


def large_half(g):
    """Numbers from 30,000 to 60,000: two of them are more than float16 can hold."""
    weight = 30_000 + 30_000 * torch.rand(16, 5, generator=g, device=g.device)
    return weight.half(), 4, 2


def two_sizes(g):
    """32 heads near 256 and 32 near 280. In bfloat16 a 33rd of the difference is lost beside 256."""
    weight = 256 + torch.rand(64, 3, generator=g, device=g.device)
    weight[32:] += 24
    return weight.bfloat16(), 64, 1


def cancelling(g):
    """Two heads near 256 and two near -256: half of a step of theirs is more than their mean."""
    weight = 256 + 2 * torch.randint(0, 9, (32, 4), generator=g, device=g.device).float()
    weight[8:16] *= -1
    weight[24:] *= -1
    return weight.bfloat16(), 8, 2


def close_doubles(g):
    """Numbers near 1 whose difference float32 does not see."""
    drawn = torch.randn(12, 4, generator=g, device=g.device, dtype=torch.float64)
    return 1 + drawn * 1e-9, 6, 2


def drawn(g):
    def one_of(*values):
        return values[int(torch.randint(0, len(values), (1,), generator=g, device=g.device))]

    kv_heads, group, rows = one_of(1, 2, 3, 5), one_of(2, 3, 4), one_of(2, 3, 8)
    heads = kv_heads * group
    shape = (heads * rows, one_of(1, 4, 9))
    return torch.randn(shape, generator=g, device=g.device), heads, kv_heads


CASES = (
    Case("8 heads to 2", drawn_weight(8, 2, 32, 6)),
    Case("6 heads to 2, a bias", drawn_weight(6, 2, 18)),
    Case("12 heads to 4, three axes", drawn_weight(12, 4, 36, 3, 2)),
    Case("heads of 64", drawn_weight(16, 4, 1024, 2)),
    Case("heads of 128", drawn_weight(4, 2, 512, 2)),
    Case("all to one head", drawn_weight(5, 1, 20, 4)),
    Case("as many as before", drawn_weight(4, 4, 12, 5)),
    Case("one row a head", drawn_weight(9, 3, 9, 4)),
    Case("float16, large numbers", large_half),
    Case("bfloat16, 16 heads to 2", drawn_weight(16, 2, 64, 9, dtype=torch.bfloat16)),
    Case("bfloat16, 64 heads to 1", two_sizes),
    Case("bfloat16, heads that cancel", cancelling),
    Case("float64, close numbers", close_doubles),
    Case("transposed view", transposed),
    Case("window of a larger tensor", window),
    Case("drawn", drawn),
)


def check_found(found):
    """(code, sentence) where the weight changes with the result that was made of it, else None."""
    for case, kept in found.items():
        if not kept:
            return (
                "wrong-values",
                f"From {case}: the result lies in the weight's memory: a write into one changes both.",
            )
    return None
