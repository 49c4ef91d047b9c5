//! The pages of the workloads.

use std::fmt::Write;

pub fn echo(value: Option<&str>) -> String {
    match value {
        Some(value) => format!("<http_test><value>{}</value></http_test>", escape(value)),
        None => "<http_test><error>no value specified</error></http_test>".to_owned(),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

pub fn bigtable() -> String {
    let mut page = String::from("<table>");
    for _ in 0..1000 {
        page.push_str("<tr>");
        for column in 1..=50 {
            let _ = write!(page, "<td>{column}</td>");
        }
        page.push_str("</tr>");
    }
    page.push_str("</table>");
    page
}
