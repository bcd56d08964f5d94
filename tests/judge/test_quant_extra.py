"""The extra `quant`: torchao quantises a layer as the affine formula says."""

import pytest
import torch

pytest.importorskip("torchao")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_torchao_rounds_weights_to_eight_bits_as_the_formula_does() -> None:
    from torchao.quantization import Int8WeightOnlyConfig, quantize_

    generator = torch.Generator().manual_seed(3)
    weights = torch.rand(8, 16, generator=generator) * 2 - 1
    # The largest of each row lies at 127.5 steps. Where it is positive, the bound decides and no tie.
    weights[:, 0] = weights.abs().amax(1) * 1.5
    layer = torch.nn.Linear(16, 8)
    layer.weight = torch.nn.Parameter(weights.clone())
    quantize_(layer, Int8WeightOnlyConfig())

    step = weights.abs().amax(1, keepdim=True) / 127.5  # for each row; the zero point is 0
    rounded = (weights / step).round().clamp(-128, 127)
    quantised = layer.weight
    assert quantised.qdata.dtype == torch.int8
    assert torch.equal(quantised.qdata, rounded.to(torch.int8))
    torch.testing.assert_close(quantised.scale, step)
    x = torch.randn(4, 16, generator=generator)
    torch.testing.assert_close(layer(x), x @ (rounded * step).T + layer.bias)
