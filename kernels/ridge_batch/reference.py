import torch

from tutor.judge.spec import Case, Work


def reference(model, contexts, gpu):
    return batches(model, contexts, gpu)


def batches(model, contexts, gpu, change=""):
    """Both batches for each context. `change` names a mistake."""
    weights, bits, attention, token_bytes = map(int, model)
    peak, bandwidth, memory = map(int, gpu)
    weight_bytes = weights * bits // 8
    if change == "bits":
        weight_bytes = weights * bits
    if change == "two bytes":
        weight_bytes = 2 * weights
    rows = []
    for context in contexts.long().tolist():
        flop = (1 if change == "one operation" else 2) * weights
        flop += attention * context * (change != "attention")
        cache = token_bytes * context
        gain = flop * bandwidth - cache * peak * (change != "cache")
        ridge = -(-weight_bytes * peak // gain) if gain > 0 else 0
        if change == "down" and gain > 0:
            ridge = weight_bytes * peak // gain
        free = memory - weight_bytes * (change != "weights")
        rows.append([ridge, max(0 if change != "negative" else -(2**62), free // cache)])
    return torch.tensor(rows, dtype=torch.int64)


eager = reference


def by_mistake(change):
    return lambda model, contexts, gpu: batches(model, contexts, gpu, change)


NEAR_MISSES = (
    ("bits are taken for bytes", by_mistake("bits")),
    ("a weight has two bytes, whatever its bits", by_mistake("two bytes")),
    ("a weight costs one operation, and not two", by_mistake("one operation")),
    ("attention's arithmetic is left out", by_mistake("attention")),
    ("no step reads the cache", by_mistake("cache")),
    ("the first batch is rounded down", by_mistake("down")),
    ("the weights take no memory", by_mistake("weights")),
    ("the second batch is negative where not even the weights fit", by_mistake("negative")),
)


def work(model, contexts, gpu):
    return Work(bytes=24 * contexts.numel() + 60, flops=0)


def scale(model, contexts, gpu):
    return 0.0


H200 = (989 * 10**12, 4_800 * 10**9, 141 * 10**9)
A100 = (312 * 10**12, 2_039 * 10**9, 80 * 10**9)
ODD = (53_447_594_787, 16, 229 * 22_181, 22_181)  # 229 sequences, whatever the context
HARDLY = (8_000_000_003, 8, 534_379_879_851_839, 531_729_213_205)  # 3 + 1 / 2.7e24
DIGITS = (9 * 10**15 + 7, 8, 6_374_005_305_039_744, 7_832_891_246_684_448)  # 3 + 1 / 2.7e31
LLAMA_8B = (8_030_000_000, 16, 4 * 32 * 4096, 131_072)


def case(name, model, gpu, *contexts):
    return Case(name, lambda g: (model, torch.tensor(contexts), gpu))


def drawn(least, most):
    """A model, a GPU and contexts, all drawn between bounds of their own."""

    def make(g):
        def one(low, high):
            return int(torch.randint(low, high, (), generator=g))

        heads = 8 * one(2, 9)
        layers = one(12, 90)
        width = 128 * heads
        model = (
            8 * one(10**8, 10**10),
            (3, 4, 5, 8, 16)[one(0, 5)],
            4 * layers * width,
            2 * layers * 128 * heads // (1, 2, 4, 8)[one(0, 4)],
        )
        gpu = (one(10**13, 2 * 10**15), one(10**11, 8 * 10**12), one(16, 200) * 10**9)
        return model, torch.randint(least, most, (5,), generator=g), gpu

    return make


def a_view(g):
    model, contexts, gpu = drawn(1, 9000)(g)
    return model, contexts.repeat_interleave(2)[::2], gpu


CASES = (
    case("Llama 3 8B on an H200", LLAMA_8B, H200, 1, 100, 605, 606, 607, 8000),
    case("the same with weights of 4 bits", (LLAMA_8B[0], 4, *LLAMA_8B[2:]), H200, 500, 2000),
    case("70 billion weights, 80 GB", (70_000_000_000, 16, 2_621_440, 327_680), A100, 1, 4096),
    # 20 sequences take exactly as long to compute as to read.
    case("both times are equal", (10**6, 16, 100, 600), (3 * 10**12, 10**12, 10**9), 1000, 900),
    case("equal, odd numbers", ODD, (229 * 994_907_155_487, 994_907_155_487, 10**12), 129, 1, 999),
    case("as much reading as arithmetic", (50_000, 8, 10_000, 100), (20_000, 100, 10**6), 10, 9, 11),
    case("hardly more than three", HARDLY, (10**15 + 37, 10**12 + 39, 10**16), 1),
    case("more than three, by a digit behind 28",
         DIGITS, (8_999_999_999_999_989, 4 * 10**15 + 37, 10**15), 1),
    case("a memory of 10¹⁶ bytes", (1, 8, 1, 1), (10, 1, 10**16), 1, 2, 3),
    case("equal, large numbers", (3 * 10**15, 8, 1, 1), (10**16, 10**16, 10**16), 7, 10**15),
    case("no batch is enough", (10**9, 8, 4096, 10**6), (10**15, 10**12, 10**11), 10, 100, 5000),
    case("odd bits", (8 * 10**9 + 8, 3, 10**6, 40_000), A100, 30, 300, 3000),
    Case("drawn, short contexts", drawn(1, 300)),
    Case("drawn", drawn(100, 20_000)),
    Case("a view", a_view),
)
