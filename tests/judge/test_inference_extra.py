"""The extra `inference`: what cells and exercises on files of weights take gguf and safetensors for."""

import json

import numpy as np
import pytest
import torch

from tutor.base.paths import course_root
from tutor.judge.cases.reference import load_reference


def test_a_block_of_gguf_is_a_scale_and_its_codes() -> None:
    gguf = pytest.importorskip("gguf")
    form = gguf.GGMLQuantizationType.Q4_0
    numbers = torch.arange(-8.0, 24.0)  # 23 is the largest, so a step is -23 / 8
    block = torch.from_numpy(gguf.quants.quantize(numbers.numpy()[None], form))[0]
    assert gguf.GGML_QUANT_SIZES[form] == (32, 18)
    assert block[:2].view(torch.float16).item() == -2.875
    codes = torch.cat((block[2:] & 15, block[2:] >> 4))
    assert codes[-1] == 0
    assert torch.equal(codes, (numbers / -2.875 + 8.5).to(torch.uint8))


def test_safetensors_begins_with_the_length_of_its_header() -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    data = safetensors.save({"w": torch.arange(6, dtype=torch.int32).reshape(2, 3)})
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    assert header == {"w": {"dtype": "I32", "shape": [2, 3], "data_offsets": [0, 24]}}
    assert len(data) == 8 + length + 24


@pytest.mark.parametrize("seed", range(3))
def test_the_exercise_on_blocks_writes_what_gguf_writes(seed: int) -> None:
    gguf = pytest.importorskip("gguf")
    form = gguf.GGMLQuantizationType.Q4_0
    known = load_reference(course_root() / "kernels" / "pack_q4_0" / "reference.py")
    for case in known.cases:
        (w,) = case.make(torch.Generator().manual_seed(seed))
        with np.errstate(divide="ignore", invalid="ignore"):
            theirs = gguf.quants.quantize(w.float().contiguous().numpy(), form)
        assert torch.equal(known.truth(w.double()), torch.from_numpy(theirs)), case.name
