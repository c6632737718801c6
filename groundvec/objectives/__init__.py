"""What training makes small: a file an objective, named as descriptions name it.

Each has a function::

    loss(images, captions, similarity, **options)

of images (B, size) and, for each language, captions (B, size); row i of one belongs to row i of
the others, and both are embedded as `similarity` wants them. It gives one number, a tensor.
"""
