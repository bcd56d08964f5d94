import torch


def mixed_bits(size, loss, budget):
    sizes, losses = size.tolist(), loss.tolist()
    least = [sum(min(row) for row in sizes[i:]) for i in range(len(sizes) + 1)]
    memory = {}

    def best(row, left):
        if row == len(sizes):
            return 0.0, 0, ()
        if (row, left) not in memory:
            found = []
            for j, (taken, lost) in enumerate(zip(sizes[row], losses[row], strict=False)):
                if taken + least[row + 1] <= left:
                    rest = best(row + 1, left - taken)
                    found.append((lost + rest[0], taken + rest[1], (j, *rest[2])))
            memory[row, left] = min(found)
        return memory[row, left]

    return torch.tensor(best(0, budget)[2])
