"""What passes rewrite: a module for each language of programs, after `subject.Subject`."""
