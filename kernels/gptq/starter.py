import torch


def gptq(w: torch.Tensor, x: torch.Tensor, group: int) -> torch.Tensor:
    """Return numbers of four bits and a scale a group for `w` [N, K], whose errors on the inputs
    `x` [T, K] later columns make up for: float64 [N, K]."""
    w, x = w.double().clone(), x.double()
    k = w.shape[1]
    h = x.T @ x
    # The diagonal needs its hundredth of the mean.
    out = torch.zeros(w.shape, dtype=w.dtype, device=w.device)
    for j in range(k):
        if j % group == 0:
            scale = w[:, j : j + group].abs().amax(1) / 7
        out[:, j] = torch.round(w[:, j] / scale).clamp(-8, 7) * scale
        # This rounds to nearest, and divides by 0 at
        # times. Let the columns behind j make up for
        # the error.
    return out
