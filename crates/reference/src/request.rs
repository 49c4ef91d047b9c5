//! Requests: bytes → method, target, framing.

pub(crate) mod body;
pub(crate) mod form;
pub(crate) mod head;
pub(crate) mod query;
pub(crate) mod refusal;
