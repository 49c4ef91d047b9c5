//! Untrusted text in messages: short and printable.

/// Most characters that a message shows of one text.
const MOST_SHOWN: usize = 40;

/// The beginning of a text, with its control characters, quotes and backslashes escaped.
pub fn short(text: &str) -> String {
    let mut shown = String::new();
    for (at, letter) in text.chars().enumerate() {
        if at == MOST_SHOWN {
            shown.push('…');
            break;
        }
        // `escape_debug` leaves characters that print as they are, and no quote needs a backslash here.
        if letter == '"' || letter == '\'' {
            shown.push(letter);
        } else {
            shown.extend(letter.escape_debug());
        }
    }
    shown
}

/// The first bytes of a body in a sentence.
pub fn beginning(body: &[u8]) -> String {
    if body.is_empty() {
        return "it is empty".into();
    }
    let first = &body[..body.len().min(MOST_SHOWN + 1)];
    let text = String::from_utf8_lossy(first);
    format!("it begins with \"{}\"", short(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_replies_is_short_and_printable() {
        assert_eq!(short("a\u{1b}[31m\n\u{202e}b"), "a\\u{1b}[31m\\n\\u{202e}b");
        assert_eq!(short(&"é".repeat(100)), format!("{}…", "é".repeat(40)));
        assert_eq!(
            beginning(b"<html>\xff"),
            "it begins with \"<html>\u{fffd}\""
        );
        assert_eq!(beginning(b""), "it is empty");
    }
}
