import torch


def tiles(n, parts, most):
    # ways[d]: in how many ways the parts so far have the product n // d.
    ways = {n: 1}
    divisors = []
    d = 1
    while d * d <= n:
        if n % d == 0:
            divisors += [d] if d * d == n else [d, n // d]
        d += 1
    if parts > 2:
        for _ in range(parts - 2):
            further = dict.fromkeys(divisors, 0)
            for left, count in ways.items():
                for d in divisors:
                    if left % d == 0:
                        further[left // d] += count
            ways = further
    # The factor before the last one is free, and the last is what remains.
    return sum(
        count
        for left, count in ways.items()
        if count
        for d in divisors
        if left % d == 0 and d <= most
    )


def sketch_space(sketches):
    numbers = []
    for sketch in sketches:
        n = 1
        for decision in sketch:
            if decision[0] == "tile":
                n = n * tiles(*decision[1:])
            elif decision[0] == "choice":
                n = n * sum(1 for w in decision[1] if w != 0.0)
        numbers.append(n)
    numbers.append(sum(numbers))
    return torch.tensor(numbers)
