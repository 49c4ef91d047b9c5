//! The cookies of sessions: kept from the replies of a session, sent with its later requests (RFC 6265). `Path` and
//! `Domain` are ignored, because a load has one server.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::plan::compiled::CompiledPlan;

/// Most cookies of a session; the oldest gives way to one more.
const MOST_COOKIES: usize = 50;
/// Most bytes of the name and the value of a cookie; a longer one is ignored.
const LONGEST_COOKIE: usize = 4096;

/// The cookies of the sessions of one thread.
#[derive(Debug)]
pub struct Jars {
    /// Lanes of a session: connections, or streams of one.
    width: u32,
    /// By session.
    sessions: Vec<Jar>,
    connections: u32,
    /// The connection whose replies are read.
    current: u32,
}

impl Jars {
    /// The cookies of a run in which sessions keep them; `None` otherwise.
    pub fn of(plan: &CompiledPlan) -> Option<Box<Self>> {
        plan.cookies.as_ref()?;
        Some(Box::new(Self::new(plan.session_lanes())))
    }

    /// No cookies, of sessions with `width` lanes each.
    fn new(width: u32) -> Self {
        Self {
            width,
            sessions: Vec::new(),
            connections: 0,
            current: 0,
        }
    }

    /// Adds the next connection.
    pub fn add_connection(&mut self) {
        self.connections += 1;
        let sessions = self.connections.div_ceil(self.width);
        self.sessions.resize_with(sessions as usize, Jar::default);
    }

    /// The replies that [`Jars::read`] gets next are received on this connection.
    pub fn turn_to(&mut self, id: u32) {
        self.current = id;
    }

    /// The session of this connection is over: forgets its cookies.
    pub fn clear(&mut self, id: u32) {
        self.sessions[(id / self.width) as usize].0.clear();
    }

    /// Keeps the cookies that a reply sets in its header fields.
    pub fn read<'a>(&mut self, fields: impl Iterator<Item = (&'a [u8], &'a [u8])>) {
        let jar = &mut self.sessions[(self.current / self.width) as usize];
        for (name, value) in fields {
            if name.eq_ignore_ascii_case(b"set-cookie") {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                jar.set(value, now.map_or(0, |now| now.as_secs().cast_signed()));
            }
        }
    }

    /// Appends the cookies of the session of this connection to `out`: to a `Cookie` header there, or as one.
    pub fn write(&self, id: u32, extends: bool, out: &mut Vec<u8>) {
        let cookies = &self.sessions[(id / self.width) as usize].0;
        for (number, (name, value)) in cookies.iter().enumerate() {
            let joint: &[u8] = if number > 0 || extends {
                b"; "
            } else {
                b"Cookie: "
            };
            for part in [joint, name, b"=", value] {
                out.extend_from_slice(part);
            }
        }
        if !cookies.is_empty() && !extends {
            out.extend_from_slice(b"\r\n");
        }
    }
}

/// The cookies of one session: names and values, in the order in which they were first set.
#[derive(Debug, Default)]
struct Jar(Vec<(Vec<u8>, Vec<u8>)>);

impl Jar {
    /// Keeps or deletes a cookie, as the value of a `Set-Cookie` header says. `now`: seconds since 1970.
    fn set(&mut self, header: &[u8], now: i64) {
        let mut parts = header.split(|&byte| byte == b';');
        let first = parts.next().unwrap_or_default();
        let Some((name, value)) = split_at_byte(first, b'=') else {
            return;
        };
        let (name, value) = (name.trim_ascii(), value.trim_ascii());
        let long = name.len() + value.len() > LONGEST_COOKIE;
        if name.is_empty() || long || first.trim_ascii().iter().any(u8::is_ascii_control) {
            return;
        }
        let at = self.0.iter().position(|(known, _)| known == name);
        match (at, is_expired(parts, now)) {
            (Some(at), true) => drop(self.0.remove(at)),
            (None, true) => {}
            (Some(at), false) => self.0[at].1 = value.to_vec(),
            (None, false) => {
                if self.0.len() == MOST_COOKIES {
                    self.0.remove(0);
                }
                self.0.push((name.to_vec(), value.to_vec()));
            }
        }
    }
}

/// True if the attributes of a cookie delete it. `Max-Age` counts more than `Expires` (RFC 6265 §5.3).
fn is_expired<'a>(attributes: impl Iterator<Item = &'a [u8]>, now: i64) -> bool {
    let (mut by_age, mut by_date) = (None, None);
    for attribute in attributes {
        let Some((name, value)) = split_at_byte(attribute, b'=') else {
            continue;
        };
        let value = value.trim_ascii();
        if name.trim_ascii().eq_ignore_ascii_case(b"max-age") {
            by_age = Some(value.starts_with(b"-") || value.iter().all(|&byte| byte == b'0'));
        } else if name.trim_ascii().eq_ignore_ascii_case(b"expires") {
            by_date = seconds(value).map(|at| at <= now);
        }
    }
    by_age.or(by_date).unwrap_or(false)
}

