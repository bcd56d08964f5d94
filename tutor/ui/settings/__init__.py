"""The screens for settings and keys; reading and writing the settings file is not in here."""
