"""Asks Inductor for the launches of the eight functions. Plain values only leave the process."""

import torch
import torch.nn.functional as F

from tutor.hardware.gpus import target
from tutor.xray.model.counts import of_stages
from tutor.xray.model.input_specs import Arguments, parse_inputs
from tutor.xray.model.stages import Stage
from tutor.xray.torch_compile.capture import capture

X, B, H, V = "f32[4096,1024]", "f32[1024]", "f16[1024,1024]", "f16[1024]"
FUNCTIONS = {
    "A": (lambda x, b: torch.relu(x) * 2 + b, (X, B)),
    "B": (lambda x: (x.tanh(), x.amax(-1)), (X,)),
    "C": (lambda x, y: (x.relu().sum(-1), y.sigmoid().sum(-1)), (X, X)),
    "D": (lambda x: F.gelu(F.layer_norm(x, (1024,))), (X,)),
    "E": (lambda h, w, v: F.gelu(F.linear(h, w, v)), (H, H, V)),
    "F": (lambda h, w, r: h @ w + r, (H, H, H)),
    "G": (lambda x: x / x.sum(0), (X,)),
    "H": (lambda h, w, r: torch.relu(h @ w) @ r, (H, H, H)),
}


def probe(module, device):
    said = {name: getattr(module, name, 0) for name in FUNCTIONS}
    return {"said": said, "written": {n: launches(*f) for n, f in FUNCTIONS.items()}}


def launches(function, inputs):
    """Kernel launches and library calls of a function, as Inductor writes it for an H100."""
    stages = []
    given = Arguments.of(parse_inputs(inputs))
    capture(function, given, target("H100"), False, stages.append)
    counts = of_stages(stage for stage in stages if isinstance(stage, Stage))
    return int(counts["wrapper.launches"] + counts["wrapper.extern_calls"])
