"""`httpdyno compare A B`: two builds measured together → a decision and its exit code."""
