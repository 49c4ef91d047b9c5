"""Requests from what people have: a curl command, an .http file, a HAR file, an OpenAPI document.

Each file has a reader of one of them. It returns the requests and the server that they go to, or
raises SourceError with the place of the fault.
"""
