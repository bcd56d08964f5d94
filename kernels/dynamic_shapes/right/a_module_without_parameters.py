import torch

# A file without the two predictions is judged on `fn` alone.


class Norm(torch.nn.Module):
    def __init__(self, eps=1e-5):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        return torch.native_layer_norm(x, x.shape[-1:], None, None, self.eps)[0]


norm = Norm()


def fn(x):
    return norm(x)
