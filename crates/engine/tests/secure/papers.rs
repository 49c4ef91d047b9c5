//! Certificates, made anew for each run of the tests by `openssl`, and the files they lie in.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The one authority of the tests and what it has signed, each as PEM in a file.
pub struct Papers {
    folder: PathBuf,
    /// The authority, which signed the others.
    pub authority: PathBuf,
    /// The server's certificate, for `localhost` and 127.0.0.1, and its key.
    pub server: (PathBuf, PathBuf),
    /// A client's.
    pub client: (PathBuf, PathBuf),
    /// One for `localhost` that has signed itself and is its own authority: what `openssl req -x509` makes.
    pub own: (PathBuf, PathBuf),
}

pub static PAPERS: LazyLock<Papers> = LazyLock::new(Papers::issue);

const LOCALHOST: &str = "subjectAltName=DNS:localhost,IP:127.0.0.1";
const NO_AUTHORITY: &str = "basicConstraints=critical,CA:FALSE";

impl Papers {
    fn issue() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(std::process::id().to_string());
        std::fs::create_dir_all(&folder).unwrap();
        let (authority, key) = issue(&folder, "authority", &[], None);
        let by = Some((authority.as_path(), key.as_path()));
        Self {
            server: issue(&folder, "server", &[LOCALHOST, NO_AUTHORITY], by),
            client: issue(&folder, "client", &[NO_AUTHORITY], by),
            own: issue(&folder, "own", &["subjectAltName=DNS:localhost"], None),
            authority,
            folder,
        }
    }

    /// A file with these bytes.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// A certificate with these extensions and its key; signed by another's, or by itself.
fn issue(
    folder: &Path,
    name: &str,
    extensions: &[&str],
    by: Option<(&Path, &Path)>,
) -> (PathBuf, PathBuf) {
    let certificate = folder.join(format!("{name}.pem"));
    let key = folder.join(format!("{name}-key.pem"));
    let mut openssl = Command::new("openssl");
    openssl
        .args(["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"])
        .args(["-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-subj", &format!("/CN={name}")])
        .arg("-out")
        .arg(&certificate)
        .arg("-keyout")
        .arg(&key);
    for extension in extensions {
        openssl.args(["-addext", extension]);
    }
    if let Some((authority, its_key)) = by {
        openssl.arg("-CA").arg(authority).arg("-CAkey").arg(its_key);
    }
    let made = openssl
        .output()
        .expect("these tests need the program `openssl`");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    (certificate, key)
}
