"""How raw sentences become what an encoder reads: a file a text, named as descriptions name it.

Each has a class `Text`::

    Text.build(captions, **options)   what is learned from the training captions, a classmethod
    text.encode(sentences)            as many sentences, in their order, as an encoder reads them
    text.as_dict()                    what `Text(**...)` takes, ready for JSON
    len(text)                         how many different indices an encoder has to know

What `encode` returns, such as `groundvec.text.encoded.Encoded`, has a length and::

    encoded.lengths                   (sentences,) int64: how many indices each has
    encoded.batch(rows)               of these sentences, one after another: indices (N,) and
                                      lengths (B,), and what else their encoders read; all int64

A text over fixed vectors also has::

    text.vectors                      (len(text), D) float32, which encoders take into their
                                      weights; None of a text that was made without them
    text.packed()                     `as_dict` with the vectors

and one that reads what is prepared beforehand::

    Text.remember(path)               reads such a file; of its sentences, nothing is made again
"""
