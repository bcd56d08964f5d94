"""Commands for authors, installers and developers; those for learning are one folder above."""
