"""A trained network: its parts put together, its weights, its folder, and models on hubs."""
