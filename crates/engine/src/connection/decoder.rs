//! Decodes the bodies of replies by their Content-Encoding (RFC 9110 §8.4), piece by piece and in bounded memory.

use std::io::Write;

use flate2::write::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use wire::Compression;

/// Bytes of gzip that are decoded at once. They become at most a thousand times as many, so this limits the memory.
const PIECE: usize = 256;
/// Decoded bytes that are passed on at once.
const ROOM: usize = 16 * 1024;

/// The decoder of one body.
#[derive(Debug)]
pub enum Decoder {
    /// The body is not compressed.
    Plain,
    Gzip(MultiGzDecoder<Vec<u8>>),
    /// `deflate`, before its first byte shows whether it has the header of zlib, which some servers leave out.
    Deflate,
    Inflate(Inflate),
    /// A compression that is not known here.
    Unknown,
}

/// The state of a decoded body, for a message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Decoding {
    /// The body is compared as it came.
    #[default]
    None,
    Sound,
    /// The content was longer than expected, or another, before its end.
    Stopped,
    /// The body cannot be decoded.
    Broken,
}

impl Decoding {
    /// The length of the content in words, where it is not that of the bytes that came.
    pub fn words(self, seen: u64, content: u64) -> String {
        match self {
            Self::Sound if seen != content => format!(", {content} when decoded,"),
            Self::Stopped if seen != content => format!(", {content} or more when decoded,"),
            _ => String::new(),
        }
    }
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
            let has_header = first & 0x0f == 8 && first >> 4 <= 7;
            *self = Self::Inflate(Inflate::new(has_header));
        }
        match self {
            Self::Plain => take(data),
            Self::Gzip(decoder) => data.chunks(PIECE).all(|piece| {
                decoder.write_all(piece).is_ok() && pass_on(decoder.get_mut(), &mut take)
            }),
            Self::Inflate(inflate) => inflate.feed(data, &mut take),
            Self::Deflate => true,
            Self::Unknown => false,
        }
    }

    /// Ends the body. Returns false if its end is missing.
    pub fn finish(&mut self, mut take: impl FnMut(&[u8]) -> bool) -> bool {
        match self {
            Self::Plain => true,
            Self::Gzip(decoder) => {
                decoder.try_finish().is_ok() && pass_on(decoder.get_mut(), &mut take)
            }
            Self::Inflate(inflate) => inflate.ended,
            Self::Deflate | Self::Unknown => false,
        }
    }
}

fn pass_on(decoded: &mut Vec<u8>, take: &mut impl FnMut(&[u8]) -> bool) -> bool {
    let goes_on = decoded.is_empty() || take(decoded);
    decoded.clear();
    goes_on
}

/// The decoder of the deflate format, with the header of zlib or without.
#[derive(Debug)]
pub struct Inflate {
    state: Decompress,
    decoded: Vec<u8>,
    ended: bool,
}

impl Inflate {
    fn new(has_header: bool) -> Self {
        Self {
            state: Decompress::new(has_header),
            decoded: Vec::with_capacity(ROOM),
            ended: false,
        }
    }

    fn feed(&mut self, mut rest: &[u8], take: &mut impl FnMut(&[u8]) -> bool) -> bool {
        while !self.ended {
            let before = self.state.total_in();
            let flush = FlushDecompress::None;
            let Ok(status) = self.state.decompress_vec(rest, &mut self.decoded, flush) else {
                return false;
            };
            let used = (self.state.total_in() - before) as usize;
            rest = &rest[used..];
            self.ended = status == Status::StreamEnd;
            let stuck = used == 0 && self.decoded.is_empty();
            let more_behind = self.decoded.len() == self.decoded.capacity();
            if !pass_on(&mut self.decoded, take) {
                return false;
            }
            if !self.ended && (stuck || rest.is_empty() && !more_behind) {
                return rest.is_empty();
            }
        }
        rest.is_empty()
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
        assert!(decoded(gzip, &body[..body.len() - 1], 100).is_none());
        assert!(decoded(deflate, &zlib[..zlib.len() - 1], 100).is_none());
        let mut garbled = body.clone();
        garbled[body.len() / 2] ^= 0x55;
        assert!(decoded(gzip, &garbled, 100).is_none());
        let mut garbled = zlib.clone();
        garbled[zlib.len() - 1] ^= 1;
        assert!(
            decoded(deflate, &garbled, 100).is_none(),
            "its checksum is wrong"
        );
        assert_eq!(decoded(gzip, b"not compressed at all", 100), None);
        assert_eq!(decoded(Compression::Other, b"x", 100), None);
        let mut longer = body;
        longer.extend_from_slice(b"more");
        assert!(decoded(gzip, &longer, 100).is_none());
        let longer = [&zlib[..], b"more"].concat();
        assert!(decoded(deflate, &longer, 100).is_none());
    }

    #[test]
    fn a_bomb_is_left_once_it_is_longer_than_expected_and_takes_little_memory() {
        let mut bomb = GzEncoder::new(Vec::new(), Level::best());
        let zeros = vec![0; 1 << 20];
        (0..100).for_each(|_| bomb.write_all(&zeros).unwrap());
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
