//! A reference server, and plans for it.

use std::io::Write as _;
use std::path::PathBuf;

use engine::Plan;
use reference::{Config, Listen, Page, Server};
use serde_json::{Value, json};

/// The name of a driver, and a reference server.
pub struct Rig {
    pub driver: &'static str,
    pub server: Server,
}

pub fn big() -> Vec<u8> {
    (0..550_015_u32).map(|n| (n % 251) as u8).collect()
}

fn pages() -> Vec<Page> {
    let page = |path: &str, body: Vec<u8>| Page {
        path: path.into(),
        content_type: "text/plain".into(),
        body,
    };
    vec![page("/pong", b"PONG".to_vec()), page("/big", big())]
}

impl Rig {
    pub fn new(driver: &'static str) -> Self {
        Self::listening(driver, "127.0.0.1:0")
    }

    pub fn listening(driver: &'static str, address: &str) -> Self {
        let listen: Listen = address.parse().unwrap();
        let server = Server::start(Config::new(listen, pages())).unwrap();
        Self { driver, server }
    }

    pub fn target(&self) -> Value {
        let address = self.server.address();
        if let Some(path) = address.strip_prefix("unix:") {
            return json!({"host": "localhost", "unix": path});
        }
        let (host, port) = address.rsplit_once(':').unwrap();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        json!({"host": host, "port": port.parse::<u16>().unwrap()})
    }

    /// A plan for this server: pong, compared byte for byte. The fields of `more` replace the defaults.
    pub fn plan(&self, load: &Value, more: &Value) -> Plan {
        let mut plan = json!({
            "target": self.target(),
            "driver": self.driver,
            "requests": [pong("/pong")],
            "load": load,
            "stop": {"count": 1000, "duration_s": 20.0},
        });
        let (Value::Object(fields), Value::Object(more)) = (&mut plan, more) else {
            unreachable!("both are objects");
        };
        fields.extend(more.clone());
        serde_json::from_value(plan).unwrap()
    }

    /// Runs a plan for this server; returns the measurement, whose counts add up.
    pub fn run(&self, load: &Value, more: &Value) -> Value {
        measure(&self.plan(load, more))
    }
}

/// Runs a plan; returns the measurement as JSON.
pub fn measure(plan: &Plan) -> Value {
    let measurement = engine::start(plan).unwrap().result().unwrap();
    measurement.calls.check().unwrap();
    serde_json::to_value(&measurement).unwrap()
}

pub fn pong(path: &str) -> Value {
    json!({"path": path, "expect": {"status": [200], "body": {"text": "PONG"}}})
}

pub fn closed(connections: u32) -> Value {
    json!({"kind": "closed", "connections": connections})
}

pub fn arrivals(per_s: f64) -> Value {
    json!({"spacing": "constant", "segments": [{"from_per_s": per_s, "to_per_s": per_s}]})
}

pub fn requests(per_s: f64, connections: u32) -> Value {
    json!({"kind": "requests", "connections": connections, "arrivals": arrivals(per_s)})
}

pub fn sessions(per_s: f64, calls: u32) -> Value {
    json!({"kind": "sessions", "calls": calls, "arrivals": arrivals(per_s)})
}

/// A temporary file, removed when it is dropped.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn path(name: &str) -> Self {
        let name = format!("httpdyno-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub fn file(name: &str, bytes: &[u8]) -> Self {
        let scratch = Self::path(name);
        std::fs::File::create(&scratch.0)
            .unwrap()
            .write_all(bytes)
            .unwrap();
        scratch
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
