"""An oracle for words: reads the sentences of results back, and holds them against the raw trials.

It shares no code with the program's statistics or writers.
"""
