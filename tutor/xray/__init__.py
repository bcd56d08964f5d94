"""Every stage of a function on its way to GPU code; its worker process is in `tutor.judge`."""
