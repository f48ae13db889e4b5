"""Version-aware retrieval: exact version filtering first, dense and lexical search second.  To be built."""
