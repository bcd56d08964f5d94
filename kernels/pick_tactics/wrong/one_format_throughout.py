# expect: wrong-values
import torch


def pick_tactics(layers, reformats, first, last, limit):
    copies = {(before, after): time for before, after, time in reformats}
    copies.update({(row[0], row[0]): 0 for rows in layers for row in rows})
    plans = []
    for form in sorted({row[0] for rows in layers for row in rows}):
        whole, choices = copies.get((first, form), 1 << 40), []
        for tactics in layers:
            times = [
                time if reads == makes == form and space <= limit else 1 << 40
                for reads, makes, time, space in tactics
            ]
            whole += min(times)
            choices.append(times.index(min(times)))
        plans.append((whole + copies.get((form, last), 1 << 40), choices))
    return torch.tensor(min(plans)[1])
