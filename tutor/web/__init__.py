"""The application in a browser, on this machine's own loopback, for `tutor serve`."""
