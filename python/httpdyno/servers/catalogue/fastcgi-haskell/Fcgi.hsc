{-# LANGUAGE ForeignFunctionInterface #-}

-- | What a FastCGI responder needs of libfcgi: accept, read a parameter, write, finish.
module Fcgi (serve) where

import Control.Concurrent (forkFinally, newEmptyMVar, putMVar, takeMVar)
import Control.Monad (forM_, replicateM_, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as Strict
import qualified Data.ByteString.Lazy as Lazy
import Data.ByteString.Unsafe (unsafeUseAsCStringLen)
import Foreign.C (CInt (..), CString)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Ptr (Ptr, nullPtr)
import Foreign.Storable (peekByteOff)
import System.Posix.Signals (Handler (CatchOnce), installHandler, sigTERM)

#include <fcgiapp.h>

data Request
data Stream

foreign import ccall unsafe "FCGX_Init" fcgxInit :: IO CInt
foreign import ccall unsafe "FCGX_InitRequest"
  fcgxInitRequest :: Ptr Request -> CInt -> CInt -> IO CInt
foreign import ccall unsafe "FCGX_GetParam" fcgxGetParam :: CString -> Ptr CString -> IO CString

-- These wait for the web server: `safe`, so that the other threads run on.
foreign import ccall safe "FCGX_Accept_r" fcgxAccept :: Ptr Request -> IO CInt
foreign import ccall safe "FCGX_PutStr" fcgxPutStr :: CString -> CInt -> Ptr Stream -> IO CInt
foreign import ccall safe "FCGX_Finish_r" fcgxFinish :: Ptr Request -> IO ()

-- | Answers requests on the listening socket that is file descriptor 0, on that many threads. @answer@ gets the value
-- of the named parameter of each request. Returns on SIGTERM, which libfcgi's own handler would tell one thread only.
serve :: Int -> ByteString -> (ByteString -> Lazy.ByteString) -> IO ()
serve threads parameter answer = do
  _ <- fcgxInit
  ended <- newEmptyMVar
  _ <- installHandler sigTERM (CatchOnce (putMVar ended (Right ()))) Nothing
  replicateM_ threads (forkFinally (work parameter answer) (putMVar ended))
  takeMVar ended >>= either (ioError . userError . show) pure

work :: ByteString -> (ByteString -> Lazy.ByteString) -> IO ()
work parameter answer = allocaBytes #{size FCGX_Request} $ \request -> do
  _ <- fcgxInitRequest request 0 0
  let next = do
        accepted <- fcgxAccept request
        when (accepted >= 0) $ do
          value <- getParam request parameter
          out <- #{peek FCGX_Request, out} request
          forM_ (Lazy.toChunks (answer value)) (put out)
          fcgxFinish request
          next
  next

-- | The value of a parameter; empty when the request has none of that name.
getParam :: Ptr Request -> ByteString -> IO ByteString
getParam request name = do
  parameters <- #{peek FCGX_Request, envp} request
  value <- Strict.useAsCString name (`fcgxGetParam` parameters)
  if value == nullPtr then pure Strict.empty else Strict.packCString value

put :: Ptr Stream -> ByteString -> IO ()
put out chunk = unsafeUseAsCStringLen chunk $ \(start, size) ->
  () <$ fcgxPutStr start (fromIntegral size) out
