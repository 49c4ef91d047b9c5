//! Loads for a profiler that counts instructions, as `make instructions` does.
//!
//! `instructions LOAD CALLS` runs a load of the engine in virtual time. `instructions DRIVER CALLS FOLDER` makes calls
//! over one real connection with a driver alone. `FOLDER` holds `cert.pem` and `key.pem` of a server; the server is a
//! process of its own, which a profiler of this one does not count.

mod simulated;
mod sockets;

use std::error::Error;

const USAGE: &str = "usage: instructions LOAD|DRIVER CALLS [FOLDER]";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["serve", folder] => sockets::serve(folder.as_ref()),
        [load, calls] => simulated::run(load, calls.parse()?),
        [driver, calls, folder] => sockets::run(driver, calls.parse()?, folder.as_ref()),
        _ => Err(USAGE.into()),
    }
}
