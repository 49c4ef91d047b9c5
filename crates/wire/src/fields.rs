//! The header fields of a reply. They are found when they are read, so they cost nothing to those who do not read them.

use crate::head::empty_lines;

/// The names and values of a head, in the order in which they came. Blanks may surround a value.
#[derive(Clone, Debug)]
pub struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// The fields of the head at the start of `bytes`, after those of interim replies.
    #[inline]
    pub(crate) fn of(mut bytes: &'a [u8]) -> Self {
        loop {
            bytes = &bytes[empty_lines(bytes)..];
            let mut fields = Self(bytes);
            // `HTTP/1.1 1`: the first digit of the status.
            if fields.line().is_none() || bytes.get(9) != Some(&b'1') {
                return fields;
            }
            fields.by_ref().for_each(drop);
            bytes = fields.0;
        }
    }

    /// The fields in lines of `name: value`.
    #[inline]
    pub(crate) fn of_lines(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Takes the next line, without its LF; `None` after the last one.
    #[inline]
    fn line(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|&byte| byte == b'\n')?;
        let line = &self.0[..end];
        self.0 = &self.0[end + 1..];
        Some(line)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let line = self.line()?;
        let colon = line.iter().position(|&byte| byte == b':')?;
        Some((&line[..colon], &line[colon + 1..]))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Event, Reader};

    /// The fields of the reply in `bytes`, which come in two pieces. The first piece ends at `split`.
    fn fields(bytes: &[u8], split: usize) -> Option<String> {
        let mut reader = Reader::new();
        for piece in [&bytes[..split], &bytes[split..]] {
            let was_split = reader.in_split_head();
            let (taken, event) = reader.next(piece, false).ok()?;
            if matches!(event, Event::Head(_)) {
                let fields = reader
                    .fields(&piece[..taken], was_split)
                    .map(|(name, value)| {
                        let [name, value] = [name, value.trim_ascii()].map(String::from_utf8_lossy);
                        format!("{name}={value};")
                    });
                return Some(fields.collect());
            }
        }
        None
    }

    #[test]
    fn the_fields_of_a_head_are_found_wherever_it_is_split_and_those_of_interim_replies_are_not_among_them()
     {
        for (bytes, expected) in [
            (
                &b"HTTP/1.1 200 OK\r\nA: b\r\nC:\r\nD:  e: f \r\n\r\nG: no"[..],
                "A=b;C=;D=e: f;",
            ),
            (
                b"\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\n\r\nHTTP/1.0 404 a:b\nA: b\n\nbody: x",
                "A=b;",
            ),
            (b"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 204 N\r\n\r\n", ""),
        ] {
            for split in 0..bytes.len() {
                assert_eq!(
                    fields(bytes, split).as_deref(),
                    Some(expected),
                    "split at {split}"
                );
            }
        }
    }
}
