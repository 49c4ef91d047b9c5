//! The digest of a plan: equal for runs of the same plan, and otherwise it says which fields differ.

use serde_json::Value;
use tally::packed;

use crate::plan::Plan;

/// The fields that each machine has of its own.
const OWN: [&str; 6] = ["part", "threads", "cpus", "driver", "source", "shared_cpus"];

/// The digests of the fields of a plan, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    fields: Vec<(String, (u32, u32))>,
}

packed!(Digest { fields });

impl Digest {
    /// The digest of a plan.
    pub fn of(plan: &Plan) -> Self {
        let mut fields = match serde_json::to_value(plan) {
            Ok(Value::Object(fields)) => fields,
            // Plans are objects, and are read from JSON.
            _ => serde_json::Map::new(),
        };
        // Each machine has certificates and data in files of its own.
        for file in fields
            .get_mut("data")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if let Value::Object(file) = file {
                file.remove("file");
            }
        }
        if let Some(Value::Object(target)) = fields.get_mut("target") {
            target.remove("tls");
        }
        let shared = fields
            .into_iter()
            .filter(|(name, _)| !OWN.contains(&name.as_str()));
        let fields = shared.map(|(name, value)| (name, fnv_1a(value.to_string().as_bytes())));
        Self {
            fields: fields.collect(),
        }
    }

    /// The names of the fields that differ from those of another plan.
    pub fn differing(&self, other: &Self) -> Vec<&str> {
        let missing = self.fields.iter().filter(|one| !other.fields.contains(one));
        missing.map(|(name, _)| name.as_str()).collect()
    }
}

/// The 64-bit hash of Fowler, Noll and Vo (draft-eastlake-fnv), in halves. It need not resist anyone: whoever may send a
/// result could send a wrong one of the right plan.
fn fnv_1a(bytes: &[u8]) -> (u32, u32) {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    ((hash >> 32) as u32, hash as u32)
}
