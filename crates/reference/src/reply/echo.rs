//! `/echo`, as specified by the posts of 2011: a query parameter in, XML out.

use crate::request::query;

pub(crate) const PATH: &[u8] = b"/echo";
pub(crate) const CONTENT_TYPE: &str = "text/xml";

/// The page for a query: its `value`, decoded and escaped for XML. Without `value`, the specified error.
pub(crate) fn render(query: &[u8]) -> Vec<u8> {
    let value = query::pairs(query).find(|(name, _)| *name == b"value");
    let Some((_, value)) = value else {
        return b"<http_test><error>no value specified</error></http_test>".to_vec();
    };
    let mut page = b"<http_test><value>".to_vec();
    for byte in query::decode(value, true) {
        match byte {
            b'&' => page.extend_from_slice(b"&amp;"),
            b'<' => page.extend_from_slice(b"&lt;"),
            b'>' => page.extend_from_slice(b"&gt;"),
            other => page.push(other),
        }
    }
    page.extend_from_slice(b"</value></http_test>");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_decoded_and_escaped() {
        for (query, inside) in [
            ("value=httpdyno", "<value>httpdyno</value>"),
            ("value=", "<value></value>"),
            ("value=a%20b+c", "<value>a b c</value>"),
            ("value=%26%3C%3E", "<value>&amp;&lt;&gt;</value>"),
            ("other=1&value=last", "<value>last</value>"),
            ("", "<error>no value specified</error>"),
            ("values=1", "<error>no value specified</error>"),
        ] {
            let expected = format!("<http_test>{inside}</http_test>");
            assert_eq!(
                String::from_utf8(render(query.as_bytes())).unwrap(),
                expected,
                "{query}"
            );
        }
    }
}
