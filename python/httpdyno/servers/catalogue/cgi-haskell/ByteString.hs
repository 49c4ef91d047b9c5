{-# LANGUAGE OverloadedStrings #-}

-- | A CGI program on strict ByteString.
module Main (main) where

import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as Char8
import Data.Maybe (fromMaybe)
import System.Environment (lookupEnv)

main :: IO ()
main = lookupEnv "PATH_INFO" >>= Char8.putStr . reply . fromMaybe ""

reply :: String -> ByteString
reply "/pong" = page "text/plain" "PONG"
reply "/hello" = page "text/plain" "Hello, world!"
reply "/bigtable" = page "text/html" bigtable
reply "/bigtable-2011" = page "text/html" bigtable2011
reply _ = "Status: 404 Not Found\r\n" <> page "text/plain" "not found"

page :: ByteString -> ByteString -> ByteString
page kind body = Char8.concat ["Content-Type: ", kind, "\r\n\r\n", body]

bigtable :: ByteString
bigtable = Char8.concat ["<table>", Char8.concat (map row [1 .. 1000 :: Int]), "</table>"]
  where
    row _ = Char8.concat ["<tr>", Char8.concat (map cell [1 .. 50]), "</tr>"]

bigtable2011 :: ByteString
bigtable2011 = Char8.concat ["<html><body><table>\n", rows, "</table></body></html>"]
  where
    rows = Char8.concat (map row [1 .. 1000])
    row n = Char8.concat ["<tr>", cell n, Char8.concat (map cell [1 .. 50]), "</tr>\n"]

cell :: Int -> ByteString
cell n = Char8.concat ["<td>", Char8.pack (show n), "</td>"]
