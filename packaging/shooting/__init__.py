"""The real program on a screen of its own, driven by keys and photographed."""
