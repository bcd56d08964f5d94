"""Runs the learner's `multiply` on counted matrices. Plain numbers only leave the process."""

from tutor.hardware.cache_simulator import Cache, matrices

SIZES = ((32, 32, 32), (40, 24, 32))  # n, m, d


def probe(module, device):
    return {"counts": [counted(module.multiply, *sizes) for sizes in SIZES]}


def counted(multiply, n, m, d):
    """Misses of all matrices and of each, and whether the product is right."""
    cache = Cache(size=2048, line=64)
    a, b, c = matrices(cache, ((n, d), (d, m), (n, m)))
    a.numbers = [float(x % 7 - 3) for x in range(n * d)]
    b.numbers = [float(x % 5 - 2) for x in range(d * m)]
    multiply(a, b, c)
    misses = {"a": a.misses, "b": b.misses, "c": c.misses}
    return {
        "misses": misses,
        "accesses": cache.accesses,
        "right": c.numbers == product(a.numbers, b.numbers, n, m, d),
    }


def product(a, b, n, m, d):
    columns = [b[j::m] for j in range(m)]
    rows = [a[i * d : (i + 1) * d] for i in range(n)]
    return [sum(x * y for x, y in zip(row, col, strict=True)) for row in rows for col in columns]
