"""The services beside the servers under test: a PostgreSQL that lives as long as its run."""
