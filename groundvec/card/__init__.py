"""The model card of a trained model."""
