//! One call of a request without a run: the bytes that it sends, and the fault of its reply.

use std::sync::Arc;

use crate::error::{EngineError, Kind};
use crate::plan::data::{Data, RowOrder};
use crate::plan::encode::encode;
use crate::plan::expected::{ExpectedBody, ExpectedReply};
use crate::plan::placeholders::escape::Place;
use crate::plan::template::sent::Sent;
use crate::plan::template::{Template, Values};
use crate::plan::{Plan, Request};

/// The bytes of a request of a plan, as the call with this number among the calls of this request sends them, without
/// cookies. A value that a session keeps is shown as its placeholder.
///
/// # Errors
/// The faults of the request; or the plan has no request with this index.
pub fn request_bytes(plan: &Plan, index: u32, call: u64) -> Result<Vec<u8>, EngineError> {
    let request = request(plan, index)?;
    if !request.placeholders {
        return encode(plan, request).map_err(usage);
    }
    let data = data(plan, call)?;
    let template = template(plan, &data, index, request)?;
    let mut out = Vec::new();
    let values = OfCall {
        data: &data,
        request: index,
        call,
    };
    template.write(call, &values, &mut out);
    Ok(out)
}

/// The fault of a body beside the content that this call of a request expects; `None`: it is right, or the request expects
/// no content.
///
/// # Errors
/// As [`request_bytes`]; or the expected content has a fault.
pub fn body_fault(
    plan: &Plan,
    index: u32,
    call: u64,
    body: &[u8],
) -> Result<Option<String>, EngineError> {
    let request = request(plan, index)?;
    let data = data(plan, call)?;
    let template = request
        .placeholders
        .then(|| template(plan, &data, index, request))
        .transpose()?;
    let own = template.as_ref().map_or(&[][..], Template::own);
    let sent = Sent::new(own, data.names(), data.names_of(request));
    let expected = ExpectedReply::new(request, &sent, &Arc::default()).map_err(usage)?;
    let ExpectedBody::Content(content) = &expected.body else {
        return Ok(None);
    };
    let values = OfCall {
        data: &data,
        request: index,
        call,
    };
    let fault = content.answer.fault(body, &content.sent(call, &values));
    Ok(fault.map(|fault| format!("not {}: {fault}", content.answer.words())))
}

fn request(plan: &Plan, index: u32) -> Result<&Request, EngineError> {
    let request = plan.requests.get(index as usize);
    request.ok_or_else(|| usage(format!("the plan has no request {index}")))
}

/// The data files, with the rows that this call may have.
fn data(plan: &Plan, call: u64) -> Result<Data, EngineError> {
    // The number of rows chooses one at random.
    let is_random = plan.data.iter().any(|file| file.order == RowOrder::Random);
    let rows = if is_random {
        u64::MAX
    } else {
        call.saturating_add(1)
    };
    Data::read(plan, rows).map_err(|all| usage(all.join("\n")))
}

fn template(
    plan: &Plan,
    data: &Data,
    index: u32,
    request: &Request,
) -> Result<Template, EngineError> {
    let template = Template::new(plan, data.names(), index, request);
    template.map_err(|all| usage(all.join("\n")))
}

fn usage(fault: String) -> EngineError {
    EngineError::new(Kind::Usage, fault)
}

/// The values of a call, without those of its session.
struct OfCall<'a> {
    data: &'a Data,
    request: u32,
    call: u64,
}

impl Values for OfCall<'_> {
    fn cookies(&self, _extends: bool, _out: &mut Vec<u8>) {}

    fn named(&self, name: usize, place: Place, out: &mut Vec<u8>) {
        if self.data.has(name) {
            self.data.write(name, place, self.request, self.call, out);
        } else {
            out.extend_from_slice(format!("{{{}}}", self.data.names()[name]).as_bytes());
        }
    }
}
