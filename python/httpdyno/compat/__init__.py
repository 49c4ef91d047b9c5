"""Other load generators: their options as engine plans, and measurements as their output."""
