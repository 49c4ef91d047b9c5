"""The load generators compared: what each is asked to do, its command, its installation."""
