{-# LANGUAGE OverloadedStrings #-}

-- | A WAI application served over SCGI by wai-extra, on the socket that lighttpd gives it as file descriptor 0.
module Main (main) where

import Data.ByteString (ByteString)
import Data.ByteString.Builder (Builder, intDec)
import Data.Text.Encoding (decodeUtf8With)
import Data.Text.Encoding.Error (lenientDecode)
import Network.HTTP.Types (hContentType, status200, status404)
import Network.Wai
import qualified Network.Wai.Handler.SCGI as SCGI
import Text.Blaze (toMarkup)
import Text.Blaze.Renderer.Utf8 (renderMarkupBuilder)

main :: IO ()
main = SCGI.run application

application :: Application
application request respond = respond $
  case rawPathInfo request of
    "/pong" -> page "text/plain" "PONG"
    "/hello" -> page "text/plain" "Hello, world!"
    "/echo" -> page "text/xml" (echo (lookup "value" (queryString request)))
    "/bigtable" -> page "text/html" bigtable
    "/bigtable-2011" -> page "text/html" bigtable2011
    _ -> responseBuilder status404 [(hContentType, "text/plain")] "not found"

page :: ByteString -> Builder -> Response
page kind = responseBuilder status200 [(hContentType, kind)]

-- | The parameter as wai gives it: absent, without a value, or with one, percent-decoded.
echo :: Maybe (Maybe ByteString) -> Builder
echo Nothing = "<http_test><error>no value specified</error></http_test>"
echo (Just given) = "<http_test><value>" <> escaped <> "</value></http_test>"
  where
    escaped = foldMap (renderMarkupBuilder . toMarkup . decodeUtf8With lenientDecode) given

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
