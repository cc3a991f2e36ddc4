"""The user's bookmakers: which are theirs, and what each keeps and takes."""
