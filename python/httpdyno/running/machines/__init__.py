"""The machines of a run: what runs its servers and sends its load, and the lock on this one."""
