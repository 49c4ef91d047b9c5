"""`python -m httpdyno` is `httpdyno`."""

from httpdyno.cli.main import main

if __name__ == "__main__":
    main()
