import runpy
from pathlib import Path

import torch
from torch import nn

from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
NETWORKS, network = PROBE["NETWORKS"], PROBE["network"]

LEFT = {  # batch norms that must be called still, and why
    "the convolution is read twice": (1, "Another node reads that convolution's result without "
                                      "the batch norm."),
    "the convolution is called twice": (2, "One module is called at two nodes, and a folded "
                                        "weight would serve one of them only."),
    "training mode": (1, "In training mode a batch norm takes its numbers from the batch."),
    "one batch norm in training mode": (1, "One of the two takes its numbers from the "
                                       "batch; the other may be folded."),
    "no running statistics": (1, "Without running statistics it takes its numbers from the batch."),
    "a batch norm first": (1, "This batch norm stands before its convolution, which pads with zeros."),
}  # fmt: skip


def made(source, dtype):
    names = {"torch": torch, "nn": nn}
    exec(source, names)
    return names["net"].to(dtype)


@torch.no_grad()
def reference(source, x):
    return made(source, x.dtype)(x)


eager = reference


def work(source, x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=2 * 4 * 9 * x.numel())


def check_found(found):
    """(code, sentence) for the first network that is not folded as asked, else None."""
    for name, got in found.items():
        want, why = LEFT.get(name, (0, ""))
        if "type" in got:
            return "wrong-graph", f"`fold_pass` returned {got['type']}; it must be a GraphModule."
        if "error" in got:
            return (
                "wrong-graph",
                f"The folded graph of “{name}” is not in order: {got['error'].rstrip('.')}.",
            )
        if got["changed"]:
            return "input-modified", (
                f"`fold_pass` changed the network that it was given (“{name}”): its numbers, its "
                "modules or their mode. The graph and the network share modules until you put in a "
                "new one."
            )
        left, kept = got["after"]["norms"], got["after"]["kept_norms"]
        if left > want:
            return (
                "wrong-graph",
                f"{left} of {got['before']['norms']} batch norms are called in the folded graph of "
                f"“{name}”; {want} {'has' if want == 1 else 'have'} to be. {why}".rstrip(),
            )
        if left < want:
            return "wrong-graph", f"A batch norm of “{name}” is folded. {why}"
        if got["after"]["convs"] != got["before"]["convs"]:
            return (
                "wrong-graph",
                f"The folded graph of “{name}” calls another number of convolutions.",
            )
        if got["after"]["nodes"] - left != got["before"]["nodes"] - got["before"]["norms"]:
            return "wrong-graph", (
                f"The graph of “{name}” has {got['after']['nodes']} nodes after the pass. A folded pair "
                "has one node less, and nothing else changes."
            )
        nothing = want == got["before"]["norms"]
        if got["after"]["rest"] != got["before"]["rest"] or (
            nothing and got["after"]["all"] != got["before"]["all"]
        ):
            return "wrong-graph", (
                f"The graph of “{name}” has other calls, other names or another order. Nodes in no "
                "pair stay as they are."
            )
        unused = [each for each in got["after"]["unused"] if each not in got["before"]["unused"]]
        if kept <= left and unused:
            return "wrong-graph", (
                f"The folded graph of “{name}” keeps the module `{unused[0]}`, and no node calls it. "
                "`delete_all_unused_submodules` drops what no node calls."
            )
        if kept > left:
            return "wrong-graph", (
                f"The folded graph of “{name}” calls {left} batch norms and keeps {kept}. "
                "`delete_all_unused_submodules` drops what no node calls."
            )
    return None


def figures(found):
    """Figures of two networks for the report."""
    shown = {}
    for name in ("a ResNet block with a shortcut", "a bottleneck"):
        before, after = found[name]["before"], found[name]["after"]
        shown[f"batch norms of {name}"] = f"{before['norms']} before, {after['norms']} after"
        shown[f"nodes of {name}"] = f"{before['nodes']} before, {after['nodes']} after"
        shown[f"relative difference, {name}"] = f"{found[name]['off']:.1e}"
    return shown


def case(name):
    def make(g):
        seed = int(torch.randint(1, 9999, (1,), generator=g, device=g.device))
        parts = (*NETWORKS[name], "")[:3]
        x = torch.randn(2, 4, 6, 6, generator=g, device=g.device)
        if name == "a bottleneck":
            x = x.to(memory_format=torch.channels_last)
        return network(*parts, seed=seed), x

    return make


CASES = tuple(Case(name, case(name)) for name in NETWORKS)
