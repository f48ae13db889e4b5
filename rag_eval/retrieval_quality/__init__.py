"""How well retrieval finds the API that a real task needs: queries, systems, TREC files, report."""
