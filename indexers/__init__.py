"""From the package index to observations: what each release of a project holds, read without running it."""
