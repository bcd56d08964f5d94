import torch


def train(x, y, w, rate):
    """The loss of each step and then the trained weights, float32."""
    # The numbers are right. Write it so that the CPU
    # never has to wait for one.
    losses = []
    for batch, labels in zip(x, y, strict=True):
        known = ~torch.isnan(labels)
        count = known.sum().item()
        error = batch[known] @ w - labels[known]
        losses.append((error * error).sum().item() / count)
        gradient = 2 * batch[known].T @ error / count
        if gradient.norm() > 1:
            gradient = gradient / gradient.norm()
        w = w - rate * gradient
    return torch.cat([torch.tensor(losses), w])
