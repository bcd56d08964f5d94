"""No case of the review is silent: each shows what the GPU runs, or says in a word why not."""

import pytest
import torch
from review_cases import CASES, ENDED, failures_of, look, stages_of

from tutor.xray.model.stages import Stage

# Where the review found the ladder wrong without a word: (stage, what its text or notes say there).
SAID = {
    "tel_eval": [("wrapper", "aten._transformer_encoder_layer_fwd")],
    "convbn": [("joint", "[True, True, False]")],
    "conv_bias": [("joint", "[True, True, False]"), ("wrapper:backward", "convolution_backward")],
    "autocast": [("forward", '"bf16[128, 128]'), ("dynamo", "_enter_autocast")],
    "autocast_cpu": [("forward", '"f32[128, 128]')],
    "autocast_devtype": [("forward", '"bf16[64, 64]')],
    "scan_assoc": [("dynamo", "associative_scan")],
    "dyntrue": [("dynamo", "torch.compile was asked for dynamic=True"), ("forward", "Sym(s")],
    "vmaps": [("forward", "bmm")],
    "cuda_literal": [("dynamo", "ones")],
    "to_device": [("dynamo", "to(")],
    "gqa": [("wrapper", "_scaled_dot_product_cudnn_attention")],
    "sdpa": [("wrapper", "_scaled_dot_product_cudnn_attention")],
    "maxauto": [("dynamo", "max_autotune=True"), ("lowered", "Triton template BLOCK_K=")],
    "tiny": [("wrapper", "Calls into libraries and ATen: mm.")],
    "outer": [("forward", "mm"), ("wrapper", "1 Triton kernel in 1 launch")],
    "dot": [("wrapper", "Calls into libraries and ATen: mm.")],
    "branches": [("dynamo", "sin()")],
    "moe": [("wrapper", "aten.topk.default, bmm")],
    "item": [("dynamo", "It ends at a graph break")],
    "host_sync": [("dynamo", "It ends at a graph break")],
    "prints": [("dynamo", "It ends at a graph break")],
}
# What must not be there.
ABSENT = {
    "autocast_cpu": [("forward", "bf16")],
    "branches": [("forward", "aten.cos")],
    "grid": [("wrapper", "Calls into")],
    "outer": [("wrapper", "Calls into")],
    "softmax": [("dynamo", "graph break")],
}
# These take seconds each to no other end: in `python tests/xray/review_cases.py` only.
SLOWEST = {"long_chain", "very_long_chain", "flex_plain", "flex_causal", "sorts", "tel_train"}

# torch 2.11 decomposes these otherwise, on a GPU too, or knows no shapes of their results.
SINCE_2_13 = {"tel_eval", "mha", "vmaps", "gn", "outer", "maxpool"}

# Of the cases of which only the number of kernels is known every third runs here. All of them, down to
# SASS: `python tests/xray/review_cases.py`.
TOLD = {*SAID, *ABSENT, *ENDED, *SINCE_2_13}
COUNTED = [name for name in CASES if name not in TOLD | SLOWEST]


def said(stages: dict[str, Stage], key: str) -> str:
    return stages[key].text + "\n".join(stages[key].notes)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TOLD | {*COUNTED[::3]}))
def test_a_case_is_shown_or_says_why_not(name: str) -> None:
    if name in SINCE_2_13 and torch.__version__ < (2, 13):
        pytest.skip(f"torch {torch.__version__} has other kernels for it")
    torch.manual_seed(0)
    events = look(name, "triton")
    stages = stages_of(events)
    if name in ENDED:
        assert ENDED[name] in failures_of(events)
        return
    assert failures_of(events) == ""
    if name == "while_loop" and "cpp_fused" in stages["wrapper"].text:
        return  # on a real GPU its counter stays on the CPU, where it was made
    assert sum(key.startswith("triton:") for key in stages) == CASES[name][1]
    for key, words in SAID.get(name, ()):
        assert words in said(stages, key)
    for key, words in ABSENT.get(name, ()):
        assert words not in said(stages, key)


def test_the_reviews_cases_are_all_here() -> None:
    assert len(CASES) == 103
    assert len(ENDED) <= 4
    assert set(SAID) | set(ABSENT) | SLOWEST <= set(CASES)
