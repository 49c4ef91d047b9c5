//! A fuzzer's input: a line that says how to feed the bytes, and the bytes.
//!
//! ```text
//! H ab c\nHTTP/1.1 200 OK\r\n...
//! │ └──┴── the sizes of the pieces, over and over: each byte's value modulo 61, and one
//! └─ the call that is answered was a HEAD
//! ```
//! So that a seed is a text one can read and write. Without a line end all of the input is the bytes.

/// The sizes of pieces repeat after at most this many.
const MOST_SIZES: usize = 32;

/// How to feed bytes, and the bytes.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The call that is answered was a HEAD.
    pub head_only: bool,
    /// What the server sent.
    pub bytes: &'a [u8],
    sizes: &'a [u8],
}

impl<'a> Input<'a> {
    /// Reads a fuzzer's input; every one makes sense.
    pub fn of(data: &'a [u8]) -> Self {
        let end = data.iter().position(|&byte| byte == b'\n');
        let (line, bytes) = end.map_or((&data[..0], data), |end| (&data[..end], &data[end + 1..]));
        let head_only = line.first() == Some(&b'H');
        let sizes = &line[usize::from(head_only)..];
        Input {
            head_only,
            bytes,
            sizes: &sizes[..sizes.len().min(MOST_SIZES)],
        }
    }

    /// The bytes in the pieces that the fuzzer chose; byte by byte if it chose none.
    pub fn pieces(&self) -> impl Iterator<Item = &'a [u8]> {
        let (mut rest, mut turn, sizes) = (self.bytes, 0, self.sizes);
        std::iter::from_fn(move || {
            let size = sizes
                .get(turn % sizes.len().max(1))
                .map_or(1, |&byte| usize::from(byte) % 61 + 1);
            turn += 1;
            let (piece, after) = rest.split_at(size.min(rest.len()));
            rest = after;
            (!piece.is_empty()).then_some(piece)
        })
    }
}
