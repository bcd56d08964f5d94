"""NVIDIA's compute-sanitizer on a learner's function, on demand. It is not part of a verdict."""
