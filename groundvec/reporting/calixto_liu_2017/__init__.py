"""The tables of Calixto & Liu (2017), and what was asked of its models beyond."""
