{-# LANGUAGE OverloadedStrings #-}

-- | A FastCGI responder on libfcgi. Argument: how many threads take requests.
module Main (main) where

import Data.ByteString (ByteString)
import Data.ByteString.Builder (Builder, byteString, intDec, toLazyByteString)
import Fcgi (serve)
import System.Environment (getArgs)

main :: IO ()
main = do
  [threads] <- getArgs
  serve (read threads) "PATH_INFO" (toLazyByteString . reply)

reply :: ByteString -> Builder
reply "/pong" = page "text/plain" "PONG"
reply "/hello" = page "text/plain" "Hello, world!"
reply "/bigtable" = page "text/html" bigtable
reply "/bigtable-2011" = page "text/html" bigtable2011
reply _ = "Status: 404 Not Found\r\n" <> page "text/plain" "not found"

page :: ByteString -> Builder -> Builder
page kind body = "Content-Type: " <> byteString kind <> "\r\n\r\n" <> body

bigtable :: Builder
bigtable = "<table>" <> foldMap row [1 .. 1000 :: Int] <> "</table>"
  where
    row _ = "<tr>" <> foldMap cell [1 .. 50] <> "</tr>"

bigtable2011 :: Builder
bigtable2011 = "<html><body><table>\n" <> foldMap row [1 .. 1000] <> "</table></body></html>"
  where
    row n = "<tr>" <> cell n <> foldMap cell [1 .. 50] <> "</tr>\n"

cell :: Int -> Builder
cell n = "<td>" <> intDec n <> "</td>"
