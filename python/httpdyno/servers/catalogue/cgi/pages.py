"""A CGI program: RFC 3875. The path of the request is in PATH_INFO."""

import os
from sys import stdout

page = os.environ.get("PATH_INFO")

if page == "/pong":
    stdout.write("Content-Type: text/plain\r\n\r\nPONG")
elif page == "/hello":
    stdout.write("Content-Type: text/plain\r\n\r\nHello, world!")
elif page == "/bigtable":
    stdout.write("Content-Type: text/html\r\n\r\n<table>")
    for _ in range(1000):
        stdout.write("<tr>")
        for column in range(1, 51):
            stdout.write(f"<td>{column}</td>")
        stdout.write("</tr>")
    stdout.write("</table>")
else:
    stdout.write("Status: 404 Not Found\r\n\r\n")
