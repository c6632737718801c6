"""Optimizers with a schedule: one module each, next to the YAML file of its options.

Each module has a class `Optimiser`, one of torch's with a further method::

    Optimiser(parameters, cycle, **options)   `cycle` is the number of steps between two snapshots
    optimiser.prepare(step)                   sets the learning rate; called before every step

Steps count from 0. `prepare` is a function of the step alone, so that a training that was killed
resumes as if it had not been.
"""
