//! The rows of TechEmpower's tests, and the page of the fortunes.

use askama::Template;
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
pub struct Hello {
    pub message: &'static str,
}

pub const HELLO: Hello = Hello {
    message: "Hello, World!",
};

#[derive(Serialize)]
pub struct World {
    pub id: i32,
    #[serde(rename = "randomNumber")]
    pub random_number: i32,
}

impl From<(i32, i32)> for World {
    fn from((id, random_number): (i32, i32)) -> Self {
        World { id, random_number }
    }
}

/// The numbers of a request: `id` of /db, `queries` of the others.
#[derive(Deserialize)]
pub struct Params {
    id: Option<i32>,
    queries: Option<String>,
}

impl Params {
    pub fn id(&self) -> i32 {
        self.id.unwrap_or_else(drawn)
    }

    pub fn queries(&self) -> usize {
        let given = self.queries.as_deref().and_then(|text| text.parse().ok());
        given.unwrap_or(1).clamp(1, 500)
    }
}

/// A number from 1 to 10,000 at random.
pub fn drawn() -> i32 {
    rand::random_range(1..=10_000)
}

pub struct Fortune {
    pub id: i32,
    pub message: String,
}

#[derive(Template)]
#[template(path = "fortunes.html")]
pub struct Fortunes {
    fortunes: Vec<Fortune>,
}

impl Fortunes {
    /// The page of these rows and of the one that each request adds.
    pub fn new(rows: impl IntoIterator<Item = (i32, String)>) -> Self {
        let added = (0, "Additional fortune added at request time.".to_owned());
        let rows = rows.into_iter().chain([added]);
        let mut fortunes: Vec<_> = rows.map(|(id, message)| Fortune { id, message }).collect();
        fortunes.sort_by(|a, b| a.message.cmp(&b.message));
        Fortunes { fortunes }
    }
}
