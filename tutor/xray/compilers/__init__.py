"""The compilers beside torch.compile: one module each, with one function, `lower`."""
