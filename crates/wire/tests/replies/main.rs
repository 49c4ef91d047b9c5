//! The reader of replies, fed whole, byte by byte, and in random pieces.

#[cfg(not(miri))] // 64 KiB byte by byte are an hour in an interpreter
mod bounds;
mod cases;
mod splits;
mod steps;

use std::fmt;
use wire::{Event, Head, LastHead, Reader, ReplyError, Version};

/// An event for comparison: consecutive pieces of a body are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Head(Head),
    Body(Vec<u8>),
    End,
    Switch,
}

/// All events of a connection, and the result of its close.
#[derive(Debug, PartialEq, Eq)]
struct Story {
    seen: Vec<Seen>,
    end: Result<bool, ReplyError>,
}

impl fmt::Display for Seen {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Seen::Head(head) => {
                let version = if head.version == Version::V10 {
                    "1.0 "
                } else {
                    ""
                };
                let kept = if head.keep_alive { "kept" } else { "last" };
                write!(
                    formatter,
                    "{version}{} {kept} {:?}",
                    head.status, head.framing
                )
            }
            Seen::Body(data) => write!(formatter, "`{}`", String::from_utf8_lossy(data)),
            Seen::End => formatter.write_str("end"),
            Seen::Switch => formatter.write_str("switch"),
        }
    }
}

/// The notation of the tables of cases: `200 kept Length(2), `hi`, end`.
impl fmt::Display for Story {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        for (index, seen) in self.seen.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(formatter, "{comma}{seen}")?;
        }
        match &self.end {
            Ok(true) => formatter.write_str(", closed"),
            Ok(false) => Ok(()),
            Err(error) => write!(formatter, " {error:?}"),
        }
    }
}

/// Feeds pieces, then closes the connection. Again with a memory of the last head, taking whole bodies at once.
fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, head_only: bool) -> Story {
    let pieces: Vec<&[u8]> = pieces.into_iter().collect();
    let story = read_with(&pieces, head_only, None);
    let mut last = LastHead::new();
    for round in ["first", "second"] {
        let again = read_with(&pieces, head_only, Some(&mut last));
        assert_eq!(
            again.to_string(),
            story.to_string(),
            "{round} time with a memory"
        );
    }
    story
}

fn read_with(pieces: &[&[u8]], head_only: bool, mut last: Option<&mut LastHead>) -> Story {
    let mut reader = Reader::new();
    let mut seen = Vec::new();
    for piece in pieces {
        if let Err(error) = feed(
            &mut reader,
            last.as_deref_mut(),
            piece,
            head_only,
            &mut seen,
        ) {
            return Story {
                seen,
                end: Err(error),
            };
        }
    }
    Story {
        seen,
        end: reader.eof(),
    }
}

fn feed(
    reader: &mut Reader,
    mut last: Option<&mut LastHead>,
    mut rest: &[u8],
    head_only: bool,
    seen: &mut Vec<Seen>,
) -> Result<(), ReplyError> {
    loop {
        let (taken, event) = match last.as_deref_mut() {
            Some(last) => reader.next_like(last, rest, head_only)?,
            None => reader.next(rest, head_only)?,
        };
        rest = &rest[taken..];
        match (event, seen.last_mut()) {
            (Event::NeedMore, _) => break,
            (Event::Body(data), Some(Seen::Body(body))) => body.extend_from_slice(data),
            (Event::Body(data), _) => seen.push(Seen::Body(data.to_vec())),
            (Event::Head(head), _) => {
                seen.push(Seen::Head(head));
                if last.is_some()
                    && let Some(body) = reader.take_body(rest)
                {
                    rest = &rest[body.len()..];
                    if !body.is_empty() {
                        seen.push(Seen::Body(body.to_vec()));
                    }
                    seen.push(Seen::End);
                }
            }
            (Event::End, _) => seen.push(Seen::End),
            (Event::Switch, _) => seen.push(Seen::Switch),
        }
    }
    assert!(rest.is_empty(), "NeedMore left {} bytes", rest.len());
    Ok(())
}

fn whole(bytes: &[u8]) -> Story {
    read([bytes], false)
}

fn bytewise(bytes: &[u8]) -> Story {
    read(bytes.chunks(1), false)
}
