"""The losses: one module per objective, and the YAML file of its options beside it.

Each module has a class `Objective`, mostly an `nn.Module`::

    Objective(**options)
    objective(images, captions, similarity)   a tensor of one number, the loss of a batch

of images (B, size) and captions, a dictionary of (B, size): of each language, and of its
paraphrases if there are some. Row i of one belongs to row i of the others. All are embedded as
`similarity` wants them. Parameters of the objective are trained, kept in checkpoints and snapshots,
and resumed.

An objective whose best weights can be computed at once has a method in place of the loss::

    objective.solve(images, captions, size)   the weights and biases of two linear layers, of the
                                              images' and of the captions'

of image features (M, width) and of the input of the captions' last layer (M, width), as the
encoder's `pooled` computes it (`groundvec.encoders`).
"""
