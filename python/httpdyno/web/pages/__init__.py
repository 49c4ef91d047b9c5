"""The pages: each file answers the requests for one of them."""
