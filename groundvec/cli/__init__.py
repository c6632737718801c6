"""The command line: arguments, logs and errors of programs, and the commands of `groundvec`."""
