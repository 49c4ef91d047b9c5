-- | A CGI program on String alone: a page is a list of characters.
module Main (main) where

import Data.Maybe (fromMaybe)
import System.Environment (lookupEnv)

main :: IO ()
main = lookupEnv "PATH_INFO" >>= putStr . reply . fromMaybe ""

reply :: String -> String
reply "/pong" = page "text/plain" "PONG"
reply "/hello" = page "text/plain" "Hello, world!"
reply "/bigtable" = page "text/html" bigtable
reply "/bigtable-2011" = page "text/html" bigtable2011
reply _ = "Status: 404 Not Found\r\n" ++ page "text/plain" "not found"

page :: String -> String -> String
page kind body = "Content-Type: " ++ kind ++ "\r\n\r\n" ++ body

bigtable :: String
bigtable = "<table>" ++ concatMap row [1 .. 1000 :: Int] ++ "</table>"
  where
    row _ = "<tr>" ++ concatMap cell [1 .. 50] ++ "</tr>"

bigtable2011 :: String
bigtable2011 = "<html><body><table>\n" ++ concatMap row [1 .. 1000] ++ "</table></body></html>"
  where
    row n = "<tr>" ++ cell n ++ concatMap cell [1 .. 50] ++ "</tr>\n"

cell :: Int -> String
cell n = "<td>" ++ show n ++ "</td>"
