//! The form that a request requires of its reply.

/// Requirements of a request for its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReplyForm {
    /// The request is HEAD: no body is sent.
    pub(crate) head_only: bool,
    pub(crate) is_http_1_0: bool,
    pub(crate) persistence: Persistence,
}

/// The persistence of the connection after the reply, and how the reply declares it (RFC 9112 §9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// HTTP/1.1: stays open by default, no field needed.
    Kept,
    /// HTTP/1.0 with `keep-alive`: stays open, with a field.
    KeptOnRequest,
    Closed,
}

impl Persistence {
    pub(crate) const ALL: [Self; 3] = [Self::Kept, Self::KeptOnRequest, Self::Closed];

    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Kept => "",
            Self::KeptOnRequest => "Connection: keep-alive\r\n",
            Self::Closed => "Connection: close\r\n",
        }
    }
}
