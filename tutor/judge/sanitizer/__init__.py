"""NVIDIA's compute-sanitizer on a learner's function, on demand. No part of a verdict."""
