"""Texts, from raw sentences to what an encoder reads: one module each, next to its options' YAML.

Each module has a class `Text`::

    Text.build(captions, **options)   a classmethod: learns a vocabulary, say, of training captions
    text.encode(sentences)            encoded sentences, in their order
    text.as_dict()                    the arguments of `Text(**...)`, ready for JSON
    len(text)                         the number of different indices

The encoded sentences, such as `groundvec.text.encoded.Encoded`, have a length and::

    encoded.lengths                   (sentences,) int64: the number of indices of each
    encoded.batch(rows)               a batch of these sentences, one after another: indices (N,),
                                      lengths (B,), and further arrays for some encoders; all int64
    encoded.bags(rows)                (for encoders with `fit_idf`) the indices (N,) of these
                                      sentences, and their number in each
    encoded.join(blocks)              (optional) concatenates sentences that were encoded in blocks

A text over fixed vectors also has::

    text.vectors                      (len(text), D) float32, which encoders copy into their
                                      weights; None if the text was made without them
    text.packed()                     `as_dict` with the vectors

A text that reads trees (`provides: [trees]`) also accepts sentences that are parsed already::

    Text.read_treebanks(paths)        reads files of parsed sentences
    Text.build(captions, treebank=..., **options)
    Text(treebank=..., **content)
"""
