"""Files, models and processes that several tests share."""
