//! The reply that a request expects.

use std::sync::{Arc, OnceLock};

use crate::plan::encode::{decode, read};
use crate::plan::{Answer, Request};

/// The expected reply to one request.
#[derive(Clone, Debug)]
pub struct ExpectedReply {
    /// Expected statuses; empty: any 2xx or 3xx.
    pub statuses: Vec<u16>,
    /// Wrong statuses, if any other is right.
    pub wrong: Option<Vec<u16>>,
    pub body: ExpectedBody,
    /// Compare the bytes of every Nth reply.
    pub every: u32,
    /// Decode the body before it is compared.
    pub decode: bool,
}

/// The expected body.
#[derive(Clone, Debug)]
pub enum ExpectedBody {
    Any,
    Length(u64),
    Exact(Arc<[u8]>),
    Same,
    Like(Arc<Model>),
}

/// The first right reply to a request, on any thread: its first bytes and its length.
pub type Model = OnceLock<(Vec<u8>, u64)>;

impl ExpectedReply {
    /// The expected reply of a request in the plan, with its files read.
    pub fn new(request: &Request) -> Result<Self, String> {
        let expect = &request.expect;
        let body = match &expect.body {
            _ if request.method == "HEAD" => ExpectedBody::Any,
            None | Some(Answer::Same(false) | Answer::Like(false)) => ExpectedBody::Any,
            Some(Answer::Same(true)) => ExpectedBody::Same,
            Some(Answer::Like(true)) => ExpectedBody::Like(Arc::default()),
            Some(Answer::Length(length)) => ExpectedBody::Length(*length),
            Some(Answer::Text(text)) => ExpectedBody::Exact(Arc::from(text.as_bytes())),
            Some(Answer::Base64(text)) => ExpectedBody::Exact(decode(text)?.into()),
            Some(Answer::File(path)) => ExpectedBody::Exact(read(path)?.into()),
        };
        Ok(Self {
            statuses: expect.status.clone().unwrap_or_default(),
            wrong: expect.wrong_status.clone(),
            body,
            every: expect.check_every.max(1),
            decode: expect.decode.is_some() && request.method != "HEAD",
        })
    }
}
