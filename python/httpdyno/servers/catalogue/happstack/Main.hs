{-# LANGUAGE OverloadedStrings #-}

-- | The workloads on Happstack, as its crash course writes a server part.
--
-- As shipped, a page goes out in several small writes on a socket with Nagle's algorithm, so that every reply on a kept
-- connection waits for the client's delayed acknowledgement, about 40 ms. @no-delay@ sets TCP_NODELAY and says the
-- length of short pages.
module Main (main) where

import Control.Applicative (optional)
import Control.Monad (msum, when)
import Control.Monad.IO.Class (liftIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as Lazy
import Data.IORef (IORef, newIORef, readIORef)
import Data.Text.Lazy (Text)
import Happstack.Server
import Network.Socket (SocketOption (NoDelay), setSocketOption)
import System.Environment (getArgs)
import System.FilePath ((</>))
import Text.Blaze.Html (Html, toHtml)
import qualified Text.Blaze.Html5 as H
import Text.Blaze.Renderer.Utf8 (renderMarkup)

-- | The size of the table. Every request reads it from a reference: a page that depends on nothing of its request would
-- be one value of the program, built once and kept.
data Table = Table {rows :: Int, columns :: Int}

main :: IO ()
main = do
  [address, portText, files, mode] <- getArgs
  let noDelay = mode == "no-delay"
      conf = nullConf {port = read portText, logAccess = Nothing}
  socket <- bindIPv4 address (port conf)
  when noDelay (setSocketOption socket NoDelay 1)
  let framing = if noDelay then contentLength else id
  table <- newIORef (Table 1000 50)
  simpleHTTPWithSocket socket conf (site framing files table)

site :: (Response -> Response) -> FilePath -> IORef Table -> ServerPart Response
site framing files table =
  msum
    [ dir "pong" (short "text/plain" "PONG")
    , dir "hello" (short "text/plain" "Hello, world!")
    , dir "echo" (optional (queryString (lookText "value")) >>= short "text/xml" . echo)
    , dir "file.png" (serveFile (asContentType "image/png") (files </> "file.png"))
    , dir "bigtable" (built (bigtable <$> readIORef table))
    , dir "bigtable-2011" (built (bigtable2011 <$> readIORef table))
    ]
  where
    short :: ByteString -> Lazy.ByteString -> ServerPart Response
    short kind = ok . framing . toResponseBS kind
    built :: IO Html -> ServerPart Response
    built page = liftIO page >>= ok . toResponse

echo :: Maybe Text -> Lazy.ByteString
echo Nothing = "<http_test><error>no value specified</error></http_test>"
echo (Just value) = "<http_test><value>" <> renderMarkup (toHtml value) <> "</value></http_test>"

bigtable :: Table -> Html
bigtable table = H.table (foldMap row [1 .. rows table])
  where
    row _ = H.tr (foldMap cell [1 .. columns table])

bigtable2011 :: Table -> Html
bigtable2011 table = H.html (H.body (H.table ("\n" <> foldMap row [1 .. rows table])))
  where
    row n = H.tr (cell n <> foldMap cell [1 .. columns table]) <> "\n"

cell :: Int -> Html
cell = H.td . toHtml
