//! The endpoints of a plan: its requests by name.

use std::collections::HashMap;
use std::sync::Arc;

use crate::plan::Request;

/// Most endpoints that are counted by themselves. All further ones are counted as one.
pub const MOST_ENDPOINTS: usize = 200;

/// The endpoints of a plan that has several.
#[derive(Clone, Debug)]
pub struct Endpoints {
    /// Their names, in the order in which the plan has them.
    pub names: Vec<String>,
    /// The index of the endpoint of each request.
    pub of: Arc<[u32]>,
}

impl Endpoints {
    /// The endpoints of these requests; `None` if all are of one.
    pub fn new(requests: &[Request]) -> Option<Self> {
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut names = Vec::new();
        let of = requests.iter().map(|request| {
            let name = request.endpoint();
            let next = known.len() as u32;
            let index = *known.entry(name.clone()).or_insert(next);
            if index == next && known.len() <= MOST_ENDPOINTS {
                names.push(name);
            }
            index.min(MOST_ENDPOINTS as u32)
        });
        let of: Arc<[u32]> = of.collect();
        match known.len().saturating_sub(MOST_ENDPOINTS) {
            0 => {}
            1 => names.push("1 other endpoint".into()),
            others => names.push(format!("{others} other endpoints")),
        }
        (names.len() > 1).then_some(Self { names, of })
    }

    /// The names of the endpoints of these requests; none if all are of one.
    pub fn names_of(requests: &[Request]) -> Vec<String> {
        Self::new(requests).map_or_else(Vec::new, |found| found.names)
    }
}

impl Request {
    /// The name of its endpoint: its own, or else its method and its path without the query.
    fn endpoint(&self) -> String {
        let path = self.path.split('?').next().unwrap_or_default();
        let name = || format!("{} {path}", self.method);
        self.name.clone().unwrap_or_else(name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn endpoints(requests: Value) -> Option<(Vec<String>, Vec<u32>)> {
        let requests: Vec<Request> = serde_json::from_value(requests).unwrap();
        Endpoints::new(&requests).map(|found| (found.names, found.of.to_vec()))
    }

    #[test]
    fn requests_of_one_name_or_of_one_method_and_path_are_one_endpoint() {
        let mixed = json!([
            {"path": "/items?page=1"}, {"path": "/orders", "method": "POST"}, {"path": "/items?page=2"},
            {"path": "/orders"}, {"path": "/items/{random:1:9}", "name": "item"}, {"path": "/x", "name": "item"},
        ]);
        let names = ["GET /items", "POST /orders", "GET /orders", "item"].map(String::from);
        assert_eq!(
            endpoints(mixed),
            Some((names.to_vec(), vec![0, 1, 0, 2, 3, 3]))
        );
    }

    #[test]
    fn a_plan_with_one_endpoint_has_none_to_tell_apart() {
        assert_eq!(endpoints(json!([{"path": "/"}, {"path": "/?q=1"}])), None);
    }

    #[test]
    fn endpoints_beyond_the_most_are_counted_as_one() {
        for (more, last) in [(1, "1 other endpoint"), (3, "3 other endpoints")] {
            let path = |number| json!({"path": format!("/{number}")});
            let all = (0..MOST_ENDPOINTS + more).map(path).collect();
            let (names, of) = endpoints(all).unwrap();
            assert_eq!(names.len(), MOST_ENDPOINTS + 1);
            assert_eq!(names.last().unwrap(), last);
            assert_eq!(of[MOST_ENDPOINTS - 1..], vec![199, 200, 200, 200][..=more]);
        }
    }
}
