"""A trained network: the model with its parts, its weights, its folder, and models on hubs."""
