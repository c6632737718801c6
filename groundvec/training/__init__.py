"""Training a model, and the checkpoints that it goes on from."""
