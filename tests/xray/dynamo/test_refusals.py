"""A call without a graph is explained in torch's own words."""

import torch
from capturing import f32, look


def test_reason_that_nothing_was_traced() -> None:
    recurrent = torch.nn.LSTM(8, 4)
    (failure,) = look(lambda x: recurrent(x)[0], f32(2, 3, 8), last_stage="guards").failures[-1:]
    assert failure.stage == "dynamo"
    assert "Dynamo does not support RNN, GRU, or LSTM" in failure.sentence
    assert "allow_rnn" in failure.sentence
    assert "GB0014" in failure.sentence or "GB0148" in failure.sentence  # torch 2.15
