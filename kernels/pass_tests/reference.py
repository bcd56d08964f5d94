import torch

from tutor.judge.spec import Case, Work

BUILD = """
import copy

import torch
from torch import nn


class Small(nn.Module):
    def __init__(self, layer, codes, scale):
        super().__init__()
        codes = codes.to(torch.uint8)
        self.register_buffer("packed", codes[:, :K // 2] | codes[:, K // 2:] << 4)
        self.register_buffer("scale", scale.half())
        self.bias = layer.bias

    def forward(self, x):
        codes = torch.cat((self.packed & 15, self.packed >> 4), 1)
        each = self.scale.float().repeat_interleave(32, 1)
        return nn.functional.linear(x, (codes.float() - 8) * each, self.bias)


def round_off(w, x):
    groups = w.reshape(len(w), -1, 32)
    scale = (groups.abs().amax(2) / 7).half().float()
    step = torch.where(scale == 0, torch.inf, scale)[:, :, None]
    return (torch.round(groups / step).clamp(-8, 7) + 8).flatten(1), scale


def quantise(net, seen):
    new = copy.deepcopy(net)
    got = {}
    owners = [id(p) for each in new.modules() for p in each.parameters(recurse=False)]
    chosen = [
        (name, layer)
        for name, layer in new.named_modules()
        if isinstance(layer, nn.Linear)
        and layer.in_features % 32 == 0
        and owners.count(id(layer.weight)) == 1
    ]
    for name, layer in chosen:
        def listen(layer, given, name=name):
            got.setdefault(name, []).append(given[0].flatten(0, -2))
        layer.register_forward_pre_hook(listen)
    new(seen)
    for name, layer in chosen:
        codes, scale = round_off(layer.weight.detach(), torch.cat(got[name]))
        new.set_submodule(name, Small(layer, codes, scale))
    return new
""".replace("K // 2", "codes.shape[1] // 2")

ROUND = BUILD[BUILD.index("def round_off") : BUILD.index("def quantise")]
GPTQ = """def round_off(w, x):
    w, x = w.double().clone(), x.double()
    h = x.T @ x
    h += 0.01 * h.diagonal().mean() * torch.eye(len(h)).double()
    u = torch.linalg.cholesky(torch.linalg.inv(h), upper=True)
    codes, scales = torch.zeros_like(w), []
    for j in range(w.shape[1]):
        if j % 32 == 0:
            scales.append((w[:, j : j + 32].abs().amax(1) / 7).half().double())
        scale = scales[-1]
        steps = torch.round(w[:, j] / torch.where(scale == 0, torch.inf, scale)).clamp(-8, 7)
        codes[:, j] = steps + 8
        w[:, j + 1 :] -= ((w[:, j] - steps * scale) / u[j, j])[:, None] * u[j, j + 1 :]
    return codes, torch.stack(scales, 1)


"""
PACKED = "codes[:, :codes.shape[1] // 2] | codes[:, codes.shape[1] // 2:] << 4"
READ = "torch.cat((self.packed & 15, self.packed >> 4), 1)"
WEIGHT, LINEAR = "(codes.float() - 8) * each", "return nn.functional.linear(x, "
STEPS, COPY = "(torch.round(groups / step).clamp(-8, 7) + 8)", "new = copy.deepcopy(net)"
EACH = "self.scale.float().repeat_interleave(32, 1)"
OWNED = "        and owners.count(id(layer.weight)) == 1\n"
SET, DONE = "new.set_submodule(name, Small(layer, codes, scale))", "    return new\n"