/// The seconds since 1970 of a date in any order and form that cookies have (RFC 6265 §5.1.1).
fn seconds(date: &[u8]) -> Option<i64> {
    let (mut clock, mut day, mut month, mut year) = (None, None, None, None);
    let between = |&byte: &u8| !(byte.is_ascii_alphanumeric() || byte == b':');
    for token in date.split(between).filter(|token| !token.is_empty()) {
        let text = std::str::from_utf8(token).unwrap_or_default();
        if text.contains(':') {
            let mut parts = text.splitn(3, ':').map(|part| part.parse::<u32>().ok());
            let mut next = || parts.next().flatten();
            clock = Some((next()?, next()?, next()?));
        } else if let Ok(number) = text.parse::<u32>() {
            match (day, number) {
                (None, 1..=31) => day = Some(number),
                (_, 0..=69) => year = Some(2000 + number),
                (_, 70..=99) => year = Some(1900 + number),
                _ => year = Some(number),
            }
        } else if let Some(found) = month_of(text) {
            month = Some(found);
        }
    }
    let (hour, minute, second) = clock?;
    let days = days_since_1970(i64::from(year?.min(9999)), month?, i64::from(day?));
    Some(days * 86_400 + i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second))
}

fn month_of(text: &str) -> Option<i64> {
    const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";
    let name = text.get(..3)?.to_ascii_lowercase();
    let at = MONTHS.find(&name).filter(|at| at % 3 == 0)?;
    i64::try_from(at / 3 + 1).ok()
}

/// Days of the proleptic Gregorian calendar from 1 January 1970. March is the first month, so a leap day is the last
/// day of a year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let months = (month + 9) % 12;
    // 719,468 days lie between 1 March of the year 0 and 1 January 1970.
    year * 365 + leap_days + (153 * months + 2) / 5 + day - 1 - 719_468
}

fn split_at_byte(bytes: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|&each| each == byte)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_700_000_000;

    fn sent(headers: &[&str]) -> String {
        let mut jars = Jars::new(1);
        jars.add_connection();
        for header in headers {
            jars.sessions[0].set(header.as_bytes(), NOW);
        }
        let mut out = Vec::new();
        jars.write(0, false, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(text.is_empty() || text.ends_with("\r\n"));
        text.trim_end().into()
    }

    #[test]
    fn the_last_value_of_each_name_is_sent_in_the_order_of_the_names() {
        let set = [" id = 7; Path=/; HttpOnly", "b=x=y", "id=8;Secure", "c="];
        assert_eq!(sent(&set), "Cookie: id=8; b=x=y; c=");
        assert_eq!(sent(&[]), "");
    }

    #[test]
    fn a_cookie_that_has_expired_is_deleted() {
        for end in [
            "Max-Age=0",
            "max-age=-5; Expires=Fri, 01 Jan 2100 00:00:00 GMT",
            "Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "expires=Thu, 01-Jan-70 00:00:00 GMT",
            "Expires=Tue Nov 14 22:13:20 2023",
        ] {
            assert_eq!(sent(&["a=1", "b=2", &format!("a=; {end}")]), "Cookie: b=2");
        }
        for alive in [
            "Max-Age=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "Expires=Tue, 14 Nov 2023 22:13:21 GMT",
            "Expires=tomorrow",
            "Expires=99:99 1 2 3",
        ] {
            assert_eq!(sent(&[&format!("a=1; {alive}")]), "Cookie: a=1", "{alive}");
        }
    }

    #[test]
    fn cookies_without_a_name_or_too_long_or_too_many_are_not_kept() {
        let long = format!("a={}", "x".repeat(LONGEST_COOKIE));
        assert_eq!(sent(&["=1", "no", &long, "a=\u{1}b"]), "");
        let many: Vec<String> = (0..60).map(|number| format!("c{number}=1")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let kept = sent(&many);
        assert_eq!(kept.matches('=').count(), MOST_COOKIES);
        assert!(kept.starts_with("Cookie: c10=1; ") && kept.ends_with("; c59=1"));
    }

    #[test]
    fn a_reply_sets_its_cookies_for_all_connections_of_its_session_only() {
        let mut jars = Jars::new(2);
        (0..4).for_each(|_| jars.add_connection());
        let mut read = |id, name: &[u8], value: &[u8]| {
            jars.turn_to(id);
            jars.read([(name, value)].into_iter());
        };
        read(2, b"set-cookie", b" other=1\r");
        read(1, b"Set-Cookie", b" a=1; Path=/\r");
        read(1, b"Set-Cookie2", b" b=1");
        let of = |jars: &Jars, id| {
            let mut out = Vec::new();
            jars.write(id, true, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            ["; a=1", "; a=1", "; other=1"],
            [0, 1, 2].map(|id| of(&jars, id))
        );
        jars.clear(0);
        assert_eq!(["", "; other=1"], [1, 3].map(|id| of(&jars, id)));
    }

    proptest! {
        #[test]
        fn whatever_a_server_sets_is_bounded_and_cannot_end_a_line(
            headers in prop::collection::vec("([a-c]{0,2}=[ -~\u{e9}\t\r]{0,9}(; ?(Expires|Max-Age)=[-0-9: ,A-Za-z\u{e9}]{0,40})?)|[ -~]{0,20}", 0..9),
            noise in prop::collection::vec(any::<u8>(), 0..60),
        ) {
            let mut jar = Jar::default();
            jar.set(&noise, NOW);
            for header in &headers {
                jar.set(header.as_bytes(), NOW);
            }
            prop_assert!(jar.0.len() <= MOST_COOKIES);
            for (name, value) in &jar.0 {
                let ends = |byte: &u8| byte.is_ascii_control() || *byte == b';';
                prop_assert!(!name.iter().chain(value).any(ends));
            }
        }
    }
}
