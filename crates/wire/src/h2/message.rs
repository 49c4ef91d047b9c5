//! The common part of requests and replies: valid fields (RFC 9113 §8.2), Content-Length, the fields as they came.

use crate::fields::Fields;
use crate::h2::fault::Malformed;
use crate::head::decimal;

/// The decoded content of a block of header fields.
pub(crate) trait Message {
    /// A block begins: forgets the last one.
    fn begin(&mut self);
    /// Takes the next field.
    fn take(&mut self, name: &[u8], value: &[u8]);
}

/// The fields of a message that are not its pseudo-header fields.
#[derive(Debug, Default)]
pub(crate) struct Regular {
    pub(crate) length: Option<u64>,
    pub(crate) error: Option<Malformed>,
    /// Regular fields have come, so pseudo-header fields may not follow.
    pub(crate) begun: bool,
    /// True: the fields are kept.
    pub(crate) keeps: bool,
    kept: Vec<u8>,
}

impl Regular {
    pub(crate) fn begin(&mut self) {
        (self.length, self.error, self.begun) = (None, None, false);
        self.kept.clear();
    }

    /// The first error of the block counts.
    pub(crate) fn fail(&mut self, error: Malformed) {
        self.error.get_or_insert(error);
    }

    /// Takes a field that is not a pseudo-header field.
    #[inline]
    pub(crate) fn take(&mut self, name: &[u8], value: &[u8]) {
        self.begun = true;
        if !is_name(name) {
            return self.fail(Malformed::FieldName);
        }
        if !is_value(value) {
            return self.fail(Malformed::FieldValue);
        }
        match name {
            b"content-length" => match decimal(value) {
                Some(length) if self.length.is_none_or(|before| before == length) => {
                    self.length = Some(length);
                }
                _ => self.fail(Malformed::ContentLength),
            },
            b"connection" | b"proxy-connection" | b"keep-alive" | b"transfer-encoding"
            | b"upgrade" => {
                self.fail(Malformed::ConnectionField);
            }
            b"te" if value != b"trailers" => self.fail(Malformed::ConnectionField),
            _ => {}
        }
        if self.keeps {
            for part in [name, b": ", value, b"\n"] {
                self.kept.extend_from_slice(part);
            }
        }
    }

    /// The fields, if they are kept.
    pub(crate) fn fields(&self) -> Fields<'_> {
        Fields::of_lines(&self.kept)
    }
}

/// True for a valid name: letters in lower case, and no byte that has a meaning in HTTP/1.
#[inline]
fn is_name(name: &[u8]) -> bool {
    let is_bad = |bad, &byte: &u8| bad | !matches!(byte, 0x21..=0x39 | 0x3b..=0x40 | 0x5b..=0x7e);
    !name.is_empty() && !name.iter().fold(false, is_bad)
}

/// True for a valid value: no line break, no NUL, no blank at its ends.
#[inline]
pub(crate) fn is_value(value: &[u8]) -> bool {
    let is_bad = |bad, &byte: &u8| bad | matches!(byte, 0 | b'\r' | b'\n');
    let is_blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    !value.iter().fold(false, is_bad) && !is_blank(value.first()) && !is_blank(value.last())
}
