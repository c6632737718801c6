"""The form of result files: their columns, and how they are read and written."""
