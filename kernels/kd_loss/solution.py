import torch
import torch.nn.functional as F
from torch import Tensor


def kd_loss(
    student: Tensor, teacher: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """Return the mean of soft and hard loss over places that count.

    Logits are [B, S, V]; `labels` [B, S] are tokens, or -100.
    """
    work = torch.float64 if student.dtype == torch.float64 else torch.float32
    # The teacher is data: nothing is to change in it.
    s, t = student.to(work), teacher.detach().to(work)
    # Logarithms at once: a probability may be 0 where its logarithm is -15,000.
    log_p = F.log_softmax(t / temperature, -1)
    log_q = F.log_softmax(s / temperature, -1)
    # Without the square the soft part would count less, the higher the temperature is.
    soft = temperature**2 * (log_p.exp() * (log_p - log_q)).sum(-1)
    counts = labels != -100
    chosen = labels.clamp(min=0)  # -100 is no index; what is read there does not count
    hard = -F.log_softmax(s, -1).gather(-1, chosen[..., None])[..., 0]
    place = share * soft + (1 - share) * hard
    # A sum over places first, so that each place weighs the same. 0 / 1 where none counts.
    return place.where(counts, 0).sum() / counts.sum().clamp(min=1)
