# expect: wrong-values
import torch


def layer(h: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Apply one layer, [rows, width] to [rows, width]. Leave it as it is, and call it by its name."""
    return torch.sin(h @ weight)


class Segment(torch.autograd.Function):
    """Saves the input of a segment, and writes its layers out when they run again."""

    @staticmethod
    def forward(ctx, h, weights):
        ctx.save_for_backward(h, weights)
        for weight in weights:
            h = layer(h, weight)
        return h

    @staticmethod
    def backward(ctx, grad):
        h, weights = ctx.saved_tensors
        with torch.enable_grad():
            start = out = h.detach().requires_grad_()
            for weight in weights:
                out = (out @ weight).sin()
        return torch.autograd.grad(out, start, grad)[0], None


def input_gradient(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The gradient of the sum of the last layer's output with respect to x, [rows, width]."""
    start = h = x.detach().requires_grad_()
    for part in weights.split(6):
        h = Segment.apply(h, part)
    return torch.autograd.grad(h.sum(), start)[0]
