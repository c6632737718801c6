"""A workaround for Snakemake's scheduler, which wakes ever more often in a run of many jobs.

- **Fault**: for its limit of 100 jobs per second, Snakemake sets a timer of one second each time
  it has looked for jobs to start, even if the limit is far away. Each timer leads to the next one
  while jobs are ready. So there is a timer for each job that has ended, and each of them has all
  ready jobs evaluated every second.
- **Versions**: snakemake/snakemake#3067 (September 2024) brought it, and 9.27.1, which
  requirements.txt pins, still has it.
- **Settings**: none switches the limit off. With a longer `--max-jobs-per-timespan`, the timers are
  as long, and Python waits for them at the end of a run.
- **Saved**: half of Snakemake's own processor time, 4.2 s instead of 8.8 s, for 200 jobs that do
  nothing and then 40 jobs of 4 s, two at a time.

tests/test_scheduler.py fails when Snakemake no longer needs this.
"""

from typing import Any

DEFAULT_LIMIT = (100, 1)  # jobs, seconds


def lift_default_limit(scheduler: Any) -> None:
    """Let a scheduler start any number of jobs per second, unless the user has set a limit."""
    limiter = getattr(scheduler, "job_rate_limiter", None)
    if limiter and (limiter.max_jobs, limiter.timespan) == DEFAULT_LIMIT:
        scheduler.job_rate_limiter = None
