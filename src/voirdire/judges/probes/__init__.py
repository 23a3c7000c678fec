"""Minimal pairs that come with the package, one file a language; see `voirdire.judges.probing`."""
