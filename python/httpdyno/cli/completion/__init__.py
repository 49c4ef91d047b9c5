"""`httpdyno completion`: completes commands in bash, zsh and fish."""
