import numpy as np
import torch


def gptq(w, x, group):
    now, seen = w.double().numpy().copy(), x.double().numpy()
    k = now.shape[1]
    h = seen.T @ seen
    inverse = np.linalg.inv(h + np.eye(k) * np.diagonal(h).mean() * 0.01)
    out = np.zeros_like(now)
    for j in range(k):
        if j % group == 0:
            scale = np.abs(now[:, j : j + group]).max(axis=1) / 7
        steps = np.divide(now[:, j], scale, out=np.zeros_like(scale), where=scale > 0)
        out[:, j] = np.clip(np.rint(steps), -8, 7) * scale
        now -= np.outer((now[:, j] - out[:, j]) / inverse[j, j], inverse[j])
        # The inverse of H without row and column j, by one step of elimination.
        inverse = inverse - np.outer(inverse[:, j], inverse[j]) / inverse[j, j]
        inverse[j, j] = 1.0
    return torch.from_numpy(out)
