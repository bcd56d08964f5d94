"""The course as a whole: outline, overview, glossary, maps; single files are read in `reading`."""
