{-# LANGUAGE OverloadedStrings #-}

-- | A CGI program on strict Text.
module Main (main) where

import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text as Text
import qualified Data.Text.IO as Text
import System.Environment (lookupEnv)

main :: IO ()
main = lookupEnv "PATH_INFO" >>= Text.putStr . reply . fromMaybe ""

reply :: String -> Text
reply "/pong" = page "text/plain" "PONG"
reply "/hello" = page "text/plain" "Hello, world!"
reply "/bigtable" = page "text/html" bigtable
reply "/bigtable-2011" = page "text/html" bigtable2011
reply _ = "Status: 404 Not Found\r\n" <> page "text/plain" "not found"

page :: Text -> Text -> Text
page kind body = Text.concat ["Content-Type: ", kind, "\r\n\r\n", body]

bigtable :: Text
bigtable = Text.concat ["<table>", Text.concat (map row [1 .. 1000 :: Int]), "</table>"]
  where
    row _ = Text.concat ["<tr>", Text.concat (map cell [1 .. 50]), "</tr>"]

bigtable2011 :: Text
bigtable2011 = Text.concat ["<html><body><table>\n", rows, "</table></body></html>"]
  where
    rows = Text.concat (map row [1 .. 1000])
    row n = Text.concat ["<tr>", cell n, Text.concat (map cell [1 .. 50]), "</tr>\n"]

cell :: Int -> Text
cell n = Text.concat ["<td>", Text.pack (show n), "</td>"]
