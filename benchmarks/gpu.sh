#!/usr/bin/env bash
# Run the benchmarks that have rows for a GPU, in less than ten minutes, and write
# docs/performance.md. The results of processors are replaced, too, so commit results only from a
# machine that measures both.
set -euo pipefail
cd "$(dirname "$0")/.."
python -c 'import sys, torch; sys.exit(0 if torch.cuda.is_available() else "error: torch sees no GPU: install a build of torch for it")'
for stage in training features encoding; do
    timeout 200 python "benchmarks/$stage.py"
done
python -m docs.pages docs/performance.md docs/images/performance-{ratios,growth}.svg
