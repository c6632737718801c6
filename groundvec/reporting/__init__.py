"""Tables and figures, made of result files."""
