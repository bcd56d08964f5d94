import torch
from torch import Tensor


def kd_gradient(
    student: Tensor,
    teacher: Tensor,
    labels: Tensor,
    temperature: float,
    share: float,
) -> Tensor:
    """Return the loss's gradient by the student's logits, [B, S, V].

    `labels` [B, S] are tokens, or -100 for padding.
    """
    p = torch.softmax(teacher / temperature, -1)
    q = torch.softmax(student / temperature, -1)
    # Derive what the soft part and the hard part give,
    # with their factors. Mind padding and the mean.
    return q - p
