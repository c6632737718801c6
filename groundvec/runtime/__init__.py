"""How a stage runs, and not what it computes: no hash of code counts what is here."""
