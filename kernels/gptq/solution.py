import torch


def gptq(w: torch.Tensor, x: torch.Tensor, group: int) -> torch.Tensor:
    """Return numbers of four bits and a scale a group for `w` [N, K], whose errors on the inputs
    `x` [T, K] later columns make up for: float64 [N, K]."""
    w, x = w.double().clone(), x.double()
    k = w.shape[1]
    h = x.T @ x
    h = h + 0.01 * h.diagonal().mean() * torch.eye(k, dtype=h.dtype, device=h.device)
    # Row j of this factor is row j of the inverse once the columns before j are taken out of it.
    u = torch.linalg.cholesky(torch.linalg.inv(h), upper=True)
    out = torch.zeros(w.shape, dtype=w.dtype, device=w.device)
    for j in range(k):
        if j % group == 0:
            scale = w[:, j : j + group].abs().amax(1) / 7
        steps = torch.round(w[:, j] / torch.where(scale == 0, torch.inf, scale)).clamp(-8, 7)
        out[:, j] = steps * scale
        error = (w[:, j] - out[:, j]) / u[j, j]
        w[:, j + 1 :] -= error[:, None] * u[j, j + 1 :]
    return out
