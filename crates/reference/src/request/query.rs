//! The query of a request target: its pairs, and percent-decoding (RFC 3986 §2.1).

/// The `name=value` pairs in order, still encoded. A name without `=` has an empty value.
pub(crate) fn pairs(query: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    query
        .split(|byte| *byte == b'&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let equals = pair.iter().position(|byte| *byte == b'=');
            match equals {
                Some(at) => (&pair[..at], &pair[at + 1..]),
                None => (pair, &b""[..]),
            }
        })
}

/// Decodes `%XX`. Invalid escapes are kept as they are. With `plus_is_space`, `+` becomes a space, as in forms.
pub(crate) fn decode(encoded: &[u8], plus_is_space: bool) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let byte = match (first, after) {
            (b'%', &[high, low, ..]) => match (hex(high), hex(low)) {
                (Some(high), Some(low)) => {
                    rest = &after[2..];
                    high << 4 | low
                }
                _ => first,
            },
            (b'+', _) if plus_is_space => b' ',
            _ => first,
        };
        decoded.push(byte);
    }
    decoded
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_and_broken_ones_are_kept() {
        for (encoded, decoded) in [
            ("a%20b", "a b"),
            ("%68ttp%64yno", "httpdyno"),
            ("a+b", "a b"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
        ] {
            assert_eq!(
                decode(encoded.as_bytes(), true),
                decoded.as_bytes(),
                "{encoded}"
            );
        }
        assert_eq!(decode(b"length+5", false), b"length+5");
    }

    #[test]
    fn pairs_come_in_order_and_empty_ones_are_skipped() {
        let found: Vec<_> = pairs(b"a=1&&b&c==2&=3").collect();
        let expected: [(&[u8], &[u8]); 4] = [(b"a", b"1"), (b"b", b""), (b"c", b"=2"), (b"", b"3")];
        assert_eq!(found, expected);
    }
}
