"""How raw sentences become what an encoder reads: a file a text, named as descriptions name it.

Each has a class `Text`::

    Text.build(captions, **options)   what is learned from the training captions, a classmethod
    text.encode(sentences)            an `Encoded` of as many sentences, in their order
    text.as_dict()                    what `Text(**...)` takes, ready for JSON
    len(text)                         how many different indices an encoder has to know
"""
