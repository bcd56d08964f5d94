import torch


def walked(stages, count):
    """Return the time of 1F1B and the most that each stage keeps, by walking through it."""
    ends, free, kept = {}, [0] * stages, [0] * stages
    orders = []
    for s in range(stages):
        ahead = min(stages - s, count)
        order = [("F", i) for i in range(ahead)]
        for i in range(count):
            order.append(("B", i))
            if i + ahead < count:
                order.append(("F", i + ahead))
        orders.append(order)
        kept[s] = ahead
    while any(orders):
        for s, order in enumerate(orders):
            if not order:
                continue
            what, i = order[0]
            other = (what, s - 1, i) if what == "F" else (what, s + 1, i)
            if 0 <= other[1] < stages and other not in ends:
                continue
            start = max(free[s], ends.get(other, 0))
            free[s] = ends[what, s, i] = start + (1 if what == "F" else 2)
            order.pop(0)
    return max(free), kept


def plan(stages, replicas, microbatches, tokens, width, weights, saved):
    time, kept = walked(stages, microbatches)
    big, padded = max(weights), [(n + replicas - 1) // replicas * replicas for n in weights]
    ends = [2 - (s == 0) - (s == stages - 1) for s in range(stages)]
    out = [e * microbatches * tokens * width * 8 for e in ends]
    calls = [p * 8 + p // replicas * 8 if replicas > 1 else 0 for p in padded]
    numbers = [time, (time - 3 * microbatches) / time, max(kept)]
    numbers.append(max(k * b for k, b in zip(kept, saved, strict=True)))
    numbers += [big * 16, max(padded) / replicas * 16, max(out), max(calls)]
    numbers.append(max(ends) * microbatches)
    numbers.append(max(a + b for a, b in zip(out, calls, strict=True)))
    numbers.append(big * microbatches * tokens * 6)
    return torch.tensor(numbers, dtype=torch.float64)
