"""How good embeddings are: retrieval, and people's ratings of similarity."""
