"""Studies, sweeps and histories made of seeded numbers."""
