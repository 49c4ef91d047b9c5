//! Decodes the bodies of replies by their Content-Encoding (RFC 9110 §8.4), piece by piece and in bounded memory.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use wire::Compression;

/// Bytes that are decoded at once. They become at most a thousand times as many, so this limits the memory.
const PIECE: usize = 256;

/// The decoder of one body.
#[derive(Debug)]
pub enum Decoder {
    /// The body is not compressed.
    Plain,
    Gzip(MultiGzDecoder<Vec<u8>>),
    /// `deflate`, before its first byte shows which of the two it is.
    Deflate,
    Zlib(ZlibDecoder<Vec<u8>>),
    /// Without the header of zlib, as some servers send it.
    Raw(DeflateDecoder<Vec<u8>>),
    /// A compression that is not known here.
    Unknown,
}

impl Decoder {
    /// A decoder for this compression.
    pub fn new(compression: Compression) -> Self {
        match compression {
            Compression::None => Self::Plain,
            Compression::Gzip => Self::Gzip(MultiGzDecoder::new(Vec::new())),
            Compression::Deflate => Self::Deflate,
            Compression::Other => Self::Unknown,
        }
    }

    /// Decodes bytes and passes on their content until `take` returns false. Returns false if that happens, or if the
    /// bytes cannot be decoded.
    pub fn feed(&mut self, data: &[u8], mut take: impl FnMut(&[u8]) -> bool) -> bool {
        if let (Self::Deflate, Some(first)) = (&self, data.first()) {
            // The header of zlib names the method 8 and a window of at most 32 KiB (RFC 1950 §2.2).
            *self = if first & 0x0f == 8 && first >> 4 <= 7 {
                Self::Zlib(ZlibDecoder::new(Vec::new()))
            } else {
                Self::Raw(DeflateDecoder::new(Vec::new()))
            };
        }
        if matches!(self, Self::Plain) {
            return take(data);
        }
        data.chunks(PIECE)
            .all(|piece| self.write(piece).is_ok() && self.pass_on(&mut take))
    }

    /// Ends the body. Returns false if its end is missing.
    pub fn finish(&mut self, mut take: impl FnMut(&[u8]) -> bool) -> bool {
        let ended = match self {
            Self::Plain | Self::Deflate => Ok(()),
            Self::Gzip(decoder) => decoder.try_finish(),
            Self::Zlib(decoder) => decoder.try_finish(),
            Self::Raw(decoder) => decoder.try_finish(),
            Self::Unknown => Err(io::ErrorKind::Unsupported.into()),
        };
        ended.is_ok() && self.pass_on(&mut take)
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain | Self::Deflate => Ok(()),
            Self::Gzip(decoder) => decoder.write_all(piece),
            Self::Zlib(decoder) => decoder.write_all(piece),
            Self::Raw(decoder) => decoder.write_all(piece),
            Self::Unknown => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Passes on the bytes decoded so far.
    fn pass_on(&mut self, take: &mut impl FnMut(&[u8]) -> bool) -> bool {
        let decoded = match self {
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Zlib(decoder) => decoder.get_mut(),
            Self::Raw(decoder) => decoder.get_mut(),
            Self::Plain | Self::Deflate | Self::Unknown => return true,
        };
        let goes_on = decoded.is_empty() || take(decoded);
        decoded.clear();
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression as Level;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn text() -> Vec<u8> {
        (0..20_000_u32)
            .flat_map(|n| n.to_string().into_bytes())
            .collect()
    }

    fn encoded(text: &[u8]) -> [(Compression, Vec<u8>); 4] {
        let mut gzip = GzEncoder::new(Vec::new(), Level::fast());
        let mut zlib = ZlibEncoder::new(Vec::new(), Level::fast());
        let mut raw = DeflateEncoder::new(Vec::new(), Level::fast());
        gzip.write_all(text).unwrap();
        zlib.write_all(text).unwrap();
        raw.write_all(text).unwrap();
        [
            (Compression::None, text.to_vec()),
            (Compression::Gzip, gzip.finish().unwrap()),
            (Compression::Deflate, zlib.finish().unwrap()),
            (Compression::Deflate, raw.finish().unwrap()),
        ]
    }

    /// The content of a body that comes in pieces of this size, if it can be decoded.
    fn decoded(compression: Compression, body: &[u8], piece: usize) -> Option<Vec<u8>> {
        let mut decoder = Decoder::new(compression);
        let mut content = Vec::new();
        let mut take = |bytes: &[u8]| {
            content.extend_from_slice(bytes);
            true
        };
        let fed = body.chunks(piece).all(|part| decoder.feed(part, &mut take));
        let whole = fed && decoder.finish(&mut take);
        whole.then_some(content)
    }

    #[test]
    fn each_compression_is_decoded_in_pieces_of_any_size() {
        for text in [&b"PONG"[..], &text()] {
            for (compression, body) in encoded(text) {
                for piece in [1, 7, body.len()] {
                    let found = decoded(compression, &body, piece);
                    assert!(found.as_deref() == Some(text), "{compression:?} {piece}");
                }
            }
        }
    }

    #[test]
    fn bodies_that_are_cut_garbled_or_of_another_compression_are_refused() {
        let text = text();
        let [_, (gzip, body), (deflate, zlib), _] = encoded(&text);
        assert_eq!(decoded(gzip, &body[..body.len() - 1], 100), None);
        assert_eq!(decoded(deflate, &zlib[..zlib.len() - 1], 100), None);
        let mut garbled = body.clone();
        garbled[body.len() / 2] ^= 0x55;
        assert_ne!(decoded(gzip, &garbled, 100), Some(text.clone()));
        assert_eq!(decoded(gzip, b"not compressed at all", 100), None);
        assert_eq!(decoded(Compression::Other, b"x", 100), None);
        let mut longer = body;
        longer.extend_from_slice(b"more");
        assert_eq!(decoded(gzip, &longer, 100), None);
    }

    #[test]
    fn a_bomb_is_left_once_it_is_longer_than_expected_and_takes_little_memory() {
        let mut bomb = GzEncoder::new(Vec::new(), Level::best());
        (0..100).for_each(|_| bomb.write_all(&[0; 1 << 20]).unwrap());
        let bomb = bomb.finish().unwrap();
        let mut decoder = Decoder::new(Compression::Gzip);
        let (mut most, mut all) = (0, 0);
        let fed = decoder.feed(&bomb, |content| {
            most = most.max(content.len());
            all += content.len();
            all < 1 << 20
        });
        assert!(!fed && all < 2 << 20, "{all}");
        assert!(most <= PIECE * 1100 + (64 << 10), "{most}");
    }
}
