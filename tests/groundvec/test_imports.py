"""Large packages are imported where they are needed alone: programs start fast."""

import subprocess
import sys

import pytest

from tests.support import ROOT


@pytest.mark.parametrize(
    "code, packages",
    [
        (
            "from groundvec.__main__ import main; sys.argv = ['groundvec', '--version']; main()",
            "numpy pandas torch yaml",
        ),
        (
            "import groundvec; groundvec.SentenceEncoder('flickr8k').encode('A dog.')",
            "onnxruntime pandas PIL scipy sklearn torch",
        ),
        ("from groundvec import evaluate", "scipy torch"),
        (
            "from reproduction.baselines import trigrams; trigrams.Baseline().encode(['A.'])",
            "torch",
        ),
    ],
)
def test_large_packages_are_not_waited_for(code, packages):
    program = (
        f"import sys\ntry: {code}\nfinally: assert not set({packages.split()}) & {{*sys.modules}}"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
