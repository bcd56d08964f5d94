"""Record one model in four representations, for Day 16: `lessons/recorded/day-16.json`.

    pip install onnx onnxscript jax
    python tests/content/record_ir_texts.py

The cell of Day 16 shows the texts. Numbers of weights, of users and names of nodes are left out of them.
"""

import json
import logging
import re
import warnings

import jax
import jax.numpy as jnp
import onnx
import onnxscript
import torch

from tutor.course.recordings import transcript_file


class Block(torch.nn.Module):
    """The residual block of Day 16's lesson."""

    def __init__(self) -> None:
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.relu(self.lin(x))


def block(x: jax.Array, w: jax.Array, b: jax.Array) -> jax.Array:
    """Compute the same with JAX."""
    return x + jnp.maximum(x @ w.T + b, 0)


def graph_lines(graph: torch.fx.Graph) -> str:
    """Return the lines of a graph without the numbers of users, which make them too long."""
    noise = r"( : [\w.]+)?( :)? \[num_users=\d+\]|, kwargs = \{\}"
    return re.sub(noise, "", str(graph).strip())


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    model, x = Block().eval(), torch.ones(2, 4)
    program = torch.onnx.export(model, (x,), dynamo=True, verbose=False)
    assert program is not None
    proto = onnx.printer.to_text(program.model_proto)
    body = proto[proto.index("main_graph") :]
    weights = re.sub(r"(\"lin\.\w+\") =\s+\{[^}]*\}", r"\1 = {...}", body)
    weights = re.sub(r"(\.\.\.\}), float\[4,4\] \"lin.weight\",[^>]*>", r"\1>", weights)
    lowered = jax.jit(block).lower(jnp.ones((2, 4)), jnp.ones((4, 4)), jnp.ones(4))
    said = {
        "FX": graph_lines(torch.fx.symbolic_trace(model).graph),
        "export": graph_lines(torch.export.export(model, (x,)).graph),
        "ONNX": re.sub(r"\n {3}\[\w+\]", "\n  ", weights).strip(),
        "StableHLO": re.sub(r" attributes \{.*?\}| \{jax[^}]*\}", "", lowered.as_text().strip()),
    }
    versions = (
        f"torch {torch.__version__.split('+')[0]}, onnx {onnx.__version__}, "
        f"onnxscript {onnxscript.__version__}, jax {jax.__version__}"
    )
    made = {"made_with": versions, "said": said}
    text = json.dumps(made, indent=1, sort_keys=True) + "\n"
    transcript_file(16).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
