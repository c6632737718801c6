#!/usr/bin/env python3
"""Check that a wheel has each file of groundvec/ that git tracks, and no others.

Example:
  python -m build && .ci/check_wheel.py dist/*.whl
"""

import subprocess
import sys
import zipfile

for wheel in sys.argv[1:]:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    command = ["git", "ls-files", "groundvec"]
    tracked = {
        *subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    }
    if differ := sorted(names ^ (tracked - {""})):
        wrong = ", ".join(differ)
        sys.exit(
            f"error: {wheel} and git differ in {wrong}: correct package-data in pyproject.toml"
        )
    print(f"{wheel}: {len(names)} files")
if not sys.argv[1:]:
    sys.exit(__doc__)
