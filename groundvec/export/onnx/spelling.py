"""Character n-grams in ONNX (`groundvec.model.spelling`)."""

import numpy as np

from groundvec.export.onnx.graph import Part, array, at_end
from groundvec.model.spelling import FACTOR, LENGTHS, MODULUS, Spelling


def spelt(spelling: Spelling) -> Part:
    """Write the character n-gram features in ONNX, named `spelt`; padding counts as spaces."""
    constants = {"factor": FACTOR, "modulus": MODULUS, "size": len(spelling.rarity)}
    lines = "".join(f"{key} = Constant<value = int64 {{{n}}}>()\n" for key, n in constants.items())
    lines += f"""
        space = Constant<value = int64 {{{spelling.space}}}>()
        around = Constant<value = int64[4] {{0, 1, 0, 1}}>()
        letters = Gather(letter_of, indices)
        spaced = Pad(letters, around, space)
        nothing_yet = Constant<value = int64[1] {{0}}>()
    """
    for n in LENGTHS:
        hashed, inner = "nothing_yet", []
        for i in range(n):
            here = f"n{n}_{i}"
            end = 2**31 if i == n - 1 else i + 1 - n
            lines += f"""
                {here}_first = Constant<value = int64[1] {{{i}}}>()
                {here}_end = Constant<value = int64[1] {{{end}}}>()
                {here} = Slice(spaced, {here}_first, {here}_end, time)
                {here}_times = Mul({hashed}, factor)
                {here}_sum = Add({here}_times, {here})
                {here}_hash = Mod({here}_sum, modulus)
            """
            hashed = f"{here}_hash"
            if 0 < i < n - 1:
                lines += f"{here}_space = Equal({here}, space)\n"
                inner.append(f"{here}_space")
        cut = inner[0]
        for other in inner[1:]:
            lines += f"{cut}_or = Or({cut}, {other})\n"
            cut += "_or"
        lines += f"""
            n{n}_bucket = Mod({hashed}, size)
            n{n}_buckets = Where({cut}, size, n{n}_bucket)
        """
    lines += f"""
        buckets = Concat<axis = 1>({", ".join(f"n{n}_buckets" for n in LENGTHS)})
        shape_of_buckets = Shape(buckets)
        once = ConstantOfShape<value = float[1] {{1.0}}>(shape_of_buckets)
        sentences = Shape<start = 0, end = 1>(buckets)
        one_more = Constant<value = int64[1] {{{len(spelling.rarity) + 1}}}>()
        shape_of_counts = Concat<axis = 0>(sentences, one_more)
        zeros = ConstantOfShape<value = float[1] {{0.0}}>(shape_of_counts)
        with_last = ScatterElements<axis = 1, reduction = "add">(zeros, buckets, once)
        all = Constant<value = int64[1] {{{len(spelling.rarity)}}}>()
        counts_of_buckets = Slice(with_last, nothing_yet, all, time)
        rare = Mul(counts_of_buckets, rarity)
        {at_end("rare", "spelt", "cosine")}
    """
    return lines, {"letter_of": np.array(spelling.letters), "rarity": array(spelling.rarity)}
