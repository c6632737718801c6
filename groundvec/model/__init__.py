"""A trained network: its parts put together, its folder, its weights, and where folders come from."""
