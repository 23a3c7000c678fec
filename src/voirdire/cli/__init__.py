"""The verbs: one file each, loaded only when called."""
