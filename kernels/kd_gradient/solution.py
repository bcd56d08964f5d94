import torch
from torch import Tensor


def kd_gradient(
    student: Tensor, teacher: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """Return the loss's gradient by the student's logits, [B, S, V].

    `labels` [B, S] are tokens, or -100 for padding.
    """
    work = torch.float64 if student.dtype == torch.float64 else torch.float32
    s, t = student.detach().to(work), teacher.detach().to(work)
    p = torch.softmax(t / temperature, -1)
    q = torch.softmax(s / temperature, -1)
    # The divergence gives (q - p) / temperature; its square makes that (q - p) * temperature.
    soft = temperature * (q - p)
    # The hard part has the same form, with p = 1 at the label and a temperature of 1.
    one = torch.zeros_like(s)
    one.scatter_(-1, labels.clamp(min=0)[..., None], 1.0)
    hard = torch.softmax(s, -1) - one
    counts = labels != -100
    place = share * soft + (1 - share) * hard
    # Each place's loss was divided by their number, so its gradient is, too.
    out = place.where(counts[..., None], 0) / counts.sum().clamp(min=1)
    return out.contiguous()
