"""The machine: its facts and the doubts they raise, and the split of its cores."""
