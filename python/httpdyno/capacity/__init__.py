"""The search for the highest rate that holds stated limits: pure, no socket and no clock."""
