"""Default warm-ups, in seconds: the load before a measurement, which is not counted.

They differ on purpose, because measurements begin in different states.
"""

LOAD_S = 0.0
"""Of `load`, and so of `sweep`: the server runs already, and every call counts, as with ab."""
STUDY_S = 1.0
"""Of studies and of `compare`: each trial begins with a server that was just started."""
QUICK_S = 0.5
"""The maximum with `--quick`: longer ones would take most of the time of its short trials."""
CAPACITY_S = 0.5
"""Of `capacity`: a search begins below the capacity, so its first steps warm the server up too."""
