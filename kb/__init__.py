"""The knowledge base: releases, symbols, spans, and the DuckDB file that holds them."""
