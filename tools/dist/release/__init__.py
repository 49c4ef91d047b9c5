"""Builds and proves a release of httpdyno: `make dist` and `make dist-test`."""
