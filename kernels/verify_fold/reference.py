import torch

from tutor.judge.spec import Case, Work

PASS = """
import copy
from collections import Counter

import torch
from torch import nn


def fold_pass(net):
    folded = torch.fx.symbolic_trace(net)
    calls = Counter(n.target for n in folded.graph.nodes if n.op == "call_module")
    done = 0
    for node in list(folded.graph.nodes):
        called = folded.get_submodule(node.target) if node.op == "call_module" else None
        if not isinstance(called, nn.BatchNorm2d) or node.args[0].op != "call_module":
            continue
        norm, source = called, node.args[0]
        conv = folded.get_submodule(source.target)
        if len(source.users) > 1 or calls[source.target] > 1:
            continue
        conv = copy.deepcopy(conv)
        weight, bias, mean, variance = norm.weight, norm.bias, norm.running_mean, norm.running_var
        own = torch.zeros_like(mean) if conv.bias is None else conv.bias
        scale = weight / torch.sqrt(variance + norm.eps)
        new_bias = (own - mean) * scale + bias
        new_weight = conv.weight * scale.view(-1, 1, 1, 1)
        conv.weight, conv.bias = nn.Parameter(new_weight), nn.Parameter(new_bias)
        folded.add_submodule(source.target, conv)
        node.replace_all_uses_with(source)
        folded.graph.erase_node(node)
        done += 1
    folded.delete_all_unused_submodules()
    folded.recompile()
    return folded
"""
SCALE, BIAS = "weight / torch.sqrt(variance + norm.eps)", "(own - mean) * scale + bias"
WEIGHT, COPY = "conv.weight * scale.view(-1, 1, 1, 1)", "conv = copy.deepcopy(conv)"
LOOK = "len(source.users) > 1 or calls[source.target] > 1"
ERASE = "        folded.graph.erase_node(node)\n"
ROUNDED = "new_weight.to(torch.DTYPE).to(new_weight.dtype)"

RIGHT = (
    (),
    ((SCALE, "weight * torch.rsqrt(variance + norm.eps)"),),
    ((BIAS, "bias - mean * scale + own * scale"),),
    ((SCALE, "(weight.double() / (variance.double() + norm.eps).sqrt()).to(weight.dtype)"),),
    ((SCALE, "(weight.float() * torch.rsqrt(variance.float() + norm.eps)).to(weight.dtype)"),),
    (("    folded = torch.fx", "    net = copy.deepcopy(net)\n    folded = torch.fx"), (COPY, "")),
)
WRONG = (  # replacements, what `verify` has to say, what the pass does
    (((SCALE, "weight / torch.sqrt(variance)"),), 1, "forgets eps"),
    (((SCALE, "weight / (torch.sqrt(variance) + norm.eps)"),), 1, "adds eps after the square root"),
    (((SCALE, "weight / torch.sqrt(variance + 1e-6)"),), 1, "uses an eps of its own, 1e-6"),
    (((SCALE, "weight / torch.sqrt(variance.clamp(min=1e-3) + norm.eps)"),), 1,
     "lifts every variance to 1e-3"),
    (((SCALE, "weight / (variance + norm.eps)"),), 1, "divides by the variance, not by its root"),
    (((SCALE, "weight.abs() / torch.sqrt(variance + norm.eps)"),), 1,
     "takes the weight of the batch norm without its sign"),
    (((SCALE, "1 / torch.sqrt(variance + norm.eps)"),), 1, "forgets the weight of the batch norm"),
    (((BIAS, "own * scale + bias"),), 1, "forgets the running mean"),
    (((BIAS, "(own - mean) * scale"),), 1, "forgets the bias of the batch norm"),
    (((BIAS, "-mean * scale + bias"),), 1, "forgets the convolution's own bias"),
    (((BIAS, "own - mean * scale + bias"),), 1, "does not scale the convolution's own bias"),
    (((WEIGHT, "conv.weight * scale[: 8 // conv.groups].repeat(conv.groups).view(-1, 1, 1, 1)"),),
     1, "gives each group the scales of the first"),
    (((WEIGHT, "conv.weight * scale.view(1, -1, 1, 1)[:, : conv.weight.shape[1]]"),), 1,
     "scales the input channels"),
    (((LOOK, "calls[source.target] > 1"),), 1, "folds a convolution that another node reads as well"),
    (((LOOK, "len(source.users) > 1"),), 1, "folds a convolution that is called twice"),
    (((WEIGHT, WEIGHT + "\n        new_weight = " + ROUNDED.replace("DTYPE", "bfloat16")),), 1,
     "rounds the weights to bfloat16"),
    (((WEIGHT, WEIGHT + "\n        new_weight = " + ROUNDED.replace("DTYPE", "float16")),), 1,
     "rounds the weights to float16"),
    (((LOOK, LOOK + " or done"),), 2, "folds the first pair only"),
    (((LOOK, LOOK + ' or "." in source.target'),), 2, "leaves pairs in an nn.Sequential"),
    (((LOOK, LOOK + " or conv.groups > 1"),), 2, "leaves pairs whose convolution has groups"),
    (((LOOK, LOOK + " or conv.bias is None"),), 2, "leaves convolutions without a bias"),
    (((COPY, ""),), 3, "puts the folded weights into the modules of the given network"),
    (((ERASE, ERASE + "        norm.running_mean.zero_()\n"),), 3,
     "sets running means of the given network to 0, once they are folded"),
    (((ERASE, ERASE + "        net.set_submodule(node.target, nn.Identity())\n"),), 3,
     "puts an nn.Identity into the given network for each batch norm that it folds"),
    (((COPY, ""), (LOOK, LOOK + " or done")), 3,
     "folds the first pair only, and in the modules of the given network"),
    (((WEIGHT, f"({WEIGHT}).flip(3)"),), 1, "turns the kernels of the convolutions round"),
    (((SCALE, "weight / torch.sqrt(variance.clamp(min=1e-6) + norm.eps)"),), 1,
     "lifts every variance to 1e-6"),
    (((COPY, "conv = conv if conv.bias is not None and conv.kernel_size == (1, 1) else "
       "copy.deepcopy(conv)"),), 3,
     "puts folded weights into the modules of the given network, in `Traps` alone"),
    (((COPY, ""), (BIAS, "own * scale + bias")), 1,
     "forgets the running mean, and puts the folded weights into the given network"),
    (((LOOK, LOOK + " or done"), (BIAS, "own * scale + bias")), 1,
     "forgets the running mean, and folds the first pair only"),
)  # fmt: skip


