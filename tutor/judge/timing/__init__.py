"""Timing of a submission next to eager PyTorch and torch.compile, and the checks of a time.

Takes no sample: see `tutor.judge.sampling`.
"""
