"""Image features: computed by pretrained networks, and kept in files."""