RIGHT = (  # replacements, what a right build does
    ((), "rounds to nearest, and keeps the second half of a row in the high bits"),
    (
        ((PACKED, "codes[:, 0::2] | codes[:, 1::2] << 4"),
         (READ, "torch.stack((self.packed & 15, self.packed >> 4), 2).flatten(1)")),
        "rounds to nearest, and keeps neighbours in one byte",
    ),
    (((ROUND, GPTQ),), "rounds by GPTQ"),
    (
        ((STEPS, "(torch.round(groups / step).clamp(-7, 7) + 7)"),
         (WEIGHT, "(codes.float() - 7) * each")),
        "uses the codes 0 to 14, and takes 7 off",
    ),
    (
        (("codes = codes.to(torch.uint8)", "codes = (codes.to(torch.uint8) + 8) % 16"),
         ("codes.float() - 8", "(codes.float() + 8) % 16 - 8")),
        "keeps its steps in two's complement",
    ),
    (
        ((PACKED, f"({PACKED}).contiguous().view(torch.int32)"),
         (READ, READ.replace("self.packed", "self.packed.view(torch.uint8)"))),
        "keeps eight codes in an int32",
    ),
)
WRONG = (  # replacements, what the build does
    (((READ, "torch.cat((self.packed >> 4, self.packed & 15), 1)"),),
     "reads the low and high bits of a byte in the other order"),
    (((WEIGHT, "codes.float() * each"),), "multiplies codes, and takes no 8 off"),
    (((EACH, "self.scale[:, :1].float()"),), "uses the first group's scale for all of a row"),
    (((", self.bias)", ")"),), "ignores the bias"),
    (((OWNED, ""),), "gives four bits to a layer whose weight is the embedding's, which was to stay"),
    (((DONE, "    for each in new.modules():\n        if isinstance(each, nn.Embedding):\n"
       "            each.weight.data = each.weight.data.half().float()\n" + DONE),),
     "rounds the embedding to float16"),
    (((DONE, "    for each in new.modules():\n"
       "        own = getattr(each, \"weight\", None)\n"
       "        if \"Norm\" in type(each).__name__ and isinstance(own, nn.Parameter):\n"
       "            own.data = own.data * (1 + 1e-6)\n" + DONE),),
     "changes the weights of norms by a millionth"),
    (((DONE, "    for each in new.modules():\n"
       "        if isinstance(each, nn.Linear) and each.in_features % 32:\n"
       "            each.weight.data = each.weight.data.half().float()\n" + DONE),),
     "rounds layers whose inputs 32 does not divide to float16"),
    (((DONE, "    return nn.Sequential(new)\n"),),
     "gives what stays another name, in a module around it"),
    (((COPY, "new = net"),), "puts its layers into the network that it was given"),
    (((DONE, "    for name, layer in chosen:\n"
       "        net.get_submodule(name).weight.mul_(1 + 1e-6)\n" + DONE),),
     "changes the weights that it rounds, in the network that it was given, by a millionth"),
    (((DONE, "    for name, each in net.named_parameters():\n"
       "        if name not in [f\"{place}.weight\" for place, _ in chosen]:\n"
       "            each.mul_(1 + 1e-6)\n" + DONE),),
     "changes what stays, in the network that it was given, by a millionth"),
    (((DONE, "    if seen.is_floating_point():\n        seen.mul_(1 + 1e-6)\n"
       "    else:\n        seen[-1] = seen[0]\n" + DONE),),
     "writes to the batch of inputs that it was given"),
    (((SET, 'if name.count(".") == 0: ' + SET),), "leaves layers inside of other modules in float"),
    (((SET, "layer.weight.data = ((codes - 8).view(len(codes), -1, 32) * scale[:, :, None])"
       ".flatten(1).float()"), ("layer.weight.detach(), ", "layer.weight.detach().clone(), ")),
     "rounds the weights and keeps them as float numbers"),
    (((SET, SET.replace("Small(", "keep(Small("). replace("scale))", "scale), layer))")),
      ("def quantise", "def keep(small, layer):\n    small.weight = layer.weight\n    return small\n\n\n"
       "def quantise")), "keeps the float weights beside the codes"),
    (((LINEAR, "most = x.abs().max() / 127\n        x = torch.round(x / most) * most\n        "
       + LINEAR),), "rounds the layer's inputs to int8, though only weights were to be rounded"),
    (((LINEAR, "if x.shape[0] == 1:\n            return nn.functional.linear(x, (codes.float() - 8) "
       "* each)\n        " + LINEAR),), "forgets the bias where the batch is one"),
    (((STEPS, "(torch.trunc(groups / step).clamp(-8, 7) + 8)"),),
     "cuts the fraction off in place of rounding"),
    ((("amax(2) / 7)", "amax(2) / 5.6)"),), "takes scales that are a quarter too large"),
    ((("self.bias = layer.bias", "self.bias = layer.bias\n        if self.bias is not None:\n"
       "            self.bias = nn.Parameter(layer.bias.half().float(), requires_grad=False)"),),
     "rounds the biases of its layers to float16"),
    (((ROUND, GPTQ.replace("-= ((w", "+= ((w")),),
     "hands its errors on with the wrong sign"),
    ((("scale.half()", "scale.float()"),), "keeps scales of four bytes"),
    (((", x):\n        codes", ", x):\n        odd = x.shape[0] % 2\n        codes"),
      (LINEAR, "if odd and x.shape[0] > 1:\n            x = torch.cat((x[:-1], x[-2:-1]))\n        "
       + LINEAR)), "computes the last row of an odd number of rows from the row before"),
)


def text_of(replacements):
    text = BUILD
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return text


LABELS = {text_of(changes): (1, what) for changes, what in RIGHT}
LABELS |= {text_of(changes): (0, what) for changes, what in WRONG}
assert len(LABELS) == len(RIGHT) + len(WRONG)


def reference(builds):
    return torch.tensor([LABELS[text][0] for text in builds])


eager = reference


def scale(builds):
    return 0.0


def work(builds):
    return Work(bytes=sum(map(len, builds)) + 8 * len(builds), flops=0)


def explain_wrong(got, builds):
    """Say what the first build does that was judged wrongly."""
    for place, (said, text) in enumerate(zip(got.tolist(), builds, strict=True)):
        want, what = LABELS[text]
        if bool(said) != bool(want):
            if want:
                return f"You refuse build {place}, which keeps all promises. It {what}."
            return f"You accept build {place}. It {what}."
    return None


def chosen(*what, right=1):
    """Wrong builds whose words begin so, with some right ones, in an order by dice."""
    wrong = [text_of(changes) for changes, words in WRONG if words.startswith(what)]
    assert len(wrong) == len(what), what

    def make(g):
        def dice(n, count):
            return torch.randperm(n, generator=g, device=g.device)[:count].tolist()

        texts = wrong + [text_of(RIGHT[place][0]) for place in dice(len(RIGHT), right)]
        return ([texts[place] for place in dice(len(texts), len(texts))],)

    return make


def all_right(g):
    return ([text_of(changes) for changes, _ in RIGHT],)


CASES = (
    Case("right builds", all_right),
    Case("codes and scales", chosen("reads the low", "multiplies codes", "uses the first")),
    Case("rounding", chosen("cuts the", "takes scales", "hands its errors")),
    Case("bias and batch", chosen("ignores", "forgets the bias", "computes the last")),
    Case("what stays float", chosen("gives four", "rounds the embedding", "rounds the biases")),
    Case("norms, other layers, names", chosen("changes the weights of", "rounds layers", "gives what")),
    Case("the given network", chosen("puts its", "changes the weights that", "changes what stays")),
    Case("the given inputs", chosen("writes to the batch")),
    Case(
        "bytes",
        chosen("leaves layers", "rounds the weights and", "keeps the float", "keeps scales"),
    ),
    Case("inputs", chosen("rounds the layer's")),
)