def text_of(replacements):
    text = PASS
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return text


LABELS = {
    text_of(each): (0, "is right: it computes in another order or precision") for each in RIGHT
}
FAULTLESS = {  # what a right pass does, by what `verify` says of it
    2: "leaves only batch norms that must stay, as those of `Traps`",
    3: "leaves the given network as it was",
}
LABELS |= {text_of(change): (label, what) for change, label, what in WRONG}


def reference(passes):
    return torch.tensor([LABELS[text][0] for text in passes])


eager = reference


def work(passes):
    return Work(bytes=sum(map(len, passes)), flops=0)


def explain_wrong(got, passes):
    """Say what the first pass does that was judged wrongly."""
    for place, (said, text) in enumerate(zip(got.tolist(), passes, strict=True)):
        want, what = LABELS[text]
        what = FAULTLESS.get(said, what) if want == 0 else what
        if said != want:
            return f"You say {said} to pass {place}, and {want} would be right. It {what}."
    return None


def chosen(*places, right=1):
    """Some wrong passes by their places in `WRONG`, with some right ones, in an order by dice."""

    def make(g):
        def dice(n, count):
            return torch.randperm(n, generator=g, device=g.device)[:count].tolist()

        texts = [text_of(WRONG[place][0]) for place in places]
        texts += [text_of(RIGHT[place]) for place in dice(len(RIGHT), right)]
        return ([texts[place] for place in dice(len(texts), len(texts))],)

    return make


CASES = (
    Case("right passes", chosen(right=6)),
    Case("terms of the formula", chosen(6, 7, 8)),
    Case("the scale", chosen(4, 5)),
    Case("the convolution's bias", chosen(9, 10)),
    Case("around eps", chosen(0, 1, 2, 3, 26, right=2)),
    Case("channels and groups", chosen(11, 12)),
    Case("the kernels of the convolutions", chosen(25)),
    Case("readers and calls", chosen(13, 14)),
    Case("rounded weights", chosen(15, 16, right=2)),
    Case("something is left", chosen(17, 18, 19, 20)),
    Case("the given network", chosen(21, 22, 23, 27)),
    Case("both", chosen(24, 17, 21, 28, 29)),
)
