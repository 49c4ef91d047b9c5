#!/bin/sh
# Builds the responder with Debian's libfcgi into the folder $1.
set -eu
mkdir -p build
hsc2hs -o build/Fcgi.hs Fcgi.hsc
ghc -O2 -threaded -rtsopts -ibuild -outputdir build -o "$1/server" Main.hs -lfcgi
