//! Pages, and their replies, built once at startup.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::ReferenceError;
use crate::reply::block;
use crate::reply::echo;
use crate::reply::head::{Size, head};
use crate::reply::whole::WholeReply;
use crate::request::form::Persistence;

/// The content served at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub path: String,
    pub content_type: String,
    pub body: Vec<u8>,
}

impl Page {
    pub fn new(path: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.to_owned(),
            content_type: content_type.to_owned(),
            body: body.into(),
        }
    }
}

/// Prefix of the paths that the server uses itself, besides `/echo`.
pub(crate) const CONTROL: &str = "/control/";

/// A page with its complete replies: one for each [`Persistence`], and the head in HTTP/2.
pub(crate) struct PreparedPage {
    pub(crate) content_type: String,
    replies: [Arc<WholeReply>; 3],
    /// The head in HTTP/2.
    pub(crate) block: Vec<u8>,
}

impl PreparedPage {
    fn new(page: &Page) -> Self {
        let whole = |persistence| {
            let size = Size::Length(page.body.len() as u64);
            let head = head(200, &page.content_type, size, persistence);
            Arc::new(WholeReply::new(head, &page.body))
        };
        Self {
            content_type: page.content_type.clone(),
            replies: Persistence::ALL.map(whole),
            block: block::head(200, &page.content_type, Some(page.body.len() as u64)),
        }
    }

    pub(crate) fn reply(&self, persistence: Persistence) -> &Arc<WholeReply> {
        &self.replies[persistence as usize]
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.whole().body()
    }

    /// A reply whose body is that of all.
    pub(crate) fn whole(&self) -> &Arc<WholeReply> {
        &self.replies[0]
    }
}

/// All pages, by path.
pub(crate) struct Site(HashMap<Vec<u8>, PreparedPage>);

impl Site {
    pub(crate) fn new(pages: Vec<Page>) -> Result<Self, ReferenceError> {
        let mut site = HashMap::new();
        for page in pages {
            check(&page)?;
            let prepared = PreparedPage::new(&page);
            if site
                .insert(page.path.clone().into_bytes(), prepared)
                .is_some()
            {
                return Err(ReferenceError::PageTwice(page.path));
            }
        }
        Ok(Self(site))
    }

    pub(crate) fn find(&self, path: &[u8]) -> Option<&PreparedPage> {
        self.0.get(path)
    }
}

fn check(page: &Page) -> Result<(), ReferenceError> {
    let path = &page.path;
    let is_clean = path
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && !b"?#".contains(&byte));
    if !path.starts_with('/') || !is_clean {
        return Err(ReferenceError::PagePath(path.clone()));
    }
    if path.as_bytes() == echo::PATH || path.starts_with(CONTROL) {
        return Err(ReferenceError::PageReserved(path.clone()));
    }
    if !page
        .content_type
        .bytes()
        .all(|byte| byte == b' ' || byte.is_ascii_graphic())
    {
        let content_type = page.content_type.clone();
        return Err(ReferenceError::ContentType(path.clone(), content_type));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(pages: Vec<Page>) -> String {
        Site::new(pages)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn a_page_that_cannot_be_served_is_refused_at_the_start() {
        let page = |path| Page::new(path, "text/plain", "x");
        assert!(refused(vec![page("pong")]).contains("cannot serve page `pong`"));
        assert!(refused(vec![page("/a?b")]).contains("cannot serve page `/a?b`"));
        assert!(refused(vec![page("/echo")]).contains("uses this path itself"));
        assert!(refused(vec![page("/control/x")]).contains("uses this path itself"));
        assert!(refused(vec![page("/a"), page("/a")]).contains("`/a` is given twice"));
        assert!(refused(vec![Page::new("/a", "text\r\nX: y", "")]).contains("content type"));
        assert_eq!(refused(vec![page("/a"), page("/b")]), "");
    }
}
