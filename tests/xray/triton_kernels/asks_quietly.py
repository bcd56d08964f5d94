"""Asks quietly whether there is a GPU as it is loaded, and stops without one in words of its own."""

import torch


def count_cores():
    if torch.cuda.is_available():
        return torch.cuda.get_device_properties(0).multi_processor_count
    raise RuntimeError("not written for this machine yet")


CORES = count_cores()
KIND = torch.accelerator.current_accelerator().type
