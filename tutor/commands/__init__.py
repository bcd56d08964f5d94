"""The commands of the `tutor` command line, one module each; neither screens nor rules."""
