//! HTML that is equal, however it is written: the same tags, attributes and texts, in the same order.
//!
//! Tokens are those of the HTML standard (§13.2.5), which reads any bytes. No tree is made, and of a body only one part is
//! kept.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt::Write;
use std::iter::Fuse;
use std::mem::take;

use html5gum::{DefaultEmitter, HtmlString, StartTag, StringReader, Token, Tokenizer};

use crate::MOST_BYTES;
use crate::sent::{Names, SentText};
use crate::words::short;

/// The parts of a page, in their order.
#[derive(Debug)]
pub struct Page(Vec<Right>);

/// A part of the right page.
#[derive(Debug)]
enum Right {
    Fixed(Part),
    /// A text with values that were sent.
    Text(SentText),
    /// A tag with such values in these attributes.
    Start(StartTag<()>, Vec<(HtmlString, SentText)>),
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
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
    pub fn new(example: &str, names: &mut Names) -> Result<Self, String> {
        let length = example.len();
        if length > MOST_BYTES {
            return Err(format!(
                "an HTML example of {length} bytes: expected at most {MOST_BYTES}"
            ));
        }
        let parts = Parts::of(example.as_bytes());
        let parts: Vec<_> = parts.map(|part| Right::new(part, names)).collect();
        if parts.is_empty() {
            return Err("an HTML example without a tag or text: expected some".into());
        }
        Ok(Self(parts))
    }

    /// The fault of a body to a request with these values; `None`: it is equal.
    pub fn fault(&self, body: &[u8], values: &[String]) -> Option<String> {
        let mut parts = Parts::of(body);
        let mut last = None;
        for right in self.0.iter().map(Some).chain([None]) {
            let found = parts.next();
            let is_right = match (right, &found) {
                (Some(right), Some(found)) => *right.part(|text| text.with(values)) == *found,
                (None, None) => true,
                _ => false,
            };
            if !is_right {
                let words = |right: &Right| right.part(|text| text.shown(values)).words();
                return Some(difference(
                    last.map(words),
                    right.map(words),
                    found.as_ref(),
                ));
            }
            last = right;
        }
        None
    }
}

impl Right {
    fn new(part: Part, names: &mut Names) -> Self {
        let mut sent = |text: &[u8]| {
            let as_it_is = |text: &str| Ok::<_, Infallible>(text.to_owned());
            SentText::new(&String::from_utf8_lossy(text), names, as_it_is)
                .ok()
                .flatten()
        };
        match part {
            Part::Text(text) => sent(&text).map_or(Self::Fixed(Part::Text(text)), Self::Text),
            Part::Start(tag) => {
                let attributes = tag.attributes.iter();
                let with_values: Vec<_> = attributes
                    .filter_map(|(name, value)| Some((name.clone(), sent(value)?)))
                    .collect();
                if with_values.is_empty() {
                    Self::Fixed(Part::Start(tag))
                } else {
                    Self::Start(tag, with_values)
                }
            }
            part => Self::Fixed(part),
        }
    }

    /// The part with its values.
    fn part<'a>(&'a self, with_values: impl Fn(&'a SentText) -> Cow<'a, str>) -> Cow<'a, Part> {
        match self {
            Self::Fixed(part) => Cow::Borrowed(part),
            Self::Text(text) => {
                let mut right = Vec::new();
                add(&mut right, &mut false, with_values(text).as_bytes());
                Cow::Owned(Part::Text(right))
            }
            Self::Start(tag, attributes) => {
                let mut tag = tag.clone();
                for (name, value) in attributes {
                    let value = with_values(value).into_owned().into_bytes();
                    tag.attributes
                        .insert(name.clone(), HtmlString(value).into());
                }
                Cow::Owned(Part::Start(tag))
            }
        }
    }
}

/// `behind the tag <td>: expected the text "1", found the text "2"`.
fn difference(last: Option<String>, right: Option<String>, found: Option<&Part>) -> String {
    let place = last.map_or("at the beginning".into(), |last| format!("behind {last}"));
    let end = || "the end".to_owned();
    let right = right.unwrap_or_else(end);
    let found = found.map_or_else(end, Part::words);
    format!("{place}: expected {right}, found {found}")
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
    use crate::sent::Name;

    const FORTUNES: &str = "<!DOCTYPE html><html><body><table class=list id=one>
        <tr><td>1</td><td>A &lt;b&gt; &amp; &quot;c&quot;</td></tr></table><br></body></html>";

    fn read(example: &str) -> Result<Page, String> {
        Page::new(example, &mut Names::new(&[]))
    }

    fn fault(example: &str, body: &str) -> String {
        let page = read(example).expect("an example");
        page.fault(body.as_bytes(), &[]).unwrap_or_default()
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
    fn values_that_were_sent_stand_in_texts_and_attributes() {
        let name = |text, is_secret| Name { text, is_secret };
        let known = [
            name("other", false),
            name("id", false),
            name("user.name", true),
        ];
        let mut names = Names::new(&known);
        let example =
            "<a href='/items/{id}'>Item {id} of {user.name} ({{id}}, {none}, {{none}})</a>";
        let page = Page::new(example, &mut names).expect("an example");
        assert_eq!(names.into_used(), [1, 2]);
        let values = ["7".to_owned(), "A &  B".to_owned()];
        let body = "<a href=/items/7> Item 7 of A &amp; B ({id}, {none}, {{none}})</a>";
        assert_eq!(page.fault(body.as_bytes(), &values), None);
        for (from, said) in [
            (
                "/items/7",
                "the tag <a href=\"/items/7\">, found the tag <a href=\"/items/8\">",
            ),
            ("Item 7", "the text \"Item 7 of {user.name} ("),
        ] {
            let body = body.replacen(from, &from.replace('7', "8"), 1);
            let fault = page.fault(body.as_bytes(), &values).unwrap_or_default();
            assert!(fault.contains(said), "{fault}");
        }
    }

    #[test]
    fn a_script_is_text_and_any_bytes_are_read() {
        assert_eq!(
            fault("<script>a < b</script>", "<script>a   < b</script>"),
            ""
        );
        let page = read("<p>a").expect("an example");
        let found = page
            .fault(b"<p>\xff\x00\x1b[31m<", &[])
            .expect("another text");
        assert!(found.is_ascii() || !found.contains('\u{1b}'), "{found}");
        assert!(read(" <!-- --> ").is_err());
    }

    #[test]
    fn a_hostile_page_takes_time_in_proportion_to_its_length() {
        let page = read("<p>a</p>").expect("an example");
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
            assert!(page.fault(body.as_bytes(), &[]).is_some(), "{unit}");
        }
        let attributes: Vec<_> = (0..100_000).map(|number| format!("a{number}=1")).collect();
        let body = format!("<p {}>", attributes.join(" "));
        assert!(page.fault(body.as_bytes(), &[]).is_some());
    }
}
