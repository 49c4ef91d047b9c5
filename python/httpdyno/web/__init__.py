"""The page in the browser: stored runs, and those under way, live.

    listener.py    the address, its socket, and the token of an address that others can reach
    server.py      the web server on a thread of its own, at the lowest priority
    child.py       the same as a process of its own, for the page of one run
    launcher.py    starts runs as processes of their own
    security.py    who may ask for what
    app.py         which page answers which path
    live/          runs under way: their state, and its stream to the viewers
    pages/         one file per page

Imports of starlette and uvicorn happen here alone, and only when a page is served.
"""
