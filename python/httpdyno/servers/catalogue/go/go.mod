module httpdyno/server

go 1.19
