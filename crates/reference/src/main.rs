//! `httpdyno-reference`: the reference server as a program. Ctrl-C or SIGTERM ends it.

use std::io::Write;
use std::process::ExitCode;
use std::str::FromStr;

use reference::{Config, Listen, MAX_THREADS, Page, PlannedStall, Server, parse_duration};

const HELP: &str = "\
Serves pages from memory at full speed; on request it delays, stalls and breaks replies in known ways.

usage: httpdyno-reference [--listen HOST:PORT|unix:PATH] [--threads N] [--cpus 0,1] [--seed N]
                          [--page /PATH=FILE]... [--stall-after 2s --stall-for 1s]

  httpdyno-reference --listen 127.0.0.1:8080
  httpdyno-reference --threads 2 --cpus 0,1 --page /file.png=picture.png
  curl 'http://127.0.0.1:8080/pong?delay=exponential:10ms'
  curl 'http://127.0.0.1:8080/pong?fault=truncate:20&share=0.1'
  curl --http2-prior-knowledge http://127.0.0.1:8080/pong

`/pong`, `/hello` and `/echo?value=…` are built in; a page of the same path replaces `/pong` or `/hello`.
Over HTTP/2, `/httpdyno.Reference/GetSum` is a unary call of gRPC.
";

/// Exit code for usage errors.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        say(HELP);
        return ExitCode::SUCCESS;
    }
    let config = match read(&arguments) {
        Ok(config) => config,
        Err(message) => {
            eprintln!("error: {message}\nhint: `httpdyno-reference --help` shows examples");
            return ExitCode::from(USAGE);
        }
    };
    match Server::start(config) {
        Ok(server) => {
            say(&format!("listening on {}\n", server.address()));
            // The default action of both signals ends the process; the kernel closes the sockets.
            loop {
                std::thread::park();
            }
        }
        Err(error) => {
            eprintln!("error: {error}");
            if let Some(hint) = error.hint() {
                eprintln!("hint: {hint}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Writes to stdout. Serving continues when nobody reads it.
fn say(text: &str) {
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn read(arguments: &[String]) -> Result<Config, String> {
    let listen: Listen = "127.0.0.1:8080".parse()?;
    let mut config = Config::new(listen, Vec::new());
    let (mut stall_after, mut stall_for) = (None, None);
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("`{name}` needs a value"));
        match name.as_str() {
            "--listen" => config.listen = value()?.parse()?,
            "--threads" => config.threads = threads(value()?)?,
            "--cpus" => config.cpus = Some(numbers(name, value()?)?),
            "--seed" => config.seed = number(name, value()?)?,
            "--page" => config.pages.push(page(value()?)?),
            "--stall-after" => stall_after = Some(parse_duration(value()?)?),
            "--stall-for" => stall_for = Some(parse_duration(value()?)?),
            _ => return Err(format!("`{name}` is not an option")),
        }
    }
    config.stall = match (stall_after, stall_for) {
        (Some(after), Some(length)) => Some(PlannedStall { after, length }),
        (None, None) => None,
        _ => return Err("`--stall-after` and `--stall-for` must be given together".to_owned()),
    };
    for (path, body) in [("/pong", "PONG"), ("/hello", "Hello, world!")] {
        if config.pages.iter().all(|page| page.path != path) {
            config.pages.push(Page::new(path, "text/plain", body));
        }
    }
    Ok(config)
}

fn number<T: FromStr>(name: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("`{name} {value}`: expected a whole number below 2^64"))
}

fn threads(value: &str) -> Result<usize, String> {
    let count = value.parse().ok();
    count
        .filter(|count| (1..=MAX_THREADS).contains(count))
        .ok_or_else(|| {
            format!("`--threads {value}`: expected a whole number from 1 to {MAX_THREADS}")
        })
}

fn numbers(name: &str, list: &str) -> Result<Vec<usize>, String> {
    list.split(',').map(|value| number(name, value)).collect()
}

/// Parses `/path=FILE`. The extension of the file decides the content type.
fn page(text: &str) -> Result<Page, String> {
    let expected = || format!("page `{text}`: expected `/PATH=FILE`");
    let (path, file) = text.split_once('=').ok_or_else(expected)?;
    let body =
        std::fs::read(file).map_err(|error| format!("cannot read file `{file}`: {error}"))?;
    let content_type = match file.rsplit('.').next() {
        Some("html") => "text/html",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("txt") => "text/plain",
        Some("xml") => "text/xml",
        _ => "application/octet-stream",
    };
    Ok(Page::new(path, content_type, body))
}
