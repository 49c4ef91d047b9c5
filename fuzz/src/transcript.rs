//! Everything that a reader reports of a connection, so that two reports can be compared.

use crate::memory::allocated_by;
use wire::{Event, Head, LastHead, Reader, ReplyError};

/// The events of a connection, and the meaning of its close. Consecutive pieces of a body are joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// All bodies, concatenated.
    pub bodies: Vec<u8>,
    /// Each head, or `None` for an end, with the length of `bodies` at that point.
    pub marks: Vec<(usize, Option<Head>)>,
    /// The meaning of the close, or the fault before it.
    pub end: Option<Result<bool, ReplyError>>,
    /// The number of bytes that the reader had consumed at the end of the first reply.
    pub first_end: Option<usize>,
    /// Total bytes of memory that the reader allocated.
    pub allocated: usize,
}

impl Transcript {
    /// Feeds each piece to a fresh reader, then closes the connection.
    pub fn of<'a>(
        pieces: impl IntoIterator<Item = &'a [u8]>,
        head_only: bool,
        mut last: Option<&mut LastHead>,
    ) -> Self {
        let mut reader = Reader::new();
        let mut transcript = Transcript::default();
        let mut before = 0;
        for piece in pieces {
            if let Err(error) =
                transcript.feed(&mut reader, last.as_deref_mut(), piece, before, head_only)
            {
                transcript.end = Some(Err(error));
                return transcript;
            }
            before += piece.len();
        }
        transcript.end = Some(reader.eof());
        transcript
    }

    fn feed(
        &mut self,
        reader: &mut Reader,
        mut last: Option<&mut LastHead>,
        piece: &[u8],
        before: usize,
        head_only: bool,
    ) -> Result<(), ReplyError> {
        let mut taken = 0;
        loop {
            let rest = &piece[taken..];
            let (next, allocated) = allocated_by(|| match last.as_deref_mut() {
                Some(last) => reader.next_like(last, rest, head_only),
                None => reader.next(rest, head_only),
            });
            self.allocated += allocated;
            let (length, event) = next?;
            assert!(
                length <= rest.len(),
                "took {length} of {} bytes",
                rest.len()
            );
            taken += length;
            match event {
                Event::NeedMore => {
                    assert!(
                        taken == piece.len(),
                        "needs more, but left {} bytes",
                        piece.len() - taken
                    );
                    return Ok(());
                }
                Event::Switch => {}
                Event::Head(head) => self.marks.push((self.bodies.len(), Some(head))),
                Event::Body(data) => {
                    assert!(!data.is_empty(), "a piece of a body must not be empty");
                    self.bodies.extend_from_slice(data);
                }
                Event::End => {
                    self.marks.push((self.bodies.len(), None));
                    self.first_end.get_or_insert(before + taken);
                }
            }
        }
    }

    /// Compares two transcripts of the same bytes. If a head arrives in pieces, the reader finds a fault in a line only at
    /// the end of the line. If that end never arrives, it reports the head as truncated instead.
    pub fn agrees_with(&self, in_pieces: &Transcript) -> bool {
        let same_events = self.bodies == in_pieces.bodies && self.marks == in_pieces.marks;
        let not_yet =
            matches!(self.end, Some(Err(_))) && in_pieces.end == Some(Err(ReplyError::Truncated));
        same_events && (self.end == in_pieces.end || not_yet)
    }
}
