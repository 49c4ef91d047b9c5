//! The bare limit of a closed loop on `io_uring`: sends a request, waits for the bytes of the reply, sends again. It
//! parses nothing, times nothing and counts only replies. What a load engine costs beyond this is its own cost; the rest
//! is the kernel's.
//!
//! `limit ADDRESS PATH CONNECTIONS BURST SECONDS [CALLS [--multishot] | --rate R | VARIANT]`; pin it with `taskset`.
//! Prints the number of replies and of system calls. CALLS: requests per connection (`reconnect`). --rate: bursts are due
//! at this rate, which needs the clock (`open`). VARIANT: one thing is done differently than in the engine (`variant`).

mod keep;
mod open;
mod reconnect;
mod ring;
mod variant;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use variant::Variant;

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "usage: limit ADDRESS PATH CONNECTIONS BURST SECONDS [CALLS [--multishot] | --rate R | VARIANT]";

const MOST_PER_S: f64 = 1e9;

/// The result of a run.
struct Replies {
    /// Number of replies, in complete bursts.
    count: u64,
    /// Number of calls of `io_uring_enter`.
    enters: u64,
}

/// Length of a reply in bytes, from one request.
fn reply_length(address: &str, request: &[u8]) -> Result<usize, Failure> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_millis(300)))?;
    stream.write_all(request)?;
    let (mut total, mut piece) = (0, vec![0; 65536]);
    while let Ok(1..) = stream.read(&mut piece).inspect(|length| total += length) {}
    if total == 0 {
        return Err("no reply".into());
    }
    Ok(total)
}

fn bursts_per_s(requests: &str, burst: usize) -> Result<f64, Failure> {
    let per_s = requests.parse::<f64>()? / burst as f64;
    if per_s > 0.0 && per_s <= MOST_PER_S {
        Ok(per_s)
    } else {
        Err(USAGE.into())
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, path, connections, burst, seconds, rest @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let (connections, burst): (usize, usize) = (connections.parse()?, burst.parse()?);
    let one = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let wanted = reply_length(address, one.as_bytes())? * burst;
    let request = one.repeat(burst).into_bytes();
    let duration = Duration::from_secs_f64(seconds.parse()?);
    let replies = match rest {
        [calls, how @ ..] if !calls.starts_with('-') => {
            let multishot = match how {
                [] => false,
                [word] if word == "--multishot" => true,
                _ => return Err(USAGE.into()),
            };
            let turns = calls.parse::<usize>()? / burst;
            let work = reconnect::Work::new(address, request, wanted, turns, multishot)?;
            reconnect::exchange(&work, connections, duration)?
        }
        [rate, per_s] if rate == "--rate" => {
            let per_s = bursts_per_s(per_s, burst)?;
            open::exchange(address, &request, wanted, connections, duration, per_s)?
        }
        words => {
            let variant = Variant::read(words)?;
            keep::exchange(address, &request, wanted, connections, duration, variant)?
        }
    };
    let count = replies.count * burst as u64;
    writeln!(std::io::stdout(), "{count} {}", replies.enters)?;
    // The kernel closes the sockets and the ring.
    std::process::exit(0);
}
