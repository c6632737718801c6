"""Optimisers with a schedule: one module per optimiser, and the YAML file of its options beside it.

Each has a class `Optimiser`, one of torch's with another method::

    Optimiser(parameters, cycle, **options)   `cycle` is the number of steps between two snapshots
    optimiser.prepare(step)                   before every step, from 0: sets the learning rate

What `prepare` does is a function of the step, so that a training that was killed goes on as if it
had not been.
"""
