"""Optimizers with a schedule: one module each, next to the YAML file of its options.

Each module has a class `Optimizer`, one of torch's with a further method::

    Optimizer(parameters, cycle, **options)   `cycle` is the number of steps between two snapshots
    optimizer.prepare(step)                   sets the learning rate; called before every step

Steps count from 0. `prepare` is a function of the step alone, so that a training that was killed
resumes as if it had not been.
"""
