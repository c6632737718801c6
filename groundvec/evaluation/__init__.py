"""Evaluation of embeddings: retrieval, and human ratings of similarity."""
