//! Replies: request → bytes, and when to send them.

pub(crate) mod answer;
pub(crate) mod block;
pub(crate) mod choice;
pub(crate) mod echo;
pub(crate) mod grpc;
pub(crate) mod head;
pub(crate) mod page;
pub(crate) mod step;
pub(crate) mod stream;
pub(crate) mod whole;
