//! Numbers as decimal digits, without an allocation.

/// Digits of the largest number.
const MOST: usize = 20;

/// Appends a number.
#[inline]
pub fn write(number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; MOST];
    let at = fill(number, &mut digits);
    out.extend_from_slice(&digits[at..]);
}

/// Appends a number that may be negative.
#[inline]
pub fn write_signed(number: i64, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    write(number.unsigned_abs(), out);
}

/// Appends a number with zeros before it, `width` digits at least.
#[inline]
pub fn write_padded(number: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; MOST];
    let at = fill(number, &mut digits);
    out.extend_from_slice(&digits[at.min(MOST - width)..]);
}

/// Writes a number to the end of `digits`, and returns where it begins.
#[inline]
fn fill(mut number: u64, digits: &mut [u8; MOST]) -> usize {
    let mut at = MOST;
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_standard_library_writes_them() {
        for number in [0, 7, 10, 99, 100, 10_000, u64::MAX] {
            let mut out = Vec::new();
            write(number, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
        for number in [0, -1, 42, i64::MIN, i64::MAX] {
            let mut out = Vec::new();
            write_signed(number, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
        for (number, width) in [(0, 2), (7, 3), (123, 3), (1234, 3)] {
            let mut out = Vec::new();
            write_padded(number, width, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("{number:0width$}"));
        }
    }
}
