#!/usr/bin/env bash
# Measure on a GPU what has a row for it, in under ten minutes; then write docs/performance.md.
# The results of the processor are replaced by those of this machine: commit them only from one that
# measures both.
set -euo pipefail
cd "$(dirname "$0")/.."
python -c 'import sys, torch; sys.exit(0 if torch.cuda.is_available() else "error: torch sees no GPU: install a build of torch for it")'
for stage in training features encoding; do
    timeout 200 python "benchmarks/$stage.py"
done
python -m docs.pages docs/performance.md docs/images/performance-{ratios,growth}.svg
