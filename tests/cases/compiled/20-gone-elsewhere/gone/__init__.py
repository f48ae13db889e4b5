"""Parts of it have gone to other distributions."""

LEFT = 1
