//! The head of a request (RFC 9113 §8.3.1), encoded and decoded.
//!
//! - The method, the scheme, the authority and the path come first; the authority replaces `Host`.
//! - Names are in lower case. Fields of an HTTP/1 connection are left out (§8.2.2), so a request means the same in both.
//! - Content-Length is sent as in HTTP/1, where it is required.

use crate::fault::RequestError;
use crate::fields::Fields;
use crate::h2::fault::Malformed;
use crate::h2::message::{Message, Regular, is_value};
use crate::hpack::{Encoder, encode_field, encode_literal, index_of};
use crate::qpack;
use crate::request::{Request, check, needs_length};

/// A name and its value.
type Field = (Vec<u8>, Vec<u8>);

/// Header fields that are the same for each call, encoded once for all connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedFields {
    /// Their block, by the static table of HPACK alone, and by that of QPACK.
    pub(crate) block: Vec<u8>,
    pub(crate) qpack: Vec<u8>,
    /// The names and values, for an encoder with a table.
    fields: Vec<Field>,
}

impl FixedFields {
    /// Appends a field.
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        encode_field(&mut self.block, name, value);
        qpack::encode_field(&mut self.qpack, name, value);
        self.fields.push((name.into(), value.into()));
    }

    /// The names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.fields
            .iter()
            .map(|(name, value)| (&name[..], &value[..]))
    }
}

/// The name of a field, looked up once in the static tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldName {
    name: Vec<u8>,
    hpack: Option<usize>,
    qpack: Option<usize>,
}

impl FieldName {
    #[must_use]
    pub fn new(name: &[u8]) -> Self {
        Self {
            name: name.into(),
            hpack: index_of(name),
            qpack: qpack::index_of(name),
        }
    }
}

/// The head of a request, encoded once for all connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    pub fields: FixedFields,
    pub(crate) head_only: bool,
    pub(crate) has_body: bool,
}

impl Prepared {
    /// Prepares a request. Its version and `keep_alive` have no meaning here. `scheme`: `http` or `https`.
    pub fn new(request: &Request, scheme: &str) -> Result<Self, RequestError> {
        let mut all = FixedFields::default();
        for (name, value) in &fields(request, scheme)? {
            all.push(name, value);
        }
        Ok(Self {
            fields: all,
            head_only: request.method == "HEAD",
            has_body: !request.body.is_empty(),
        })
    }
}

/// The way in which a connection compresses its fields.
#[derive(Debug)]
pub(crate) enum Coding<'a> {
    /// HPACK, by the static table alone.
    Static,
    /// HPACK with a table of the connection.
    Table(&'a mut Encoder),
    /// QPACK, by the static table alone.
    Qpack,
}

/// Writes the head of one request, whose fields may differ from those of the last one.
#[derive(Debug)]
pub struct HeadWriter<'a> {
    pub(crate) coding: Coding<'a>,
    pub(crate) block: &'a mut Vec<u8>,
}

impl HeadWriter<'_> {
    /// Appends fields that are the same for each call.
    #[inline]
    pub fn fixed(&mut self, fields: &FixedFields) {
        match &mut self.coding {
            Coding::Static => self.block.extend_from_slice(&fields.block),
            Coding::Qpack => self.block.extend_from_slice(&fields.qpack),
            Coding::Table(encoder) => {
                for (name, value) in fields.iter() {
                    encoder.encode(self.block, name, value);
                }
            }
        }
    }

    /// Appends a field whose value differs from call to call, so no table takes it. Blanks at its ends are left out (§8.2.1).
    #[inline]
    pub fn varying(&mut self, name: &FieldName, value: &[u8]) {
        let value = value.trim_ascii();
        match self.coding {
            Coding::Qpack => qpack::encode_literal(self.block, name.qpack, &name.name, value),
            _ => encode_literal(self.block, name.hpack, &name.name, value),
        }
    }
}

