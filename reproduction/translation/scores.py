"""Evaluate translations by BLEU, TER and METEOR, with tests of differences between systems."""

import logging
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from groundvec.runtime.errors import InputError

TRIALS = 10_000  # of approximate randomization, sacreBLEU's default
METEOR_TRIALS = 1_000  # fewer, because METEOR's jar needs two evaluations of 0.5 ms for each
SEED = 12_345  # sacreBLEU's default
# METEOR stems words by Snowball, in these languages.
STEMMED = {"cs", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ru", "sv"}


def bleu_statistics(
    hypotheses: Sequence[str], references: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Count the statistics of BLEU for each hypothesis.

    Args:
        hypotheses: the hypotheses.
        references: one reference per hypothesis.

    Returns:
        (N, 10) the length, the reference's length, the matches of 1-grams to 4-grams, and the
        numbers of these n-grams; and (N,) the sentence BLEU from 0 to 100, with sacreBLEU's
        smoothing `exp`.
    """
    from sacrebleu.metrics import BLEU

    bleu = BLEU(effective_order=True)
    scores = [bleu.sentence_score(h, [r]) for h, r in zip(hypotheses, references, strict=True)]
    rows = [[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in scores]
    of_sentences = [score.score for score in scores]
    return np.array(rows, np.int64).reshape(-1, 10), np.array(of_sentences, np.float64)


@dataclass
class Judgement:
    """The scores of several systems' translations of the same sentences by one metric."""

    metric: str
    scores: dict[str, float]  # from 0 to 100, by system; empty if the metric is not available
    p: dict[tuple[str, str], float]  # p-values, by a system and the one that it is compared with
    signature: str  # version and settings of the metric, or why it is not available


def judge(
    systems: dict[str, list[str]], against: Sequence[str], references: list[str], language: str
) -> list[Judgement]:
    """Score systems by BLEU, METEOR and TER.

    P-values are two-sided, by the paired test of approximate randomization (Riezler & Maxwell
    2005) with `TRIALS` trials, or `METEOR_TRIALS` for METEOR. BLEU and TER use sacreBLEU's test.

    Args:
        systems: the translations of each system, by its name.
        against: the systems that all others are compared with.
        references: the reference of each sentence, as plain text.
        language: the language of the translations.
    """
    return [
        _by_sacrebleu("bleu", systems, against, references),
        _by_meteor(systems, against, references, language),
        _by_sacrebleu("ter", systems, against, references),
    ]


def randomization(
    a: np.ndarray, b: np.ndarray, score: Callable[[np.ndarray], np.ndarray], trials: int = TRIALS
) -> float:
    """Compute the two-sided p-value of a difference between two systems' scores.

    Each trial exchanges the outputs of a random half of the sentences. The p-value is the share of
    trials with a difference at least as large as the measured one.

    Args:
        a, b: (sentences, K) the statistics of each sentence.
        score: computes (T,) scores from (T, K) sums of statistics.
        trials: number of trials.
    """
    rng = np.random.default_rng(SEED)
    swapped = rng.integers(2, size=(trials, len(a))).astype(np.float64)
    first = swapped @ (a - b) + b.sum(axis=0)
    total = a.sum(axis=0) + b.sum(axis=0)
    first = np.concatenate([first, a.sum(axis=0)[None]])  # the last trial exchanges nothing
    scores = score(np.concatenate([first, total - first]))
    differences = np.abs(scores[: trials + 1] - scores[trials + 1 :])
    # Sums in another order differ by rounding. The last trial is the measured difference itself,
    # so the p-value is never 0.
    return float((differences >= differences[-1] - 1e-9).mean())


def _by_sacrebleu(
    metric: str, systems: dict[str, list[str]], against: Sequence[str], references: list[str]
) -> Judgement:
    """Score systems by BLEU or TER, with sacreBLEU's paired test."""
    from sacrebleu.metrics import BLEU, TER
    from sacrebleu.metrics.base import Metric
    from sacrebleu.significance import PairedTest

    logging.getLogger("sacrebleu").setLevel(logging.WARNING)  # it logs each of its steps
    scores: dict[str, float] = {}
    p: dict[tuple[str, str], float] = {}
    signature = ""
    for other in against:
        rest = [(name, texts) for name, texts in systems.items() if name != other]
        # A metric object caches the references, and cannot be used for a second test.
        make = BLEU if metric == "bleu" else TER
        computed: dict[str, Metric] = {metric: make(references=[references])}
        test = PairedTest([(other, systems[other]), *rest], computed, None, "ar", TRIALS)
        signatures, results = test()
        [name] = signatures
        signature = signatures[name].format()
        for system, result in zip(results["System"], results[name], strict=True):
            assert not isinstance(result, str) and isinstance(system, str)
            scores[system] = float(result.score)
            if result.p_value is not None:
                # sacreBLEU counts larger differences only, so equal systems would get a small p.
                same = systems[system] == systems[other]
                p[system, other] = 1.0 if same else float(result.p_value)
    return Judgement(metric, scores, p, signature)


def _by_meteor(
    systems: dict[str, list[str]], against: Sequence[str], references: list[str], language: str
) -> Judgement:
    """Score systems by METEOR, if Java and the jar are installed and it knows the language."""
    jar = meteor_jar()
    if isinstance(jar, str):
        return Judgement("meteor", {}, {}, f"missing: {jar}")
    if language not in STEMMED:
        return Judgement("meteor", {}, {}, f"missing: METEOR does not know the language {language}")
    java = Meteor(jar, language)
    counts = {name: java.statistics(texts, references) for name, texts in systems.items()}
    scores = {
        name: float(java.score(values.sum(axis=0)[None])[0]) for name, values in counts.items()
    }
    p = {
        (name, other): randomization(counts[name], counts[other], java.score, METEOR_TRIALS)
        for other in against
        for name in counts
        if name != other
    }
    return Judgement("meteor", scores, p, java.signature)


def meteor_jar() -> Path | str:
    """Return the path of METEOR's jar in the package pycocoevalcap, or why it cannot be used."""
    if not shutil.which("java"):
        return "java is missing: install a Java runtime, such as Debian's default-jre-headless"
    spec = find_spec("pycocoevalcap")
    for folder in spec.submodule_search_locations or [] if spec else []:
        jar = Path(folder, "meteor", "meteor-1.5.jar")
        if jar.exists():
            return jar
    return "meteor-1.5.jar is missing: pip install --no-deps pycocoevalcap"


class Meteor:
    """METEOR 1.5 (Denkowski & Lavie 2014), computed by its jar.

    Words match exactly or by their stems, but not as paraphrases or synonyms.
    """

    def __init__(self, jar: Path, language: str) -> None:
        modules = ["-l", language, "-norm", "-m", "exact stem"]
        self.command = ["java", "-Xmx1G", "-jar", str(jar), "-", "-", "-stdio", *modules]
        self.signature = (
            f"METEOR 1.5|lang:{language}|norm:yes|modules:exact+stem|ar:{METEOR_TRIALS}|seed:{SEED}"
        )

    def statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> np.ndarray:
        """Count the statistics of METEOR, (N, 23), which can be summed over sentences."""
        pairs = zip(hypotheses, references, strict=True)
        lines = [f"SCORE ||| {_plain(r)} ||| {_plain(h)}" for h, r in pairs]
        return np.array([line.split() for line in self._ask(lines)], np.float64)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Compute the scores (T,) from 0 to 100 from sums of statistics (T, 23)."""
        lines = [f"EVAL ||| {' '.join(f'{value:.0f}' for value in row)}" for row in sums.tolist()]
        answers = self._ask(lines)
        # The jar answers each EVAL with the score of every segment, here one, and the final score.
        return 100 * np.array(answers[1::2], np.float64)

    def _ask(self, lines: Sequence[str]) -> list[str]:
        """Run the jar with lines of commands, and return the lines of its answers."""
        text = "".join(f"{line}\n" for line in lines)
        result = subprocess.run(self.command, input=text, capture_output=True, encoding="utf-8")
        if result.returncode:
            reason = " ".join(result.stderr.split())[:200]
            raise InputError(f"METEOR's jar does not run ({reason}): look at `java -version`")
        return result.stdout.splitlines()


def _plain(text: str) -> str:
    """Remove bars from a text, because `|||` separates the fields of METEOR's lines."""
    return " ".join(text.replace("|", " ").split())
