import torch


def bubbles(plans):
    rows = []
    for p, m, f, b in plans.tolist():
        work = m * (f + b)
        time = work + (p - 1) * (f + b)
        rows.append((time, 1 - work / time, time / work - 1))
    return torch.tensor(rows, dtype=torch.float64)


def orders(stages, microbatches):
    """Play the pipeline in slots: a backward if one is there, else a forward if it may be kept."""
    lists = tuple([] for _ in range(stages))
    done = set()
    while any(len(each) < 2 * microbatches for each in lists):
        new = []
        for stage, mine in enumerate(lists):
            forwards = sum(each[0] == "F" for each in mine)
            backwards = len(mine) - forwards
            behind = stage == stages - 1 or ("B", stage + 1, backwards) in done
            before = stage == 0 or ("F", stage - 1, forwards) in done
            if backwards < forwards and behind and ("F", stage, backwards) in done:
                mine.append(f"B{backwards}")
                new.append(("B", stage, backwards))
            elif forwards < microbatches and before and forwards - backwards < stages - stage:
                mine.append(f"F{forwards}")
                new.append(("F", stage, forwards))
        done.update(new)
    return lists
