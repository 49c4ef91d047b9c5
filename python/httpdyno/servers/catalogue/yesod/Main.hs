{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE QuasiQuotes #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE TypeFamilies #-}

-- | The workloads on Yesod, as its book writes an application, on warp.
module Main (main) where

import Data.Function ((&))
import Data.Maybe (listToMaybe)
import Data.String (fromString)
import Data.Text (Text)
import qualified Network.Wai.Handler.Warp as Warp
import System.Environment (getArgs)
import System.FilePath ((</>))
import qualified System.Posix.Signals as Posix
import Yesod.Core

-- | The size of the table is data of the application, so that no page can be worked out beforehand.
data App = App
  { files :: FilePath
  , sessionKey :: Maybe FilePath
  , rows :: Int
  , columns :: Int
  }

mkYesod "App" [parseRoutes|
/pong          PongR         GET
/hello         HelloR        GET
/echo          EchoR         GET
/file.png      FileR         GET
/bigtable      BigTableR     GET
/bigtable-2011 BigTable2011R GET
|]

instance Yesod App where
  approot = ApprootRelative
  shouldLogIO _ _ _ = pure False

  -- Yesod's own session, good for 120 minutes, or none, as the book's chapter on sessions turns it off.
  makeSessionBackend app = traverse (defaultClientSessionBackend 120) (sessionKey app)

getPongR :: Handler Text
getPongR = pure "PONG"

getHelloR :: Handler Text
getHelloR = pure "Hello, world!"

getEchoR :: Handler RepXml
getEchoR = do
  given <- lookupGetParam "value"
  RepXml . toContent <$> withUrlRenderer (answer given)
  where
    answer Nothing = [hamlet|
      $newline never
      <http_test>
        <error>no value specified
    |]
    answer (Just value) = [hamlet|
      $newline never
      <http_test>
        <value>#{value}
    |]

getFileR :: Handler TypedContent
getFileR = do
  folder <- getsYesod files
  sendFile typePng (folder </> "file.png")

getBigTableR :: Handler Html
getBigTableR = do
  app <- getYesod
  withUrlRenderer [hamlet|
    $newline never
    <table>
      $forall _ <- enumFromTo 1 (rows app)
        <tr>
          $forall column <- enumFromTo 1 (columns app)
            <td>#{column}
  |]

getBigTable2011R :: Handler Html
getBigTable2011R = do
  app <- getYesod
  withUrlRenderer [hamlet|
    $newline never
    <html>
      <body>
        <table>
          #{newline}
          $forall row <- enumFromTo 1 (rows app)
            <tr>
              <td>#{row}
              $forall column <- enumFromTo 1 (columns app)
                <td>#{column}
            #{newline}
  |]
  where
    newline = "\n" :: Text

main :: IO ()
main = do
  host : port : folder : key <- getArgs
  application <- toWaiAppPlain (App folder (listToMaybe key) 1000 50)
  Warp.runSettings (settings host (read port)) (defaultMiddlewaresNoLogging application)

-- | SIGTERM closes the listening socket, then requests in hand have two seconds.
settings :: String -> Warp.Port -> Warp.Settings
settings host port =
  Warp.defaultSettings
    & Warp.setHost (fromString host)
    & Warp.setPort port
    & Warp.setInstallShutdownHandler endOnTerm
    & Warp.setGracefulShutdownTimeout (Just 2)
  where
    endOnTerm closeSocket = () <$ Posix.installHandler Posix.sigTERM (Posix.CatchOnce closeSocket) Nothing
