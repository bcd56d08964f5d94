import torch

from tutor.judge.spec import Case, Work

ALLOWED = ("send", "recv")


def reference(world, x, root):
    return x[root].expand(world, -1).contiguous()


eager = reference


def work(world, x, root):
    return Work(bytes=2 * x.nbytes, flops=0)


def scale(world, x, root):
    return 0.0  # numbers are moved, and none is computed


def most_rounds(world, x, root):
    return (world - 1).bit_length()


NEAR_MISSES = (
    ("each rank keeps its own vector", lambda world, x, root: x),
    ("rank 0 is the root", lambda world, x, root: reference(world, x, 0)),
    ("the vectors are added up", lambda world, x, root: x.sum(0).expand(world, -1)),
)


def explain_wrong(got, world, x, root):
    for rank in range(world):
        if torch.equal(got[rank], x[root].to(got.dtype)):
            continue
        for other in range(world):
            if other != root and torch.equal(got[rank], x[other].to(got.dtype)):
                whose = "its own" if other == rank else f"rank {other}'s own"
                return f"Rank {rank} returns {whose} vector, and the root is rank {root}."
    return None


def drawn(world, n, root, dtype=torch.float32):
    def make(g):
        if dtype == torch.int64:
            return world, torch.randint(-(2**40), 2**40, (world, n), generator=g, dtype=dtype), root
        return world, torch.randn(world, n, generator=g, dtype=dtype), root

    return make


CASES = (
    Case("3 ranks, root 0", drawn(3, 5, 0)),
    Case("4 ranks, root 3, int64", drawn(4, 1, 3, torch.int64)),
    Case("5 ranks, root 2", drawn(5, 100, 2)),
    Case("7 ranks, root 6, float64", drawn(7, 3, 6, torch.float64)),
    Case("2 ranks, root 1", drawn(2, 8, 1)),
    Case("8 ranks, root 5", drawn(8, 2, 5)),
    Case("1 rank", drawn(1, 4, 0)),
)
