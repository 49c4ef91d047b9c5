//! Runs the plan on standard input and prints its measurement: the engine alone, for profilers.
//!
//! `cargo run --release -p engine --example run_plan < plan.json`

use std::io::{Read, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let plan: engine::Plan = serde_json::from_str(&text)?;
    let measurement = engine::start(&plan)?.result()?;
    let json = serde_json::to_string_pretty(&measurement)?;
    std::io::stdout().write_all(json.as_bytes())?;
    Ok(())
}
