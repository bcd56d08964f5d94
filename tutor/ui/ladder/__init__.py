"""The lowering ladder: a function in all stages to machine code; the lowering is in `tutor.xray`."""
