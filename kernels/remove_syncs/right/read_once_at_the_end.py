"""The result is read once, after the loop: one wait, however many steps."""

import torch


def train(x, y, w, rate):
    """The loss of each step and then the trained weights, float32."""
    losses = []
    for batch, labels in zip(x, y, strict=True):
        known = ~torch.isnan(labels)
        count = known.sum()
        error = torch.where(known, batch @ w - labels, 0.0)
        losses.append((error * error).sum() / count)
        gradient = 2 * batch.T @ error / count
        w = w - rate * gradient / gradient.norm().clamp(min=1)
    out = torch.cat([torch.stack(losses), w])
    print("last loss and weights:", out[len(losses) - 1 :].tolist()[0])
    return out
