"""Read and compare result files: systems, measures, intervals and claims, for no single paper."""
