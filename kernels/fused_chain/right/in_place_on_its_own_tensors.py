from torch import nn

PREDICTED_SPEEDUP = 3.0


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.activation = nn.ReLU()

    def forward(self, x):
        return self.activation(x).mul_(0.5).add_(1.0)


layer = Chain()


def chain(x):
    return layer(x)
