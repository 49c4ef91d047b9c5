{-# LANGUAGE OverloadedStrings #-}

-- | The workloads on Snap, as its documentation writes a site. Arguments: the folder of files, then Snap's own options.
module Main (main) where

import Data.ByteString (ByteString)
import Data.ByteString.Builder (Builder, intDec, toLazyByteString)
import qualified Data.ByteString.Lazy as Lazy
import Data.Text.Encoding (decodeUtf8With)
import Data.Text.Encoding.Error (lenientDecode)
import Snap.Core
import Snap.Http.Server (quickHttpServe)
import Snap.Util.FileServe (serveFile)
import System.Environment (getArgs, withArgs)
import System.FilePath ((</>))
import Text.Blaze (toMarkup)
import Text.Blaze.Renderer.Utf8 (renderMarkupBuilder)

main :: IO ()
main = do
  files : options <- getArgs
  withArgs options (quickHttpServe (site files))

site :: FilePath -> Snap ()
site files =
  route
    [ ("pong", page "text/plain" "PONG")
    , ("hello", page "text/plain" "Hello, world!")
    , ("echo", getParam "value" >>= page "text/xml" . echo)
    , ("file.png", serveFile (files </> "file.png"))
    , ("bigtable", stream "text/html" bigtable)
    , ("bigtable-2011", stream "text/html" bigtable2011)
    ]

-- | A short page: with its length, because Snap sends what has none in chunks.
page :: ByteString -> Builder -> Snap ()
page kind content = do
  modifyResponse (setContentType kind . setContentLength (fromIntegral (Lazy.length body)))
  writeLBS body
  where
    body = toLazyByteString content

stream :: ByteString -> Builder -> Snap ()
stream kind content = modifyResponse (setContentType kind) >> writeBuilder content

echo :: Maybe ByteString -> Builder
echo Nothing = "<http_test><error>no value specified</error></http_test>"
echo (Just value) = "<http_test><value>" <> escaped <> "</value></http_test>"
  where
    escaped = renderMarkupBuilder (toMarkup (decodeUtf8With lenientDecode value))

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
