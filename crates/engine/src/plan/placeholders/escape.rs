//! The forms that a value has where it is sent.

use serde::de::IgnoredAny;

/// The place of a value in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the path, in the query or in a form: percent-encoded (RFC 3986 §2.1).
    Url,
    /// In a string of JSON: escaped (RFC 8259 §7).
    JsonString,
    /// In JSON, outside of a string: a number, for example.
    Json,
    /// In the value of a header: as it is, without line breaks and other control characters (RFC 9110 §5.5).
    Header,
    /// In a body of another kind: as it is.
    Plain,
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

impl Place {
    /// Appends a text in the form that it has here.
    pub fn write(self, text: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Plain | Self::Header | Self::Json => out.extend_from_slice(text),
            Self::Url => text.iter().for_each(|&byte| percent(byte, out)),
            Self::JsonString => text.iter().for_each(|&byte| json(byte, out)),
        }
    }

    /// The reason why a text cannot be sent here.
    pub fn fault(self, text: &[u8]) -> Option<&'static str> {
        let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
        match self {
            Self::Header if text.iter().any(is_control) => {
                Some("a header has no line break or control character")
            }
            Self::Json if serde_json::from_slice::<IgnoredAny>(text).is_err() => Some(
                "it is not a JSON value: expected a number, for example, or the placeholder in double quotes",
            ),
            _ => None,
        }
    }
}

fn percent(byte: u8, out: &mut Vec<u8>) {
    if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        out.push(byte);
    } else {
        let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
        out.extend_from_slice(&[b'%', HEX[high], HEX[low]]);
    }
}

fn json(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0..0x20 => {
            out.extend_from_slice(b"\\u00");
            let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
            out.extend_from_slice(&[HEX[high], HEX[low]]);
        }
        _ => out.push(byte),
    }
}

/// True while a JSON text, read so far, is inside of a string.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonText {
    in_string: bool,
    escaped: bool,
}

impl JsonText {
    /// Reads more of the text.
    pub fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ => {}
            }
        }
    }

    /// The place at the end of what was read.
    pub fn place(self) -> Place {
        if self.in_string {
            Place::JsonString
        } else {
            Place::Json
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(place: Place, text: &str) -> String {
        let mut out = Vec::new();
        place.write(text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_value_is_escaped_as_its_place_demands() {
        let text = "a b/é\"\\\n\u{1}&=+~";
        assert_eq!(
            written(Place::Url, text),
            "a%20b%2F%C3%A9%22%5C%0A%01%26%3D%2B~"
        );
        assert_eq!(
            written(Place::JsonString, text),
            "a b/é\\\"\\\\\\n\\u0001&=+~"
        );
        assert_eq!(written(Place::Plain, text), text);
    }

    #[test]
    fn a_value_that_cannot_be_sent_in_its_place_is_known() {
        let texts = ["a\n", "a\0", "a\tb", "7", "é", ""];
        let fit = |place: Place| texts.map(|text| place.fault(text.as_bytes()).is_none());
        assert_eq!(fit(Place::Header), [false, false, true, true, true, true]);
        assert_eq!(fit(Place::Json), [false, false, false, true, false, false]);
        for place in [Place::Url, Place::JsonString, Place::Plain] {
            assert_eq!(fit(place), [true; 6]);
        }
    }

    #[test]
    fn strings_of_json_are_told_from_what_is_around_them() {
        let mut json = JsonText::default();
        for (more, place) in [
            (r#"{"a\"": "#, Place::Json),
            (r#""x\\"#, Place::JsonString),
            (r#"", "b":"#, Place::Json),
            ("\"\\", Place::JsonString),
            ("\"", Place::JsonString),
        ] {
            json.read(more);
            assert_eq!(json.place(), place, "{more}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_itself_again_after_json_and_percent_decoding(text in any::<String>()) {
            let json: String = serde_json::from_str(&format!("\"{}\"", written(Place::JsonString, &text))).unwrap();
            prop_assert_eq!(&json, &text);
            let url = written(Place::Url, &text);
            prop_assert!(url.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)));
        }
    }
}
