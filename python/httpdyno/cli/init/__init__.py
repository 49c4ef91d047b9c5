"""`httpdyno init`: a study to begin with, also of requests from elsewhere."""
