#!/bin/sh
# Builds the five programs with Debian's Haskell libraries into the folder $1.
set -eu
for program in ByteString String Text Package Wai; do
    ghc -O2 -outputdir "build/$program" -o "$1/$program" "$program.hs"
done
