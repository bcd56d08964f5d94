"""All masks are made before the loop, with labels of 0 and a weight for each sample."""

import torch


def train(x, y, w, rate):
    """The loss of each step and then the trained weights, float32."""
    weight = (y == y).to(x.dtype)
    weight = weight / weight.sum(1, keepdim=True)
    labels_known = torch.nan_to_num(y)
    losses = []
    for batch, labels, share in zip(x, labels_known, weight, strict=True):
        error = batch @ w - labels
        losses.append((error * error) @ share)
        gradient = 2 * batch.T @ (error * share)
        w = w - rate * gradient / gradient.norm().clamp(min=1)
    return torch.cat([torch.stack(losses), w])
