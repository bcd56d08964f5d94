"""Programs that measure or probe the interface; no screen of the application is in here."""
