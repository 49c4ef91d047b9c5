//! Integers (RFC 7541 §5.1): a prefix of some bits, then seven bits a byte, the lowest first.

use crate::hpack::fault::HpackError;

/// Most bytes after the prefix: enough for 2^28, which is more than any length or index here.
const MOST_MORE: usize = 4;

/// Appends `value`. The bits of `first` above the prefix are kept.
pub(crate) fn encode(out: &mut Vec<u8>, first: u8, prefix: u32, value: usize) {
    let full = (1 << prefix) - 1;
    if value < full {
        return out.push(first | value as u8);
    }
    out.push(first | full as u8);
    let mut rest = value - full;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Takes the integer at the start of `input`.
#[inline]
pub(crate) fn take(input: &mut &[u8], prefix: u32) -> Result<usize, HpackError> {
    let (&first, rest) = input.split_first().ok_or(HpackError::Truncated)?;
    let full = (1 << prefix) - 1;
    let value = usize::from(first) & full;
    *input = rest;
    if value < full {
        Ok(value)
    } else {
        more(input, full)
    }
}

/// Takes the bytes after a prefix of ones.
fn more(input: &mut &[u8], full: usize) -> Result<usize, HpackError> {
    let mut value = full;
    for (place, &byte) in input.iter().enumerate().take(MOST_MORE) {
        value += usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            *input = &input[place + 1..];
            return Ok(value);
        }
    }
    Err(if input.len() < MOST_MORE {
        HpackError::Truncated
    } else {
        HpackError::Integer
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(mut input: &[u8], prefix: u32) -> Result<(usize, usize), HpackError> {
        let value = take(&mut input, prefix)?;
        Ok((value, input.len()))
    }

    #[test]
    fn the_examples_of_the_standard_are_coded_both_ways() {
        // RFC 7541 C.1.1 to C.1.3.
        for (value, prefix, first, coded) in [
            (10, 5, 0b1110_0000, &[0b1110_1010][..]),
            (1337, 5, 0, &[0b0001_1111, 0b1001_1010, 0b0000_1010]),
            (42, 8, 0, &[0b0010_1010]),
            (31, 5, 0, &[31, 0]),
            (30, 5, 0, &[30]),
        ] {
            let mut out = Vec::new();
            encode(&mut out, first, prefix, value);
            assert_eq!(out, coded, "{value}");
            out.push(7);
            assert_eq!(taken(&out, prefix), Ok((value, 1)), "{value}");
        }
    }

    #[test]
    fn an_integer_that_is_cut_short_or_too_long_is_refused() {
        assert_eq!(taken(&[], 7), Err(HpackError::Truncated));
        assert_eq!(taken(&[0x7f, 0x80], 7), Err(HpackError::Truncated));
        assert_eq!(
            taken(&[0x7f, 0xff, 0xff, 0xff, 0x7f], 7),
            Ok(((1 << 28) - 1 + 127, 0))
        );
        for long in [
            &[0x7f, 0x80, 0x80, 0x80, 0x80, 0x00][..],
            &[
                0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
            ],
        ] {
            assert_eq!(taken(long, 7), Err(HpackError::Integer));
        }
    }
}
