import torch


def ridge_batch(model, contexts, gpu):
    weights, bits, attention, token_bytes = model
    peak, bandwidth, memory = gpu
    weight_bytes = (weights * bits) >> 3

    def smallest(enough):
        """The smallest batch from 1 on that is enough."""
        high = 1
        while not enough(high):
            high *= 2
        low = high >> 1
        while high - low > 1:
            middle = (low + high) >> 1
            if enough(middle):
                high = middle
            else:
                low = middle
        return high

    def batches(c):
        flop, cache = 2 * weights + attention * c, token_bytes * c

        def computes(b):
            return b * flop * bandwidth >= (weight_bytes + b * cache) * peak

        def overflows(b):
            return weight_bytes + b * cache > memory

        ridge = smallest(computes) if flop * bandwidth > cache * peak else 0
        return [ridge, smallest(overflows) - 1]

    return torch.tensor([batches(c) for c in contexts.tolist()])
