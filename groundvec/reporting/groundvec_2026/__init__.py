"""What no paper shows: this project's own models."""
