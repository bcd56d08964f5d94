import torch


def train(x, y, w, rate):
    """The loss of each step and then the trained weights, float32."""
    losses = []
    for batch, labels in zip(x, y, strict=True):
        known = ~torch.isnan(labels)
        count = known.sum()
        error = torch.nan_to_num(batch @ w - labels, nan=0.0)
        losses.append((error * error).sum() / count)
        gradient = 2 * batch.T @ error / count
        w = w - rate * gradient / gradient.norm().clamp(min=1)
    return torch.cat([torch.stack(losses), w])
