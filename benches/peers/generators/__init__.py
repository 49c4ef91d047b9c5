"""The load generators: jobs, commands, installation."""
