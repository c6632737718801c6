"""Training a model, and its checkpoints."""
