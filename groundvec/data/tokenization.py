"""Tokenize and lowercase sentences as SentEval does before an encoder gets them."""

import re
from collections.abc import Iterable


def prepare(sentences: Iterable[str], tokenizer: str, lowercase: bool) -> list[str]:
    """Tokenize sentences, lowercase them if asked to, and put one space between the tokens.

    Args:
        sentences: the sentences.
        tokenizer: `moses` (Koehn et al. 2007: `tokenizer.perl -no-escape`, in sacremoses' port;
            "don't" becomes "don 't") or `none` (white space separates the tokens).
        lowercase: whether to lowercase them.
    """
    if tokenizer == "moses":
        from sacremoses import MosesTokenizer

        moses = MosesTokenizer(lang="en")
        sentences = [
            moses.tokenize(sentence, escape=False, return_str=True) for sentence in sentences
        ]
        # Moses' own script separates the last full stop even from an abbreviation: "5 p.m ."
        sentences = [re.sub(r"(?<![\s.])\.$", " .", sentence) for sentence in sentences]
    if lowercase:
        sentences = [sentence.lower() for sentence in sentences]
    return [" ".join(sentence.split()) for sentence in sentences]
