{-# LANGUAGE OverloadedStrings #-}

-- | A CGI program on the cgi package, as its documentation writes one.
module Main (main) where

import Data.ByteString.Builder (Builder, intDec, toLazyByteString)
import Network.CGI
import Text.XHtml (showHtmlFragment, stringToHtml)

main :: IO ()
main = runCGI (handleErrors (pathInfo >>= reply))

reply :: String -> CGI CGIResult
reply "/pong" = page "text/plain" "PONG"
reply "/hello" = page "text/plain" "Hello, world!"
reply "/echo" = getInput "value" >>= setKind "text/xml" . output . echo
reply "/bigtable" = page "text/html" bigtable
reply "/bigtable-2011" = page "text/html" bigtable2011
reply path = outputNotFound path

page :: String -> Builder -> CGI CGIResult
page kind = setKind kind . outputFPS . toLazyByteString

setKind :: String -> CGI CGIResult -> CGI CGIResult
setKind kind answer = setHeader "Content-Type" kind >> answer

echo :: Maybe String -> String
echo Nothing = "<http_test><error>no value specified</error></http_test>"
echo (Just value) = "<http_test><value>" <> escaped <> "</value></http_test>"
  where
    escaped = showHtmlFragment (stringToHtml value)

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
