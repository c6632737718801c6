"""What training makes small: a file an objective, named as descriptions name it.

Each has a function::

    loss(images, captions, similarity, **options)

of images (B, size) and captions (B, size), by any names: for each language those of its own, and of
its paraphrases too where there are some. Row i of one belongs to row i of the others, and all are
embedded as `similarity` wants them. It gives one number, a tensor. An
objective whose best weights can be computed at once has another function in its place::

    solve(images, captions, size, **options)

of image features (M, width) and of what captions give to the last layer of their network. It gives
the weights and biases of the last layers, of the images' and of the captions' network.
"""
