//! A fuzzer's input: a line that says how to split the bytes, then the bytes.
//!
//! ```text
//! H ab c\nHTTP/1.1 200 OK\r\n...
//! │ └──┴── the sizes of the pieces, repeated: each byte's value modulo 61, plus one
//! └─ the request was a HEAD
//! ```
//! Seeds are therefore text that people can read and write. Without a newline, the whole input is the bytes.

/// The sizes of pieces repeat after at most this many sizes.
const MOST_SIZES: usize = 32;

/// Bytes, and how to split them.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The request was a HEAD.
    pub head_only: bool,
    /// The bytes that the server sent.
    pub bytes: &'a [u8],
    sizes: &'a [u8],
}

impl<'a> Input<'a> {
    /// Parses a fuzzer's input. Every input is valid.
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

    /// The bytes in pieces of the chosen sizes; single bytes if there are no sizes.
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
