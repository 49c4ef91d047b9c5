"""Joining machines: certificates, the processes of workers and schedulers, SSH."""
