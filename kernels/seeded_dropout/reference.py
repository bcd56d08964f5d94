import torch

from tutor.judge.spec import Case, Work

MOST_TRAFFIC = 1.01  # a bit for each decision, stored alone, needs 1.016; a byte 1.125

LOW = 0xFFFFFFFF


def product(a, b):
    """The high and the low 32 bits of a * b, for 32-bit numbers in int64 tensors."""
    low = a * (b & 0xFFFF)
    high = a * (b >> 16) + (low >> 16)
    return high >> 16, ((high & 0xFFFF) << 16) | (low & 0xFFFF)


def uniform(seed, offset):
    """Philox with 10 rounds, as Triton's `tl.rand` (triton/language/random.py, triton 3.6 and 3.7)."""
    c = [offset, *(torch.zeros_like(offset) for _ in range(3))]
    key = [seed & LOW, seed >> 32]
    for _ in range(10):
        high_a, low_a = product(c[2], 0xCD9E8D57)
        high_b, low_b = product(c[0], 0xD2511F53)
        c = [high_a ^ c[1] ^ key[0], low_a, high_b ^ c[3] ^ key[1], low_b]
        key = [(key[0] + 0x9E3779B9) & LOW, (key[1] + 0xBB67AE85) & LOW]
    signed = torch.where(c[0] >= 1 << 31, c[0] - (1 << 32), c[0])
    positive = torch.where(signed < 0, -signed - 1, signed)
    return positive.to(torch.float32) * torch.tensor(4.6566127342e-10, dtype=torch.float32)


def kept(x, p, seed):
    number = torch.arange(x.numel(), device=x.device)
    return (uniform(seed, number) >= torch.tensor(p, dtype=torch.float32)).view(x.shape)


def reference(x, p, seed):
    return torch.where(kept(x, p, seed), x / (1 - p), torch.zeros_like(x))


def eager(x, p, seed):
    return reference(x, p, seed)


def work(x, p, seed):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=100 * x.numel())


def scale(x, p, seed):
    return x.abs() / (1 - p)


def explain_wrong(got, x, p, seed):
    if x.numel() < 64 or not p:
        return None
    dropped, right = got == 0, ~kept(x, p, seed)
    if bool((dropped == right).all()):
        return "The right elements are dropped, and among the others some are not `x / (1 - p)`."
    if bool((dropped == ~right).all()):
        return "What should be kept is dropped, and the other way round."
    return (
        f"Elements that are dropped and should be kept: {int((dropped & ~right).sum())}; that are kept "
        f"and should be dropped: {int((right & ~dropped).sum())}."
    )


def numbers(*shape, p=0.5, seed=1, factor=1.0):
    def make(g):
        return factor * torch.randn(shape, generator=g, device=g.device) + 3 * factor, p, seed

    return make


def any_seed(g):
    seed = int(torch.randint(0, 2**31, (1,), generator=g, device=g.device))
    return torch.randn(3000, generator=g, device=g.device) + 3, 0.3, seed


def share_drawn(g):
    """p is the random number of element 700, which is at least p and stays."""
    return numbers(1500, p=float(uniform(10, torch.tensor([700]))), seed=10)(g)


CASES = (
    Case("one element", numbers(1)),
    Case("100 elements", numbers(100, p=0.1, seed=7)),
    Case("one short of the block", numbers(1023, seed=2)),
    Case("exactly one block", numbers(1024, seed=3)),
    Case("one past the block", numbers(1025, seed=4)),
    # The traffic is counted here, where a kernel that loads only what it keeps loads everything.
    Case("three blocks", numbers(3072, p=0.0, seed=5)),
    Case("any seed", any_seed),
    Case("p = 0.9", numbers(1500, p=0.9, seed=6)),
    Case("p is one of the random numbers", share_drawn),
    Case("seed 0", numbers(1500, seed=0)),
    Case("a large seed", numbers(1500, seed=2**31 - 1)),
    Case("a matrix", numbers(37, 53, seed=8)),
    Case("times 10,000", numbers(1500, seed=9, factor=1e4)),
)
TIMING = Case("16 Mi elements", numbers(1 << 24))
