"""The smallest inputs on which a wrong program is still wrong, for a learner who traces it by hand."""
