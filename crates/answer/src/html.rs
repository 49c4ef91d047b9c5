//! HTML that is equal, however it is written: the same tags, attributes and texts, in the same order.
//!
//! Tokens are those of the HTML standard (§13.2.5), which reads any bytes. No tree is made, and of a body only one part is
//! kept.

use std::fmt::Write;
use std::iter::Fuse;
use std::mem::take;

use html5gum::{DefaultEmitter, HtmlString, StartTag, StringReader, Token, Tokenizer};

use crate::MOST_BYTES;
use crate::words::short;

/// The parts of a page, in their order.
#[derive(Debug)]
pub struct Page(Vec<Part>);

/// A part of a page.
#[derive(Debug, PartialEq)]
enum Part {
    Doctype(HtmlString),
    /// With its attributes in the order of their names.
    Start(StartTag<()>),
    End(HtmlString),
    /// Without white space at its ends, and with one space for each run of it.
    Text(Vec<u8>),
}

impl Page {
    /// Reads an example.
    ///
    /// # Errors
    /// The fault of the example.
    pub fn new(example: &str) -> Result<Self, String> {
        let length = example.len();
        if length > MOST_BYTES {
            return Err(format!(
                "an HTML example of {length} bytes: expected at most {MOST_BYTES}"
            ));
        }
        let parts: Vec<Part> = Parts::of(example.as_bytes()).collect();
        if parts.is_empty() {
            return Err("an HTML example without a tag or text: expected some".into());
        }
        Ok(Self(parts))
    }

    /// The fault of a body; `None`: it is equal.
    pub fn fault(&self, body: &[u8]) -> Option<String> {
        let mut parts = Parts::of(body);
        let mut last = None;
        for right in self.0.iter().map(Some).chain([None]) {
            let found = parts.next();
            if found.as_ref() != right {
                return Some(difference(last, right, found.as_ref()));
            }
            last = right;
        }
        None
    }
}

/// `behind the tag <td>: expected the text "1", found the text "2"`.
fn difference(last: Option<&Part>, right: Option<&Part>, found: Option<&Part>) -> String {
    let place = last.map_or("at the beginning".into(), |last| {
        format!("behind {}", last.words())
    });
    let words = |part: Option<&Part>| part.map_or("the end".into(), Part::words);
    format!("{place}: expected {}, found {}", words(right), words(found))
}

impl Part {
    /// The part in words: `the tag <td class="id">`.
    fn words(&self) -> String {
        let shown = |text: &[u8]| short(&String::from_utf8_lossy(text));
        match self {
            Self::Doctype(name) => format!("<!DOCTYPE {}>", shown(name)),
            Self::End(name) => format!("the tag </{}>", shown(name)),
            Self::Text(text) => format!("the text \"{}\"", shown(text)),
            Self::Start(tag) => {
                let mut attributes = String::new();
                for (name, value) in &tag.attributes {
                    // A string takes all that is written.
                    let _ = write!(attributes, " {}=\"{}\"", shown(name), shown(value));
                }
                format!("the tag <{}{}>", shown(&tag.name), short(&attributes))
            }
        }
    }
}

/// The parts of a body, one after the other.
struct Parts<'a> {
    tokens: Fuse<Tokenizer<StringReader<'a>, DefaultEmitter>>,
    /// The part behind a text that was complete when it came.
    next: Option<Part>,
}

impl<'a> Parts<'a> {
    fn of(body: &'a [u8]) -> Self {
        let mut emitter = DefaultEmitter::default();
        // A script or a style has no tags inside, as in a browser.
        emitter.naively_switch_states(true);
        Self {
            tokens: Tokenizer::new_with_emitter(body, emitter).fuse(),
            next: None,
        }
    }
}

impl Iterator for Parts<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        if let Some(part) = take(&mut self.next) {
            return Some(part);
        }
        let mut text = Vec::new();
        let mut space = false;
        let part = loop {
            match self.tokens.next().map(|Ok(token)| token) {
                Some(Token::String(more)) => add(&mut text, &mut space, &more),
                Some(Token::Comment(_) | Token::Error(_)) => {}
                Some(Token::StartTag(mut tag)) => {
                    // `<br>` and `<br/>` are the same tag.
                    tag.self_closing = false;
                    break Some(Part::Start(tag));
                }
                Some(Token::EndTag(tag)) => break Some(Part::End(tag.name)),
                Some(Token::Doctype(doctype)) => break Some(Part::Doctype(doctype.name)),
                None => break None,
            }
        };
        if text.is_empty() {
            return part;
        }
        self.next = part;
        Some(Part::Text(text))
    }
}

