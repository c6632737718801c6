"""Sentences as SentEval gives them to a system: tokenized, perhaps lowercased."""

import re
from collections.abc import Iterable


def prepare(sentences: Iterable[str], tokenizer: str, lowercase: bool) -> list[str]:
    """Tokenize sentences, lowercase them if asked to, and put one space between the tokens.

    Args:
        tokenizer: `moses` (Koehn et al. 2007: `tokenizer.perl -no-escape`, in sacremoses' port;
            "don't" is "don 't") or `none` (tokens are what stands between white space).
    """
    if tokenizer == "moses":
        from sacremoses import MosesTokenizer

        moses = MosesTokenizer(lang="en")
        sentences = [moses.tokenize(s, escape=False, return_str=True) for s in sentences]
        # Moses' own script takes the full stop from whatever ends a sentence: "5 p.m ."
        sentences = [re.sub(r"(?<![\s.])\.$", " .", s) for s in sentences]
    if lowercase:
        sentences = [s.lower() for s in sentences]
    return [" ".join(s.split()) for s in sentences]
