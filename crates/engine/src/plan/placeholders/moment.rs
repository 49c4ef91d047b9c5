//! The current time in the forms of `{now}`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::plan::placeholders::digits::{write, write_padded};

/// A form of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `2026-11-28T11:02:45.123Z` (RFC 3339), in UTC.
    Rfc3339,
    /// Milliseconds since 1970.
    Milliseconds,
    /// Seconds since 1970.
    Seconds,
}

impl Form {
    /// Appends the current time.
    pub fn write_now(self, out: &mut Vec<u8>) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        self.write(now.unwrap_or_default(), out);
    }

    fn write(self, since_1970: Duration, out: &mut Vec<u8>) {
        match self {
            Self::Seconds => write(since_1970.as_secs(), out),
            Self::Milliseconds => write(since_1970.as_millis() as u64, out),
            Self::Rfc3339 => rfc3339(since_1970, out),
        }
    }
}

fn rfc3339(since_1970: Duration, out: &mut Vec<u8>) {
    let seconds = since_1970.as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let clock = seconds % 86_400;
    for (number, width, behind) in [
        (year, 4, b'-'),
        (month, 2, b'-'),
        (day, 2, b'T'),
        (clock / 3600, 2, b':'),
        (clock / 60 % 60, 2, b':'),
        (clock % 60, 2, b'.'),
        (since_1970.subsec_millis().into(), 3, b'Z'),
    ] {
        write_padded(number, width, out);
        out.push(behind);
    }
}

/// The year, month and day so many days after 1 January 1970, in the proleptic Gregorian calendar. Years begin in March,
/// so a leap day is the last day of a year (Hinnant, chrono-Compatible Low-Level Date Algorithms, 2013).
fn date(days: u64) -> (u64, u64, u64) {
    // 719,468 days lie between 1 March of the year 0 and 1 January 1970; 146,097 days are 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_in_each_form() {
        let text = |form: Form, millis| {
            let mut out = Vec::new();
            form.write(Duration::from_millis(millis), &mut out);
            String::from_utf8(out).unwrap()
        };
        for (millis, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_007, "2000-02-28T23:59:59.007Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_795_863_765_123, "2026-11-28T11:02:45.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(text(Form::Rfc3339, millis), expected);
        }
        assert_eq!(text(Form::Milliseconds, 1_795_863_765_123), "1795863765123");
        assert_eq!(text(Form::Seconds, 1_795_863_765_999), "1795863765");
    }
}
