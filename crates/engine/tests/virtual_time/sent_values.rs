//! Right answers that refer to what was sent: a right reply to another request is a wrong one.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;

use driver::{Act, Nanos, Scene};
use engine::CompiledPlan;
use serde_json::{Value, json};

use crate::decoding::reply;
use crate::kept_values::{keep, token};
use crate::recording::sessions;
use crate::server::{MS, arrivals, plan, requests, run};

/// The reply that a server gives in place of the right one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// That to the first request of all.
    Cached,
    /// That to the request before, on the same connection.
    Stale,
    /// Each tenth is that to the last request, on any connection.
    Crossed,
}

/// A server that answers with what it received.
#[derive(Clone)]
struct Echo {
    fault: Fault,
    first: Option<String>,
    last: String,
    by_connection: HashMap<u64, String>,
    received: usize,
    /// Replies that are not the right one.
    wrong: u64,
}

impl Echo {
    fn with(fault: Fault) -> Self {
        Self {
            fault,
            first: None,
            last: String::new(),
            by_connection: HashMap::new(),
            received: 0,
            wrong: 0,
        }
    }
}

/// `POST /items/7?n=3`, two headers and a body of two words, as JSON.
fn echo(request: &str) -> String {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let path = head.split(' ').nth(1).unwrap();
    let (id, count) = path[7..].split_once("?n=").unwrap();
    let header = |name: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().to_owned()
    };
    let (flag, user) = body.split_once(' ').unwrap();
    json!({
        "id": id.parse::<u64>().unwrap(), "url": path, "count": count,
        "kind": header("X-Kind: "), "key": header("X-Key: "),
        "flag": flag == "true", "name": format!("user {user}"),
    })
    .to_string()
}

impl Scene for Echo {
    fn connect(&mut self, _: Nanos, _: u64) -> (Nanos, bool) {
        (0, true)
    }

    fn receive(&mut self, _: Nanos, connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let right = echo(std::str::from_utf8(bytes).unwrap());
        self.received += 1;
        let first = self.first.get_or_insert(right.clone()).clone();
        let before = self.by_connection.insert(connection, right.clone());
        let last = std::mem::replace(&mut self.last, right.clone());
        let given = match self.fault {
            Fault::Cached => first,
            Fault::Stale => before.unwrap_or(right.clone()),
            Fault::Crossed if self.received.is_multiple_of(10) => last,
            Fault::None | Fault::Crossed => right.clone(),
        };
        self.wrong += u64::from(given != right);
        vec![(MS, Act::Reply(reply("identity", given.as_bytes())))]
    }
}

/// A data file, which is removed when it is dropped.
struct Users(PathBuf);

impl Users {
    /// So many rows, each with a number and a name.
    fn new(test: &str, rows: u64) -> Self {
        let mut lines = "id,name\n".to_owned();
        for row in 1..=rows {
            writeln!(lines, "{row},user {row}").unwrap();
        }
        let name = format!("httpdyno-{}-sent-{test}.csv", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, lines).unwrap();
        Self(file)
    }
}

impl Drop for Users {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const REQUEST: &str = "/items/{id=random:1:100000}?n={count=sequence:1}";
const EXAMPLE: &str = r#"{"id": "{id}", "url": "/items/{id}?n={count}", "count": "{count}", "kind": "{kind}",
    "key": "{key}", "flag": "{flag}", "name": "{users.name}"}"#;

fn varied(users: &Users, order: &str, body: Value, one_in: u32) -> Value {
    json!({
        "requests": [{
            "method": "POST", "path": REQUEST, "placeholders": true,
            "headers": [["X-Kind", "{kind=choice:a b,c&d}"], ["X-Key", "{key=uuid}"]],
            "body": {"text": "{flag=choice:true,false} {user=users.id}"},
            "expect": {"body": body, "check_one_in": one_in},
        }],
        "data": [{"name": "users", "file": users.0, "order": order}],
        "stop": {"count": 500},
    })
}

#[test]
fn a_cached_a_stale_and_a_crossed_reply_are_wrong_bodies() {
    let users = Users::new("faults", 40);
    for (order, load) in [
        ("in_order", json!({"kind": "closed", "connections": 7})),
        ("random", requests(5000.0, 9)),
    ] {
        let more = varied(&users, order, json!({"json": EXAMPLE}), 1);
        let plan = plan(load, more);
        for fault in [Fault::None, Fault::Cached, Fault::Stale, Fault::Crossed] {
            let (counters, server) = run(&plan, Echo::with(fault));
            let first = counters.first_failure.unwrap_or_default();
            assert_eq!(counters.replies.wrong, server.wrong, "{fault:?} {first}");
            assert_eq!(server.wrong > 0, fault != Fault::None, "{fault:?}");
            assert_eq!(counters.calls.ok + server.wrong, 500, "{fault:?}");
            let words = ", as it was sent, found ";
            assert_eq!(first.contains(words), fault != Fault::None, "{first}");
        }
    }
}

#[test]
fn a_page_may_have_values_that_were_sent() {
    let users = Users::new("html", 3);
    let page = r#"{"count":"{count}","flag":{flag},"id":{id},"key":"{key}","kind":"{kind}","name":"{users.name}",
        "url":"/items/{id}?n={count}"}"#;
    let page = page.replace("\n        ", "");
    let more = varied(&users, "in_order", json!({"html": page}), 1);
    let plan = plan(json!({"kind": "closed", "connections": 3}), more);
    for fault in [Fault::None, Fault::Stale] {
        let (counters, server) = run(&plan, Echo::with(fault));
        let first = counters.first_failure.unwrap_or_default();
        assert_eq!(counters.replies.wrong, server.wrong, "{first}");
        assert_eq!(server.wrong > 0, fault != Fault::None);
    }
}

