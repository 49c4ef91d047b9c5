#!/bin/sh
# Builds the server with Debian's Haskell libraries into the folder $1.
set -eu
ghc -O2 -threaded -rtsopts -outputdir build -o "$1/server" Main.hs
