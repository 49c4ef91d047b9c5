//! The form that a request prescribes for its reply.

/// How a reply to this request must look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReplyForm {
    /// HEAD: the head alone.
    pub(crate) head_only: bool,
    pub(crate) is_http_1_0: bool,
    pub(crate) persistence: Persistence,
}

/// Whether the connection outlives the reply, and what must be said about it (RFC 9112 §9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// HTTP/1.1's habit: stays open, nothing is said.
    Kept,
    /// HTTP/1.0 asked for it: stays open, and says so.
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
