"""Two builds of a server, measured together: is the second one slower, and how sure is that?"""
