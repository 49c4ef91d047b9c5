//! Requests with large bodies, to servers that answer before they have read them.

use std::time::Duration;

use reference::hostile::{Act, Hostile};
use serde_json::{Value, json};

use crate::rig::{PONG, closed, ends, run, send};

/// Far more than the kernel buffers for both sides of a connection.
const BODY: usize = 20_000_000;

fn upload() -> Value {
    json!({"method": "POST", "path": "/", "body": {"text": "x".repeat(BODY)}})
}

pub fn a_reply_before_the_end_of_its_request_ends_the_connection(driver: &str) {
    // The server continues to read: if the connection were kept, it would carry the rest of the body and then a new
    // call.
    let server =
        Hostile::start(|_| vec![send(PONG), Act::Pause(Duration::from_millis(30))]).unwrap();
    let more = json!({
        "requests": [upload()], "load": closed(2), "stop": {"count": 10, "duration_s": 5.0},
    });
    assert_eq!(ends(&run(driver, &server, &more)), json!({"ok": 10}));
    assert_eq!(server.connections(), 10);
}

pub fn a_connection_given_up_sends_no_more_of_its_request(driver: &str) {
    // The first call is an upload that is not read until it has timed out; the run continues with the others.
    let server = Hostile::start(|_| vec![Act::Pause(Duration::from_millis(400))]).unwrap();
    let others = json!({"path": "/", "weight": 7});
    let more = json!({
        "requests": [others, upload()], "load": closed(1), "timeouts": {"reply_s": 0.2},
        "stop": {"count": 8, "duration_s": 5.0},
    });
    let measured = run(driver, &server, &more);
    assert_eq!(ends(&measured), json!({"reply_timeout": 8}));
    let received = server.received();
    assert!(
        received > 0 && (received as usize) < BODY / 2,
        "{received} bytes"
    );
}
