# expect: graph-break
import torch


def model(x, training=True):
    y = x.sin()
    y = (y, 2 * y)[int(x.sum() > 0)]
    other = y.cos()
    smaller = (other.sum() < y.sum()).item()
    return other if smaller else y
