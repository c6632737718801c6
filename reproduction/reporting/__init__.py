"""Result files, read and compared: systems, measures, intervals and claims. It knows no paper."""
