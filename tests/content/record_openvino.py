"""Record what OpenVINO's CPU plugin makes of Day 53's block, into lessons/recorded/openvino.json.

It needs OpenVINO, no extra of the course, and ONNX. `python -m tests.content.record_openvino`
in an environment that has both. The types of float layers depend on the processor's instructions, which
are recorded beside them.
"""

import json
import sys
import tempfile
from datetime import date
from importlib import metadata
from pathlib import Path

from tests.content.qdq_block import ALL, BLOCK, as_onnx

FILE = Path(__file__).resolve().parents[2] / "lessons" / "recorded" / "openvino.json"
PLACED = {
    "all": ALL,
    "none behind d": {name: kind for name, kind in ALL.items() if name != "d"},
    "none behind t": {name: kind for name, kind in ALL.items() if name != "t"},
    "none behind x": {name: kind for name, kind in ALL.items() if name != "x"},
    "no pairs": {},
}
OPERATORS = [name for name, op, _ in BLOCK if op in ("Conv", "Add", "Relu")]


def layers_of(pairs, **config):
    """Return the layers that compute an operator of the block: kind, operators, type of the product."""
    import onnx
    import openvino

    core = openvino.Core()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "block.onnx"
        onnx.save(as_onnx(BLOCK, pairs), path)
        model = core.compile_model(core.read_model(path), "CPU", config)
    rows = []
    for node in model.get_runtime_model().get_ordered_ops():
        said = {key: str(getattr(value, "value", value)) for key, value in node.rt_info.items()}
        names = set(said.get("originalLayersNames", "").replace("_original", "").split(","))
        held = [name for name in OPERATORS if name in names]
        kernel = said.get("primitiveType", "").rsplit("_", 1)[-1].lower()
        if held:
            rows.append([said["layerType"], " ".join(held), kernel])
    return rows


def story():
    """Return the layers for each placement of pairs, and without pairs in float32 by demand."""
    said = {name: layers_of(pairs) for name, pairs in PLACED.items()}
    said["no pairs, f32 asked for"] = layers_of({}, INFERENCE_PRECISION_HINT="f32")
    return said


def made_with():
    """Return the packages with their versions, the processor's instructions, and the day."""
    flags = Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split()
    found = [name for name in ("avx2", "avx512f", "avx512_vnni", "avx512_bf16") if name in flags]
    day = date.today()
    return (
        f"openvino {metadata.version('openvino').split('-')[0]}, onnx {metadata.version('onnx')}, a CPU "
        f"with {', '.join(found)}, {day.day} {day:%B %Y}"
    )


if __name__ == "__main__":
    data = {"made_with": made_with(), "said": story()}
    FILE.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(FILE, data["made_with"], file=sys.stderr)
