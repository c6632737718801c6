"""From raw sentences to what an encoder reads: one module per text, and the YAML of its options.

Each module has a class `Text`::

    Text.build(captions, **options)   what is learned from the training captions, a classmethod
    text.encode(sentences)            as many sentences, in their order, as an encoder reads them
    text.as_dict()                    what `Text(**...)` takes, ready for JSON
    len(text)                         how many different indices an encoder has to know

What `encode` returns, such as `groundvec.text.encoded.Encoded`, has a length and::

    encoded.lengths                   (sentences,) int64: how many indices each has
    encoded.batch(rows)               of these sentences, one after another: indices (N,) and
                                      lengths (B,), and what else their encoders read; all int64
    encoded.join(blocks)              (where there is one) many sentences, encoded block by block

A text over fixed vectors also has::

    text.vectors                      (len(text), D) float32, which encoders take into their
                                      weights; None of a text that was made without them
    text.packed()                     `as_dict` with the vectors

A text that reads trees (`provides: [trees]`) also takes sentences that are parsed already::

    Text.read_treebanks(paths)        reads files of them, see `reproduction.text.treebank`
    Text.build(captions, treebank=..., **options)
    Text(treebank=..., **content)
"""