#[test]
fn only_replies_of_the_sample_are_compared() {
    let users = Users::new("sample", 40);
    let more = varied(&users, "in_order", json!({"json": EXAMPLE}), 10);
    let plan = plan(json!({"kind": "closed", "connections": 1}), more);
    let (counters, server) = run(&plan, Echo::with(Fault::Stale));
    assert_eq!(server.wrong, 499);
    assert_eq!(counters.replies.checked, 50);
    assert!((49..=50).contains(&counters.replies.wrong));
}

/// A server whose second reply on a connection has what the first request was.
#[derive(Clone)]
struct Login {
    users: HashMap<u64, String>,
    /// Each session gets the data of another one.
    crossed: bool,
    last: String,
}

impl Scene for Login {
    fn connect(&mut self, _: Nanos, _: u64) -> (Nanos, bool) {
        (0, true)
    }

    fn receive(&mut self, _: Nanos, connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let text = std::str::from_utf8(bytes).unwrap();
        let body = if let Some(rest) = text.strip_prefix("POST /login/") {
            let user = rest.split(' ').next().unwrap().to_owned();
            let body = json!({"access_token": format!("t{user}"), "name": format!("user {user}")});
            self.users.insert(connection, user);
            body
        } else {
            let own = self.users[&connection].clone();
            let user = if self.crossed { &self.last } else { &own };
            let body = json!({"token": format!("t{user}"), "name": format!("user {user}")});
            self.last = own;
            body
        };
        let body = body.to_string();
        vec![(MS, Act::Reply(reply("identity", body.as_bytes())))]
    }
}

#[test]
fn all_replies_of_a_session_have_its_row_and_its_kept_values() {
    let users = Users::new("sessions", 50);
    let expect = |example: &str| json!({"body": {"json": example}});
    let plan = sessions(
        json!({"arrivals": arrivals(400.0), "max_open": 5}),
        json!({
            "requests": [
                {
                    "method": "POST", "path": "/login/{users.id}", "placeholders": true, "keep": token(),
                    "expect": expect(r#"{"access_token": "t{users.id}", "name": "{users.name}"}"#),
                },
                {"path": "/me", "expect": expect(r#"{"token": "{token}", "name": "{users.name}"}"#)},
            ],
            "scripts": [[{"requests": [0]}, {"requests": [1], "think_s": 0.005}, {"requests": [1]}]],
            "data": [{"name": "users", "file": users.0, "order": "random"}],
            "stop": {"count": 100},
        }),
    );
    for crossed in [false, true] {
        let server = Login {
            users: HashMap::new(),
            crossed,
            last: "0".into(),
        };
        let (counters, _) = run(&plan, server);
        let first = counters.first_failure.unwrap_or_default();
        assert_eq!(counters.calls.wrong_body > 0, crossed, "{first}");
        assert_eq!(counters.calls.ok == 300, !crossed, "{first}");
        // Values of files and those that sessions keep are not shown.
        let words = r#"/name: expected "{users.name}", as it was sent, found "user "#;
        assert_eq!(first.contains(words), crossed, "{first}");
    }
}

#[test]
fn a_name_that_is_not_sent_is_a_fault_before_the_run() {
    let fault = |request: Value, more: Value| {
        let mut fields = json!({"requests": [request]});
        if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
            fields.extend(more);
        }
        let plan = plan(json!({"kind": "closed", "connections": 1}), fields);
        CompiledPlan::new(&plan).unwrap_err().message
    };
    let users = Users::new("names", 2);
    let data = json!({"data": [{"name": "users", "file": users.0}]});
    let expect = json!({"body": {"json": r#"["{name}"]"#}});
    let varied = json!({"path": "/{id=random:1:9}", "placeholders": true, "expect": expect});
    assert!(
        fault(varied, data.clone()).contains(
            "/0: `{name}` is no wildcard: expected {int}, {number}, {string}, {regex:…}, {bool}, {array}, {object} or \
             {any}, or a value that is sent: {id}, {users.id}, {users.name}; the text itself"
        )
    );
    // Without a placeholder, a call has no row.
    let expect = json!({"body": {"json": r#"["{users.id}"]"#}});
    let words = fault(json!({"path": "/", "expect": expect}), data);
    assert!(words.contains("`{users.id}` is no wildcard"), "{words}");
    let twice = json!({
        "path": "/{id=uuid}", "placeholders": true, "headers": [["X-Id", "{id=uuid}"]],
    });
    assert_eq!(
        fault(twice, json!({})),
        "request `GET /{id=uuid}`: header `X-Id`, column 1: `{id=uuid}`: another placeholder has the name `id`: \
         expected one"
    );
}

#[test]
fn a_request_cannot_expect_the_value_that_its_own_reply_has() {
    let expect = json!({"body": {"json": r#"{"access_token": "{token}"}"#}});
    let login = json!({"path": "/", "keep": token(), "expect": expect});
    let script = json!([[{"requests": [0]}]]);
    let plan = sessions(json!({}), json!({"requests": [login], "scripts": script}));
    let words = CompiledPlan::new(&plan).unwrap_err().message;
    assert!(words.contains("`{token}` is no wildcard"), "{words}");
    // Another request may, but only behind it.
    let expect = json!({"body": {"json": r#"["{order}"]"#}});
    let kept = json!([keep("order", "json", "/id")]);
    let early = json!({"path": "/me", "expect": expect});
    let plan = sessions(
        json!({}),
        json!({
            "requests": [{"path": "/", "keep": kept}, early],
            "scripts": [[{"requests": [1]}, {"requests": [0]}]],
        }),
    );
    assert_eq!(
        CompiledPlan::new(&plan).unwrap_err().message,
        "request `GET /me`: `{order}` is used before a call of its session has kept it"
    );
}
