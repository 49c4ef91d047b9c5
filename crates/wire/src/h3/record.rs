//! Records: what passes between QUIC and HTTP/3, in both directions, as one series of bytes for a connection.
//!
//! ```text
//! kind (1) │ stream or number (8) │ length (4) │ bytes
//! ```
//! They never leave this process. A piece of input holds whole records.

use thiserror::Error;

/// Bytes of a record before its content.
const HEAD: usize = 13;

/// A record. Streams have the ids of QUIC (RFC 9000 §2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// The next bytes of a stream.
    Data { stream: u64, bytes: &'a [u8] },
    /// A stream has no more bytes.
    End { stream: u64 },
    /// A stream is abandoned: by its sender, if received; in both directions, if sent.
    Reset { stream: u64, code: u64 },
    /// The peer reads no more of a stream.
    Stopped { stream: u64, code: u64 },
    /// Number of streams for requests that may have been opened on the connection from its begin on.
    Room { streams: u64 },
    /// No more is taken of a stream, because its window or that of the connection is used up. What was sent is kept.
    Blocked { stream: u64 },
    /// All that was sent on a stream is taken, and more may follow.
    Open { stream: u64 },
    /// The connection is closed with this code.
    Closed { code: u64 },
}

/// Bytes that are no records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("records of QUIC are not whole")]
pub struct RecordError;

impl Record<'_> {
    /// Appends the record.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (kind, number, bytes): (u8, u64, &[u8]) = match self {
            Self::Data { stream, bytes } => (0, *stream, bytes),
            Self::End { stream } => (1, *stream, &[]),
            Self::Reset { stream, code } => (2, *stream, &code.to_le_bytes()),
            Self::Stopped { stream, code } => (3, *stream, &code.to_le_bytes()),
            Self::Room { streams } => (4, *streams, &[]),
            Self::Blocked { stream } => (5, *stream, &[]),
            Self::Open { stream } => (6, *stream, &[]),
            Self::Closed { code } => (7, *code, &[]),
        };
        begin(out, kind, number, bytes.len());
        out.extend_from_slice(bytes);
    }
}

/// Appends the begin of a [`Record::Data`] whose bytes follow.
pub(crate) fn begin_data(out: &mut Vec<u8>, stream: u64, length: usize) {
    begin(out, 0, stream, length);
}

fn begin(out: &mut Vec<u8>, kind: u8, number: u64, length: usize) {
    out.push(kind);
    out.extend_from_slice(&number.to_le_bytes());
    out.extend_from_slice(&(length as u32).to_le_bytes());
}

/// Takes the record at the start of `input`; returns it and its length.
#[inline]
pub(crate) fn take(input: &[u8]) -> Result<(Record<'_>, usize), RecordError> {
    let (head, rest) = input.split_first_chunk::<HEAD>().ok_or(RecordError)?;
    let [kind, n0, n1, n2, n3, n4, n5, n6, n7, l0, l1, l2, l3] = *head;
    let number = u64::from_le_bytes([n0, n1, n2, n3, n4, n5, n6, n7]);
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    let bytes = rest.get(..length).ok_or(RecordError)?;
    let code = || {
        let code = bytes.first_chunk().ok_or(RecordError)?;
        Ok(u64::from_le_bytes(*code))
    };
    let stream = number;
    let record = match kind {
        0 => Record::Data { stream, bytes },
        1 => Record::End { stream },
        2 => Record::Reset {
            stream,
            code: code()?,
        },
        3 => Record::Stopped {
            stream,
            code: code()?,
        },
        4 => Record::Room { streams: number },
        5 => Record::Blocked { stream },
        6 => Record::Open { stream },
        7 => Record::Closed { code: number },
        _ => return Err(RecordError),
    };
    Ok((record, HEAD + length))
}

/// The records in `0`, in their order.
#[derive(Clone, Debug)]
pub struct Records<'a>(pub &'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    /// The next record; bytes that are none end the series.
    fn next(&mut self) -> Option<Record<'a>> {
        let (record, length) = take(self.0).ok()?;
        self.0 = &self.0[length..];
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written_and_a_part_of_one_is_none() {
        let all = [
            Record::Data {
                stream: 4,
                bytes: b"abc",
            },
            Record::End { stream: 4 },
            Record::Reset {
                stream: 8,
                code: 0x10c,
            },
            Record::Stopped {
                stream: 8,
                code: u64::MAX,
            },
            Record::Room { streams: 100 },
            Record::Blocked { stream: 0 },
            Record::Open { stream: 0 },
            Record::Closed { code: 0x100 },
        ];
        let mut bytes = Vec::new();
        for record in all {
            record.write(&mut bytes);
        }
        assert_eq!(Records(&bytes).collect::<Vec<_>>(), all);
        let (_, length) = take(&bytes).unwrap();
        for cut in 0..length {
            assert_eq!(take(&bytes[..cut]), Err(RecordError));
        }
        assert_eq!(take(&[9; 13]), Err(RecordError));
    }
}
