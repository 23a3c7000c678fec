"""A judge of claims by shared words, as a plug-in of voirdire."""
