"""How outputs are scored: `official`, as the published scripts compute, and `strict`, as the paper says."""
