use std::io::{BufReader, Cursor, Read};

use proptest::prelude::*;
use serde_json::json;

use super::*;

type Rows = Vec<Vec<String>>;
type Found = Result<(Vec<String>, Rows), String>;

fn found(table: Result<Table, String>) -> Found {
    let table = table?;
    let row = |row| {
        let columns = 0..table.columns.len() as u32;
        let text = |column| String::from_utf8(table.value(row, column).to_vec()).unwrap();
        columns.map(text).collect()
    };
    let rows = (0..table.rows()).map(row).collect();
    Ok((table.columns, rows))
}

/// Reads CSV through a buffer of this size.
fn csv(text: &[u8], buffer: usize) -> Found {
    let input = BufReader::with_capacity(buffer, Cursor::new(text));
    found(csv::read(input, u64::MAX))
}

fn json(text: &str) -> Found {
    found(lines::read(Cursor::new(text), u64::MAX))
}

fn strings(row: &[&str]) -> Vec<String> {
    row.iter().map(|&text| text.to_owned()).collect()
}

/// A file with this content that is gone when the value is.
struct Written(PathBuf);

impl Written {
    fn new(name: &str, content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("httpdyno-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        Self(path)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn plan(files: &serde_json::Value, sessions: bool) -> Plan {
    let load = if sessions {
        json!({"kind": "sessions", "arrivals": null})
    } else {
        json!({"kind": "closed", "connections": 1})
    };
    serde_json::from_value(json!({
        "target": {"host": "h"},
        "requests": [],
        "data": files,
        "load": load,
        "stop": {"count": 1},
    }))
    .unwrap()
}

fn value(data: &Data, name: usize, request: u32, number: u64) -> String {
    let mut out = Vec::new();
    data.write(name, Place::Plain, request, number, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn csv_has_quotes_line_ends_of_both_kinds_and_blank_lines() {
    let text = "\u{feff}email, password \r\na@x,\"p,\"\"q\"\"\nr\"\r\n\nb@x,\n,\"\"\nc@x,é";
    let expected = [["a@x", "p,\"q\"\nr"], ["b@x", ""], ["", ""], ["c@x", "é"]];
    let expected: Rows = expected.iter().map(|row| strings(row)).collect();
    for buffer in [3, 4, 7, 1000] {
        let (columns, rows) = csv(text.as_bytes(), buffer).unwrap();
        assert_eq!(columns, ["email", "password"]);
        assert_eq!(rows, expected);
    }
}

#[test]
fn faults_of_csv_have_their_line() {
    for (text, fault) in [
        (
            &b"a,b\n1,2\r\n\r\n3\n"[..],
            "line 4: 1 value, but 2 columns: expected one for each",
        ),
        (
            b"a,b\n\"\n\",2\n1,2,3",
            "line 4: 3 values, but 2 columns: expected one for each",
        ),
        (b"a\n\"1\n2\n3\n", "line 2: a quote is not closed"),
        (b"a\n\"", "line 2: a quote is not closed"),
        (b"a\nx\n\xff\n", "line 3: expected text in UTF-8"),
        (
            b"a,\"\",a\n",
            "line 1: two columns have the name `a`: expected one",
        ),
    ] {
        for buffer in [3, 1000] {
            assert_eq!(csv(text, buffer), Err(fault.into()));
        }
    }
}

#[test]
fn lines_of_json_have_the_keys_of_the_first() {
    let text =
        "\u{feff}{\"n\": 7, \"s\": \"a\\\"é\"}\n\n{\"s\": null, \"n\": [1, {}], \"more\": 1}\r\n";
    let (columns, rows) = json(text).unwrap();
    assert_eq!(columns, ["n", "s"]);
    assert_eq!(rows, [strings(&["7", "a\"é"]), strings(&["[1,{}]", ""])]);
    let no_object = r#"expected an object in JSON, such as {"email": "a@example.com"}"#;
    for (text, fault) in [
        (
            "{\"a\": 1}\n{\"b\": 1}",
            "line 2: expected the key `a`, as on the first line",
        ),
        ("[]", &format!("line 1: {no_object}")),
        (&"{\"a\":".repeat(100_000), &format!("line 1: {no_object}")),
        ("{}", "line 1: expected an object with at least one key"),
    ] {
        assert_eq!(json(text), Err(fault.into()));
    }
}

/// An endless input, which counts what was read.
struct Endless(u64);

impl Read for &mut Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        buffer.fill(b'x');
        self.0 += buffer.len() as u64;
        Ok(buffer.len())
    }
}

#[test]
fn a_line_without_an_end_is_refused_after_a_mebibyte() {
    let mut input = Endless(0);
    assert!(csv::read(BufReader::new(&mut input), u64::MAX).is_err());
    assert!(lines::read(BufReader::new(&mut input), u64::MAX).is_err());
    assert!(input.0 < 3 << 20, "{}", input.0);
}

#[test]
fn what_is_no_data_file_is_one_error_that_names_it() {
    let folder = std::env::temp_dir();
    let empty = Written::new("empty.csv", b"\n\n");
    let header = Written::new("header.csv", b"a,b\n");
    for (path, fault) in [
        (folder.as_path(), "is no regular file"),
        (Path::new("/dev/zero"), "is no regular file"),
        (Path::new("/nowhere.csv"), "cannot be read: No such file"),
        (&empty.0, "is empty: expected the names of columns"),
        (&header.0, "has no row below"),
    ] {
        let said = columns_of(path).unwrap_err();
        let named = said.starts_with(&format!("`{}`", path.display()));
        assert!(named && said.contains(fault), "{said}");
    }
}

#[test]
fn rows_are_taken_in_order_or_drawn_and_all_values_of_a_call_are_of_one_row() {
    let rows: Vec<String> = (0..100).map(|row| format!("{row},p{row}")).collect();
    let file = Written::new("rows.csv", format!("id,p\n{}", rows.join("\n")).as_bytes());
    let files = |order: &str| json!([{"name": "users", "file": file.0, "order": order}]);
    let data = Data::read(&plan(&files("in_order"), false), u64::MAX).unwrap();
    assert_eq!(data.names(), ["users.id", "users.p"]);
    assert_eq!(
        [0, 99, 100, 250].map(|call| value(&data, 0, 0, call)),
        ["0", "99", "0", "50"]
    );
    let drawn = Data::read(&plan(&files("random"), false), u64::MAX).unwrap();
    let ids: Vec<String> = (0..1000).map(|call| value(&drawn, 0, 3, call)).collect();
    let all: std::collections::BTreeSet<_> = ids.iter().collect();
    assert!(all.len() > 95);
    for (call, id) in (0..).zip(&ids) {
        assert_eq!(value(&drawn, 1, 3, call), format!("p{id}"));
    }
    assert!((0..1000).any(|call| value(&drawn, 0, 4, call) != ids[call as usize]));
    // In sessions, the requests of a session have the row of its number.
    let drawn = Data::read(&plan(&files("random"), true), u64::MAX).unwrap();
    assert!((0..1000).all(|call| value(&drawn, 0, 4, call) == value(&drawn, 0, 3, call)));
}

#[test]
fn any_value_may_be_loaded_early() {
    for rows in [",", "1,", ",\n,\n1,22"] {
        let file = Written::new("early.csv", format!("a,b\n{rows}\n").as_bytes());
        let files = json!([{"name": "users", "file": file.0, "order": "random"}]);
        let data = Data::read(&plan(&files, false), u64::MAX).unwrap();
        for number in (0..100).chain([u64::MAX]) {
            data.prefetch(0, 0, number, 2);
            data.prefetch(1, 0, number, 2);
        }
    }
}

#[test]
fn a_value_that_does_not_fit_its_place_is_named_by_file_line_and_column() {
    let file = Written::new("places.csv", b"id,note\n1,a\n2,\"b\nsecret\"\nx,c\n");
    let files = json!([{"name": "users", "file": file.0}]);
    let data = Data::read(&plan(&files, false), u64::MAX).unwrap();
    let shown = file.0.display();
    assert_eq!(data.check(1, Place::Url), Ok(()));
    assert_eq!(
        data.check(1, Place::Header),
        Err(format!(
            "`{shown}`, line 3, column `note`: a header has no line break or control character"
        ))
    );
    let fault = data.check(0, Place::Json).unwrap_err();
    let begin = format!("`{shown}`, line 5, column `id`: it is not a JSON value");
    assert!(fault.starts_with(&begin), "{fault}");
}

#[test]
fn rows_that_are_used_once_belong_to_one_request_or_to_sessions() {
    let file = Written::new("once.csv", b"id\n1\n2\n");
    let files = json!([{"name": "users", "file": file.0, "order": "once"}]);
    let used = [vec![0, 0], vec![0]];
    let data = Data::read(&plan(&files, false), u64::MAX).unwrap();
    let once = data.once(&used[..1]).unwrap();
    assert_eq!((once.len(), once[0].request, once[0].rows), (1, Some(0), 2));
    let fault = data.once(&used).unwrap_err();
    assert!(
        fault.contains("several requests have values of it"),
        "{fault}"
    );
    let data = Data::read(&plan(&files, true), u64::MAX).unwrap();
    let once = data.once(&used).unwrap();
    assert_eq!((once.len(), once[0].request), (1, None));
}

#[test]
fn names_of_data_files_are_names_of_placeholders_and_differ() {
    let file = Written::new("names.csv", b"id\n1\n");
    let one = |name: &str| json!({"name": name, "file": file.0});
    for (files, fault) in [
        (json!([one("a-b")]), "the name of a data file is `a-b`"),
        (json!([one("")]), "the name of a data file is ``"),
        (
            json!([one("a"), one("a")]),
            "two data files have the name `a`",
        ),
        (
            json!((0..21).map(|n| one(&format!("a{n}"))).collect::<Vec<_>>()),
            "21 data files",
        ),
    ] {
        let said = Data::read(&plan(&files, false), 1).unwrap_err();
        assert!(said.len() == 1 && said[0].starts_with(fault), "{said:?}");
    }
}

proptest! {
    #[test]
    fn values_are_read_as_they_were_written(
        written in prop::collection::vec(prop::collection::vec("[a\",\r\né ]{0,5}", 3), 1..6),
        buffer in 3..20_usize,
    ) {
        let quoted = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
        let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",");
        let lines: Vec<String> = written.iter().map(line).collect();
        let text = format!("a,b,c\n{}", lines.join("\r\n"));
        prop_assert_eq!(csv(text.as_bytes(), buffer).unwrap().1, written);
    }

    #[test]
    fn any_bytes_are_a_table_or_a_fault(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let whole = csv(&bytes, 1000);
        prop_assert_eq!(csv(&bytes, 5), whole);
        let _ = json(&String::from_utf8_lossy(&bytes));
    }
}