/// The names and values of a request, in order.
fn fields(request: &Request, scheme: &str) -> Result<Vec<Field>, RequestError> {
    check(request)?;
    let host = request
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("host"));
    let host = host.map_or(request.host, |(_, value)| value);
    let mut fields: Vec<Field> = [
        (":method", request.method),
        (":scheme", scheme),
        (":authority", host),
        (":path", request.target),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into();
    for (name, value) in request.headers {
        let name = name.to_ascii_lowercase();
        let value = value.trim_matches([' ', '\t']);
        let is_of_connection = matches!(
            name.as_str(),
            "host"
                | "connection"
                | "proxy-connection"
                | "keep-alive"
                | "transfer-encoding"
                | "upgrade"
        ) || (name == "te" && value != "trailers");
        if !is_of_connection {
            fields.push((name.into(), value.into()));
        }
    }
    if needs_length(request) {
        fields.push((
            "content-length".into(),
            request.body.len().to_string().into(),
        ));
    }
    Ok(fields)
}

/// The head of a request that a server received.
#[derive(Debug, Default)]
pub struct RequestHead {
    method: Vec<u8>,
    path: Vec<u8>,
    authority: Vec<u8>,
    has_scheme: bool,
    has_authority: bool,
    pub(crate) regular: Regular,
}

impl RequestHead {
    pub fn method(&self) -> &[u8] {
        &self.method
    }

    /// The path with its query.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    pub fn authority(&self) -> &[u8] {
        &self.authority
    }

    /// The length of the body, if the head says it.
    pub fn length(&self) -> Option<u64> {
        self.regular.length
    }

    /// The other fields, if they are kept.
    pub fn fields(&self) -> Fields<'_> {
        self.regular.fields()
    }

    /// Checks that the fields are those of a request.
    pub(crate) fn check(&self) -> Result<(), Malformed> {
        let is_connect = self.method == b"CONNECT";
        let is_whole = if is_connect {
            self.has_authority && !self.has_scheme && self.path.is_empty()
        } else {
            !self.method.is_empty() && self.has_scheme && !self.path.is_empty()
        };
        match self.regular.error {
            Some(error) => Err(error),
            None if is_whole => Ok(()),
            None => Err(Malformed::Request),
        }
    }

    /// Checks that the fields are valid as trailers: they have no pseudo-header fields (§8.1).
    pub(crate) fn check_trailers(&self) -> Result<(), Malformed> {
        let has_pseudo = self.has_scheme
            || self.has_authority
            || !(self.method.is_empty() && self.path.is_empty());
        match self.regular.error {
            Some(error) => Err(error),
            None if has_pseudo => Err(Malformed::PseudoField),
            None => Ok(()),
        }
    }

    /// Takes a pseudo-header field. Returns false if it is unknown or repeated.
    fn pseudo(&mut self, name: &[u8], value: &[u8]) -> bool {
        let (room, is_new) = match name {
            b":method" => (&mut self.method, true),
            b":path" => (&mut self.path, true),
            b":authority" => (
                &mut self.authority,
                !std::mem::replace(&mut self.has_authority, true),
            ),
            b":scheme" => return !std::mem::replace(&mut self.has_scheme, true),
            _ => return false,
        };
        if !room.is_empty() || !is_new {
            return false;
        }
        room.extend_from_slice(value);
        true
    }
}

impl Message for RequestHead {
    fn begin(&mut self) {
        self.method.clear();
        self.path.clear();
        self.authority.clear();
        (self.has_scheme, self.has_authority) = (false, false);
        self.regular.begin();
    }

    #[inline]
    fn take(&mut self, name: &[u8], value: &[u8]) {
        if name.first() != Some(&b':') {
            return self.regular.take(name, value);
        }
        if self.regular.begun || !self.pseudo(name, value) {
            self.regular.fail(Malformed::PseudoField);
        } else if !is_value(value) {
            self.regular.fail(Malformed::FieldValue);
        }
    }
}
