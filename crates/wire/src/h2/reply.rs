//! The head of a reply (RFC 9113 §8.3.2).

use crate::h2::fault::Malformed;
use crate::h2::message::{Message, Regular};
use crate::h2::streams::Lane;
use crate::head::Compression;
use crate::limits::MAX_INTERIM;

/// The parts of a reply's head that the engine uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyHead {
    /// The status, 100 to 999.
    pub status: u16,
    /// The length of the body, if the head says it.
    pub length: Option<u64>,
    /// The compression of the body.
    pub compression: Compression,
}

/// The fields of a reply, or its trailers.
#[derive(Debug, Default)]
pub(crate) struct ReplyFields {
    status: Option<u16>,
    compression: Compression,
    pub(crate) regular: Regular,
}

impl ReplyFields {
    /// The head, if the fields are those of one.
    pub(crate) fn head(&self) -> Result<ReplyHead, Malformed> {
        match (self.regular.error, self.status) {
            (Some(error), _) => Err(error),
            (None, None | Some(101)) => Err(Malformed::Status),
            (None, Some(status)) => Ok(ReplyHead {
                status,
                length: self.regular.length,
                compression: self.compression,
            }),
        }
    }

    /// The head with which the reply of a stream begins; `None`: it is interim.
    #[inline]
    pub(crate) fn reply_head(&self, lane: &mut Lane) -> Result<Option<ReplyHead>, Malformed> {
        let head = self.head()?;
        if head.status < 200 {
            lane.interims += 1;
            return if lane.interims > MAX_INTERIM {
                Err(Malformed::TooManyInterim)
            } else {
                Ok(None)
            };
        }
        lane.has_head = true;
        lane.left = match head.status {
            204 | 304 => Some(0),
            _ if lane.head_only => Some(0),
            _ => head.length,
        };
        Ok(Some(head))
    }

    /// Checks that the fields are valid as trailers: they have no pseudo-header fields (§8.1).
    pub(crate) fn check_trailers(&self) -> Result<(), Malformed> {
        match (self.regular.error, self.status) {
            (Some(error), _) => Err(error),
            (None, Some(_)) => Err(Malformed::PseudoField),
            (None, None) => Ok(()),
        }
    }
}

impl Message for ReplyFields {
    fn begin(&mut self) {
        (self.status, self.compression) = (None, Compression::None);
        self.regular.begin();
    }

    #[inline]
    fn take(&mut self, name: &[u8], value: &[u8]) {
        if name.first() != Some(&b':') {
            if name == b"content-encoding" {
                self.compression = self.compression.and(value);
            }
            return self.regular.take(name, value);
        }
        if name != b":status" || self.status.is_some() || self.regular.begun {
            return self.regular.fail(Malformed::PseudoField);
        }
        match *value {
            [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] => {
                let digits = [a, b, c].map(|digit| u16::from(digit - b'0'));
                self.status = Some(digits[0] * 100 + digits[1] * 10 + digits[2]);
            }
            _ => self.regular.fail(Malformed::Status),
        }
    }
}
