//! Everything that a reader tells of a connection, so that two tellings can be compared.

use crate::memory::asked_by;
use wire::{Event, Head, LastHead, Reader, ReplyError};

/// The events of a connection, and what its close meant. Pieces of a body that follow each other are one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// All bodies, one after the other.
    pub bodies: Vec<u8>,
    /// Each head, or `None` for an end; with the length of `bodies` when it was told.
    pub marks: Vec<(usize, Option<Head>)>,
    /// What the close meant, or the fault before it.
    pub end: Option<Result<bool, ReplyError>>,
    /// How many bytes had been taken when the first reply's end was told.
    pub first_end: Option<usize>,
    /// Bytes of memory that the reader asked for, in all.
    pub asked: usize,
}

impl Story {
    /// Feeds each piece to a fresh reader, then closes the connection.
    pub fn of<'a>(
        pieces: impl IntoIterator<Item = &'a [u8]>,
        head_only: bool,
        mut last: Option<&mut LastHead>,
    ) -> Self {
        let mut reader = Reader::new();
        let mut story = Story::default();
        let mut before = 0;
        for piece in pieces {
            if let Err(error) =
                story.feed(&mut reader, last.as_deref_mut(), piece, before, head_only)
            {
                story.end = Some(Err(error));
                return story;
            }
            before += piece.len();
        }
        story.end = Some(reader.eof());
        story
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
            let (told, asked) = asked_by(|| match last.as_deref_mut() {
                Some(last) => reader.next_like(last, rest, head_only),
                None => reader.next(rest, head_only),
            });
            self.asked += asked;
            let (length, event) = told?;
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
                Event::Head(head) => self.marks.push((self.bodies.len(), Some(head))),
                Event::Body(data) => {
                    assert!(!data.is_empty(), "a piece of a body is never empty");
                    self.bodies.extend_from_slice(data);
                }
                Event::End => {
                    self.marks.push((self.bodies.len(), None));
                    self.first_end.get_or_insert(before + taken);
                }
            }
        }
    }

    /// Whether both tell the same. A fault inside a line of a head is found at that line's end if it came in
    /// pieces, so maybe never: then the head is cut short.
    pub fn agrees_with(&self, in_pieces: &Story) -> bool {
        let told = self.bodies == in_pieces.bodies && self.marks == in_pieces.marks;
        let not_yet =
            matches!(self.end, Some(Err(_))) && in_pieces.end == Some(Err(ReplyError::Truncated));
        told && (self.end == in_pieces.end || not_yet)
    }
}
