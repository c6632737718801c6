"""The losses: one module per objective, next to the YAML file of its options.

Each module has a class `Objective`, usually an `nn.Module`::

    Objective(**options)
    objective(images, captions, similarity)   a tensor of one number, the loss of a batch

Images are (B, size). Captions are a dictionary of (B, size), one for each language, and for each
language's paraphrases if there are any. Rows with the same number belong together. All vectors are
embedded for `similarity` (`groundvec.similarity.embed`). If an objective has parameters, they are
trained, and kept in checkpoints and snapshots. An objective with `provides: [pairs of captions]`
in its YAML file also reads two captions of each of M images that are not shown, (M, size) each::

    objective(images, captions, similarity, text_only)

An objective with a closed form has a method in place of the loss::

    objective.fit(model, split)   sets the weights of the model by the training set
"""
