"""The table of actions with their keys, keymaps and key names; the actions run in the screens."""
