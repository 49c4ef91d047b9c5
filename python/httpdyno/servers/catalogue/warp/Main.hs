{-# LANGUAGE OverloadedStrings #-}

-- | The workloads on warp alone: a WAI application, as the documentation of wai and warp writes one.
module Main (main) where

import Data.ByteString.Builder (Builder, intDec, toLazyByteString)
import qualified Data.ByteString.Char8 as Char8
import qualified Data.ByteString.Lazy as Lazy
import Data.Function ((&))
import Data.String (fromString)
import Data.Text.Encoding (decodeUtf8With)
import Data.Text.Encoding.Error (lenientDecode)
import Network.HTTP.Types (Header, hContentLength, hContentType, status200, status404)
import Network.Wai
import Network.Wai.Handler.Warp
import System.Environment (getArgs)
import System.FilePath ((</>))
import System.Posix.Signals (Handler (CatchOnce), installHandler, sigTERM)
import Text.Blaze.Renderer.Utf8 (renderMarkupBuilder)
import Text.Blaze (toMarkup)

main :: IO ()
main = do
  [host, port, files] <- getArgs
  runSettings (settings host (read port)) (application files)

-- | SIGTERM closes the listening socket, then requests in hand have two seconds.
settings :: String -> Port -> Settings
settings host port =
  defaultSettings
    & setHost (fromString host)
    & setPort port
    & setInstallShutdownHandler endOnTerm
    & setGracefulShutdownTimeout (Just 2)
  where
    endOnTerm closeSocket = () <$ installHandler sigTERM (CatchOnce closeSocket) Nothing

application :: FilePath -> Application
application files request respond = respond $
  case rawPathInfo request of
    "/pong" -> page "text/plain" "PONG"
    "/hello" -> page "text/plain" "Hello, world!"
    "/echo" -> page "text/xml" (echo (lookup "value" (queryString request)))
    "/file.png" -> responseFile status200 [contentType "image/png"] (files </> "file.png") Nothing
    "/bigtable" -> responseBuilder status200 [contentType "text/html"] bigtable
    "/bigtable-2011" -> responseBuilder status200 [contentType "text/html"] bigtable2011
    _ -> responseBuilder status404 [contentType "text/plain"] "not found"

contentType :: Char8.ByteString -> Header
contentType kind = (hContentType, kind)

-- | A short page: with its length, because warp sends what has none in chunks.
page :: Char8.ByteString -> Builder -> Response
page kind content = responseLBS status200 [contentType kind, (hContentLength, size)] body
  where
    body = toLazyByteString content
    size = Char8.pack (show (Lazy.length body))

-- | The parameter as wai gives it: absent, without a value, or with one, percent-decoded.
echo :: Maybe (Maybe Char8.ByteString) -> Builder
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
