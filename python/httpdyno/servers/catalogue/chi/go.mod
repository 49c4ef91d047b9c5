module httpdyno/server

go 1.25

require github.com/go-chi/chi/v5 v5.5.0
