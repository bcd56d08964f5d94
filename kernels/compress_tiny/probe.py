"""Lets the learner's `compress` make the tiny model small, and measures it beside other builds."""

from tutor.judge.cases import weight_bits


def probe(module, device):
    with weight_bits.one_thread():
        return weight_bits.report(module.compress)
