"""Gives graphs to the learner's `recognise`. Plain values leave it."""

import torch

from tutor.judge.cases.fx_graphs import WEIGHTS, net, tried

ROOT = "1.4142135623730951"
NAMED = {
    "as in the books": "return 0.5 * x * (1 + torch.erf(x / ROOT))",
    "sum first": "return (torch.erf(x / ROOT) + 1.0) * x * 0.5",
    "grouped otherwise": "return x * (0.5 * (1 + torch.erf(x / ROOT)))",
    "rounded numbers": "a = 0.5 * x * (1 + torch.erf(x / 1.4143))\n"
    "b = 0.5 * a * (1 + torch.erf(a * 0.7071))\n"
    "c = 0.5 * b * (1 + torch.erf(b / 1.4144))\n"
    "return 0.5 * c * (1 + torch.erf(c * 0.7074))",
    "a method and a product": "return x * 0.5 * (1 + (x * 0.70710678).erf())",
    "twice": "y = 0.5 * x * (1 + torch.erf(x / ROOT))\nreturn 0.5 * y * (1 + torch.erf(y / ROOT))",
    "a product of more": "return 0.5 * x * (1 + torch.erf(0.70710678 * x)) * self.w",
    "x is a product": "y = x * self.w\nreturn y * 0.5 * (1 + torch.erf(y / ROOT))",
    "the erf is read elsewhere": "e = torch.erf(x / ROOT)\nreturn 0.5 * x * (1 + e) + e",
    "the half is read elsewhere": "h = 0.5 * x\nreturn h * (1 + torch.erf(x / ROOT)) - h",
    "the quotient is read elsewhere": ("q = x / ROOT\nreturn 0.5 * x * (1 + torch.erf(q)) + q"),
    "the sum is read elsewhere": "s = 1 + torch.erf(x / ROOT)\nreturn 0.5 * x * s + s",
    "the product is read elsewhere": ("p = 0.5 * (1 + torch.erf(x / ROOT))\nreturn x * p + p"),
    "two different x": "y = x + 1\nreturn 0.5 * y * (1 + torch.erf(x / ROOT))",
    "other numbers": "y = 0.3 * x * (1 + torch.erf(x / ROOT))\n"
    "return 0.5 * y * (2 + torch.erf(y / ROOT))",
    "erfc in the place of erf": "return 0.5 * x * (1 + torch.erfc(x / ROOT))",
    "dead code beside it": "z = x.sin()\nreturn 0.5 * x * (1 + torch.erf(x / ROOT))",
}


def probe(module, device):
    x = torch.linspace(-3, 3, 9).reshape(3, 3)
    texts = {name: net(text.replace("ROOT", ROOT), WEIGHTS) for name, text in NAMED.items()}
    return {name: tried(module.recognise, text, x, 1e-4) for name, text in texts.items()}
