//! HTTP: framing, methods, bodies, addresses.

use serde_json::{Value, json};

use crate::rig::{Rig, Scratch, big, closed, pong};

fn all_right(rig: &Rig, request: &Value, more: &Value) -> Value {
    let mut fields = json!({"requests": [request], "stop": {"count": 60}});
    let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) else {
        unreachable!("both are objects");
    };
    fields.extend(more.clone());
    let measured = rig.run(&closed(4), &json!(fields));
    assert_eq!(measured["calls"]["ok"], 60, "{request}: {measured}");
    measured
}

pub fn every_framing_of_a_reply_is_read(rig: &Rig) {
    for path in [
        "/pong?chunked=1",
        "/pong?until_close=1",
        "/pong?interim=3",
        "/pong?chunked=1&interim=1",
    ] {
        all_right(rig, &pong(path), &json!({}));
    }
    all_right(rig, &pong("/pong?chunked=1"), &json!({"burst": 5}));
}

pub fn a_head_request_expects_no_body(rig: &Rig) {
    let head = json!({"method": "HEAD", "path": "/big", "expect": {"status": [200]}});
    let measured = all_right(rig, &head, &json!({"burst": 3}));
    assert_eq!(measured["body_bytes"], 0);
    assert_eq!(measured["connections"]["opened"], 4);
}

pub fn half_a_megabyte_is_compared_byte_for_byte(rig: &Rig) {
    let name = format!("big-{}", rig.driver);
    let right = Scratch::file(&name, &big());
    let request = json!({"path": "/big", "expect": {"body": {"file": right.0}}});
    let measured = all_right(rig, &request, &json!({}));
    assert_eq!(measured["body_bytes"], 60 * 550_015);

    let mut wrong = big();
    wrong[550_000] ^= 1;
    let wrong = Scratch::file(&format!("{name}-wrong"), &wrong);
    let request = json!({"path": "/big", "expect": {"body": {"file": wrong.0}}});
    let measured = rig.run(
        &closed(1),
        &json!({"requests": [request], "stop": {"count": 3}}),
    );
    assert_eq!(measured["calls"]["wrong_body"], 3);
}

pub fn a_request_body_from_a_file_arrives(rig: &Rig) {
    let name = format!("upload-{}", rig.driver);
    let upload = Scratch::file(&name, &vec![b'x'; 300_000]);
    let request = json!({
        "method": "POST", "path": "/pong", "body": {"file": upload.0},
        "expect": {"status": [200], "body": {"text": "PONG"}},
    });
    let measured = all_right(rig, &request, &json!({}));
    assert!(measured["bytes_sent"].as_u64().unwrap() > 60 * 300_000);
}

pub fn unix_sockets_and_ipv6_work_as_ipv4_does(rig: &Rig) {
    let socket = Scratch::path(&format!("{}.sock", rig.driver));
    for address in [format!("unix:{}", socket.0.display()), "[::1]:0".into()] {
        let rig = Rig::listening(rig.driver, &address);
        all_right(&rig, &pong("/pong"), &json!({}));
        all_right(&rig, &pong("/pong"), &json!({"keep_alive": false}));
    }
}

pub fn connections_leave_from_the_addresses_and_ports_given(rig: &Rig) {
    let more = json!({"source": {"addresses": ["127.0.0.7", "127.0.0.8"]}, "keep_alive": false});
    all_right(rig, &pong("/pong"), &more);
    let first = if rig.driver == "epoll" {
        21_000
    } else {
        22_000
    };
    let more = json!({
        "source": {"addresses": ["127.0.0.7"], "ports": [first, first + 99]},
        "calls_per_connection": 3,
    });
    let measured = all_right(rig, &pong("/pong"), &more);
    // With three calls each there are twenty connections; the last of each of the four may carry fewer.
    let opened = measured["connections"]["opened"].as_u64().unwrap();
    assert!((20..=23).contains(&opened), "{opened}");
}

pub fn the_same_body_as_the_first_can_be_demanded(rig: &Rig) {
    let steady = json!({"path": "/big", "expect": {"body": {"same": true}}});
    all_right(rig, &steady, &json!({}));
    let fickle =
        json!({"path": "/big?fault=corrupt&share=0.5", "expect": {"body": {"same": true}}});
    let measured = rig.run(
        &closed(1),
        &json!({"requests": [fickle], "stop": {"count": 100}}),
    );
    let wrong = measured["calls"]["wrong_body"].as_u64().unwrap();
    assert!(
        (20..=80).contains(&wrong),
        "{wrong} of 100 differ from the first"
    );
}