/// Adds to a text. `space`: white space came last.
fn add(text: &mut Vec<u8>, space: &mut bool, more: &[u8]) {
    for byte in more {
        if byte.is_ascii_whitespace() {
            *space = true;
            continue;
        }
        if take(space) && !text.is_empty() {
            text.push(b' ');
        }
        text.push(*byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORTUNES: &str = "<!DOCTYPE html><html><body><table class=list id=one>
        <tr><td>1</td><td>A &lt;b&gt; &amp; &quot;c&quot;</td></tr></table><br></body></html>";

    fn fault(example: &str, body: &str) -> String {
        let page = Page::new(example).expect("an example");
        page.fault(body.as_bytes()).unwrap_or_default()
    }

    #[test]
    fn how_a_page_is_written_does_not_matter() {
        for body in [
            FORTUNES.replace("\n        ", ""),
            FORTUNES
                .to_uppercase()
                .replace("A &LT;B&GT; &AMP; &QUOT;C&QUOT;", "A &#60;b&#x3e; & \"c\"")
                .replace("CLASS=LIST ID=ONE", "ID='one'\tCLASS=\"list\""),
            FORTUNES.replace("<br>", "\n<!-- end --><br />"),
            FORTUNES.replace("<td>1</td>", "<td>\r\n  1\n</td>"),
            FORTUNES.replace("A &lt;", "A<!-- a > b -->  &lt"),
        ] {
            assert_eq!(fault(FORTUNES, &body), "", "{body}");
        }
    }

    #[test]
    fn a_difference_has_its_place_and_both_parts() {
        for (from, to, said) in [
            (
                "<td>1",
                "<td>2",
                "behind the tag <td>: expected the text \"1\", found the text \"2\"",
            ),
            (
                "&lt;b&gt;",
                "<b>",
                "behind the tag <td>: expected the text \"A <b> & \"c\"\", found the text \"A\"",
            ),
            (
                "<br></body></html>",
                "<br>",
                "behind the tag <br>: expected the tag </body>, found the end",
            ),
            (
                "</html>",
                "</html>x",
                "behind the tag </html>: expected the end, found the text \"x\"",
            ),
            (
                "=one>",
                "=two>",
                "behind the tag <body>: expected the tag <table class=\"list\" id=\"one\">, found the tag <table class=\"list\" id=\"two\">",
            ),
            (
                "<!DOCTYPE html>",
                "",
                "at the beginning: expected <!DOCTYPE html>, found the tag <html>",
            ),
        ] {
            assert!(FORTUNES.contains(from));
            assert_eq!(fault(FORTUNES, &FORTUNES.replacen(from, to, 1)), said);
        }
    }

    #[test]
    fn a_script_is_text_and_any_bytes_are_read() {
        assert_eq!(
            fault("<script>a < b</script>", "<script>a   < b</script>"),
            ""
        );
        let page = Page::new("<p>a").expect("an example");
        let found = page.fault(b"<p>\xff\x00\x1b[31m<").expect("another text");
        assert!(found.is_ascii() || !found.contains('\u{1b}'), "{found}");
        assert!(Page::new(" <!-- --> ").is_err());
    }

    #[test]
    fn a_hostile_page_takes_time_in_proportion_to_its_length() {
        let page = Page::new("<p>a</p>").expect("an example");
        for unit in [
            "<a ",
            "<a>",
            "a=b ",
            "&",
            "&#",
            "<!--",
            "<![CDATA[",
            "</",
            "<script>",
        ] {
            let body = format!("<p>{}", unit.repeat(MOST_BYTES / unit.len() - 1));
            assert!(page.fault(body.as_bytes()).is_some(), "{unit}");
        }
        let attributes: Vec<_> = (0..100_000).map(|number| format!("a{number}=1")).collect();
        let body = format!("<p {}>", attributes.join(" "));
        assert!(page.fault(body.as_bytes()).is_some());
    }
}
