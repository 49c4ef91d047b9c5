//! A reference server behind a TLS terminator, and plans for both.

use std::net::SocketAddr;

use engine::{EngineError, Plan};
use reference::{Config, Listen, Page, Server};
use serde_json::{Value, json};

use crate::papers::PAPERS;
use crate::terminator::{Manners, Terminator};

pub struct Rig {
    pub driver: &'static str,
    pub server: Server,
    pub door: Terminator,
}

pub fn big() -> Vec<u8> {
    (0..550_015_u32).map(|n| (n % 251) as u8).collect()
}

impl Rig {
    pub fn new(driver: &'static str, manners: &Manners) -> Self {
        let listen: Listen = "127.0.0.1:0".parse().unwrap();
        let page = |path: &str, body: Vec<u8>| Page {
            path: path.into(),
            content_type: "text/plain".into(),
            body,
        };
        let pages = vec![page("/pong", b"PONG".to_vec()), page("/big", big())];
        let server = Server::start(Config::new(listen, pages)).unwrap();
        let door = Terminator::start(&server.address(), manners);
        Self {
            driver,
            server,
            door,
        }
    }

    /// Runs a plan; returns the measurement, whose counts add up and are those of the server.
    pub fn run(&self, tls: &Value, more: &Value) -> Value {
        let before = self.server.requests();
        let measured = measure(&plan(self.driver, self.door.address, tls, more)).unwrap();
        assert_eq!(
            Some(self.server.requests() - before),
            measured["calls"]["ok"].as_u64(),
            "{measured}"
        );
        measured
    }

    /// The error of a plan whose target cannot be reached.
    pub fn refusal(&self, tls: &Value) -> EngineError {
        let refusal = measure(&plan(self.driver, self.door.address, tls, &json!({})));
        assert_eq!(self.server.requests(), 0, "nothing was sent");
        refusal.unwrap_err()
    }
}

/// The fields of both; the second replace the first.
fn over(fields: Value, more: &Value) -> Value {
    let (Value::Object(mut fields), Value::Object(more)) = (fields, more) else {
        unreachable!("both are objects");
    };
    fields.extend(more.clone());
    Value::Object(fields)
}

/// A plan of 60 calls on 4 connections to `localhost`, with its authority trusted.
pub fn plan(driver: &str, address: SocketAddr, tls: &Value, more: &Value) -> Plan {
    let tls = over(json!({"ca": PAPERS.authority}), tls);
    let plan = json!({
        "target": {"host": "localhost", "port": address.port(), "tls": tls},
        "driver": driver,
        "requests": [pong()],
        "load": {"kind": "closed", "connections": 4},
        "stop": {"count": 60, "duration_s": 20.0, "drain_s": 1.0},
        "timeouts": {"connect_s": 2.0, "reply_s": 5.0},
    });
    serde_json::from_value(over(plan, more)).unwrap()
}

pub fn pong() -> Value {
    json!({"path": "/pong", "expect": {"status": [200], "body": {"text": "PONG"}}})
}

pub fn measure(plan: &Plan) -> Result<Value, EngineError> {
    let measurement = engine::start(plan)?.result()?;
    measurement.calls.check().unwrap();
    let measured = serde_json::to_value(&measurement).unwrap();
    let made = &measured["handshakes"];
    if !made.is_null() {
        let made = made["full"].as_u64().unwrap() + made["resumed"].as_u64().unwrap();
        assert_eq!(Some(made), measured["connections"]["opened"].as_u64());
    }
    Ok(measured)
}
