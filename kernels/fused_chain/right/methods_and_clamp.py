# Three kernels, 8 bytes an element each; one kernel of 8 bytes.
PREDICTED_SPEEDUP = 24 / 8


def chain(x):
    return x.clamp(min=0.0).mul(0.5).add(1.0)
