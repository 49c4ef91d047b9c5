"""Runs that are under way: what each of them tells others, and how others reach it.

A run sends its events to its views, and writes them into a journal, one JSON object per line:

    STATE/live/PID-START/events.jsonl    the journal, readable by this user alone
    STATE/live/PID-START/pause           while it exists, the run waits before its next trial
    STATE/live/PID-START/cancel          the page has cancelled the run, which is ending
    STATE/live/PID-START/output.log      stdout and stderr of a run that was started from the page

`httpdyno serve` follows the journals of all runs. A run is interrupted by SIGINT, as by Ctrl-C.
"""
