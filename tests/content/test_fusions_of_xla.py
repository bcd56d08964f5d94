"""`hlo_fusion_count` counts what XLA does: its reference against the fusions that XLA makes."""

import importlib.util
import re

import pytest
import torch

from tutor.base.paths import course_root

KIND = "tensor<8x16xf32>"


@pytest.fixture(scope="module")
def reference():
    path = course_root() / "kernels" / "hlo_fusion_count" / "reference.py"
    spec = importlib.util.spec_from_file_location("hlo_fusion_count_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stablehlo(lines, results):
    body = ""
    for line in lines:
        name, operation, operands = re.fullmatch(r"(\w+) = (\w+)\((.*)\)", line).groups()
        operands = ", ".join(f"%{each}" for each in operands.split(", "))
        body += f"  %{name} = stablehlo.{operation} {operands} : {KIND}\n"
    kinds = ", ".join([KIND] * len(results))
    returned = ", ".join(f"%{name}" for name in results)
    head = f"func.func @main(%x: {KIND}, %y: {KIND}) -> ({kinds})"
    return f"{head} {{\n{body}  return {returned} : {kinds}\n}}\n"


def count_of_xla(lines, results):
    import jax
    from jaxlib import xla_client

    device = jax.devices("cpu")[0]
    executable = device.client.compile_and_load(
        stablehlo(lines, results),
        xla_client.DeviceList((device,)),
        xla_client.CompileOptions(),
    )
    above, entry = executable.hlo_modules()[0].to_string().split("ENTRY")
    inner = re.findall(r"^  (?:ROOT )?%\S+ = \S+ (?!parameter)[\w-]+\(", above, re.MULTILINE)
    return [len(re.findall(r" fusion\(", entry)), len(inner)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_the_reference_counts_what_xla_makes(reference, seed):
    pytest.importorskip("jaxlib")
    generator = torch.Generator().manual_seed(seed)
    for case in reference.CASES:
        lines, results = case.make(generator)
        assert count_of_xla(lines, results) == reference.counted(lines, results), (lines, results)
