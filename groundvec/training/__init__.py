"""Training a model, and the checkpoints from which it resumes."""
