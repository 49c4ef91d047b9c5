//! A request of HTTP/2 or HTTP/3 with placeholders or cookies, compiled: its fields, and its body.

use wire::StreamClient;
use wire::h2::{FieldName, FixedFields, Prepared, Stream};

use crate::plan::encode::{name, parts, prepare};
use crate::plan::placeholders::digits;
use crate::plan::placeholders::escape::Place;
use crate::plan::template::draft::Draft;
use crate::plan::template::sent::SentValue;
use crate::plan::template::{Slot, Template, Values, What};
use crate::plan::{Plan, Request};

/// The beginning of cookies that extend others.
const JOINT: &[u8] = b"; ";

/// A compiled request.
#[derive(Debug)]
pub struct StreamTemplate {
    fields: Vec<Fields>,
    body: Template,
    head_only: bool,
    /// The values of placeholders with names of their own.
    own: Vec<(String, SentValue)>,
}

/// Successive fields.
#[derive(Debug)]
enum Fields {
    Fixed(FixedFields),
    Varying(FieldName, Template),
    /// The length of the body.
    Length(FieldName),
    /// The cookies of the request, then those of the session.
    Cookies(FieldName, Template),
}

impl StreamTemplate {
    /// Compiles the request with this index in the plan. `names`: those that its placeholders may have.
    ///
    /// # Errors
    /// All faults of the request.
    pub fn new(
        plan: &Plan,
        names: &[String],
        index: u32,
        request: &Request,
    ) -> Result<Self, Vec<String>> {
        let with_name = |fault| format!("request `{}`: {fault}", name(request));
        let mut draft = Draft::new(plan.seed, names, index);
        let parts = if request.placeholders {
            draft
                .mark(request)
                .map_err(|faults| faults.into_iter().map(with_name).collect::<Vec<_>>())?
        } else {
            parts(request).map_err(|fault| vec![fault])?
        };
        let prepared = prepare(plan, request, &parts).map_err(|fault| vec![fault])?;
        let has_cookies = plan.load.sessions().is_some_and(|load| load.cookies);
        Ok(Self {
            fields: divide(&mut draft, &prepared, has_cookies),
            body: draft.divide(&parts.body, Vec::new()),
            head_only: request.method == "HEAD",
            own: draft.take_own(),
        })
    }

    /// The names in the request, and the place of each.
    pub fn names(&self) -> impl Iterator<Item = (usize, Place)> {
        let of_fields = self.fields.iter().filter_map(|fields| match fields {
            Fields::Varying(_, value) | Fields::Cookies(_, value) => Some(value.names()),
            Fields::Fixed(_) | Fields::Length(_) => None,
        });
        of_fields.flatten().chain(self.body.names())
    }

    /// The values of placeholders with names of their own.
    pub fn own(&self) -> &[(String, SentValue)] {
        &self.own
    }

    /// Opens a stream for the call with this number among the calls of this request, if there is room for one. `body`: for
    /// its body, unless that is always the same. `value`: room for the parts of its head.
    pub fn open(
        &self,
        client: &mut StreamClient,
        call: u64,
        values: &impl Values,
        body: &mut Vec<u8>,
        value: &mut Vec<u8>,
    ) -> Option<Stream> {
        body.clear();
        if !self.body.is_fixed() {
            self.body.write(call, values, body);
        }
        let length = self.body(body).len();
        client.open_written(self.head_only, length > 0, |head| {
            for fields in &self.fields {
                value.clear();
                match fields {
                    Fields::Fixed(fields) => head.fixed(fields),
                    Fields::Varying(name, template) => {
                        template.write(call, values, value);
                        head.varying(name, value);
                    }
                    Fields::Length(name) => {
                        digits::write(length as u64, value);
                        head.varying(name, value);
                    }
                    Fields::Cookies(name, template) => {
                        template.write(call, values, value);
                        values.cookies(true, value);
                        let all = value.strip_prefix(JOINT).unwrap_or(value);
                        if !all.is_empty() {
                            head.varying(name, all);
                        }
                    }
                }
            }
        })
    }

    /// The body of a call. `written`: what [`open`](Self::open) wrote.
    pub fn body<'a>(&'a self, written: &'a [u8]) -> &'a [u8] {
        if self.body.is_fixed() {
            &self.body.fixed
        } else {
            written
        }
    }
}

/// Divides a head with marks into the fields that are always the same, and the others.
fn divide(draft: &mut Draft, prepared: &Prepared, has_cookies: bool) -> Vec<Fields> {
    let (mut all, mut fixed) = (Vec::new(), FixedFields::default());
    let mut needs_cookies = has_cookies;
    for (name, value) in prepared.fields.iter() {
        let template = draft.divide(value, Vec::new());
        let is_cookie = needs_cookies && name == b"cookie";
        if template.is_fixed() && !is_cookie {
            fixed.push(name, value);
            continue;
        }
        all.push(Fields::Fixed(std::mem::take(&mut fixed)));
        let name = FieldName::new(name);
        let is_length = |slot: &Slot| matches!(slot.what, What::Length);
        all.push(if is_cookie {
            needs_cookies = false;
            Fields::Cookies(name, template)
        } else if template.slots.iter().any(is_length) {
            Fields::Length(name)
        } else {
            Fields::Varying(name, template)
        });
    }
    all.push(Fields::Fixed(fixed));
    if needs_cookies {
        let none = draft.divide(b"", Vec::new());
        all.push(Fields::Cookies(FieldName::new(b"cookie"), none));
    }
    all
}
