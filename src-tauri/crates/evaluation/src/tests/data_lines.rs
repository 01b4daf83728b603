//! Tests the line numbers and the size limits of rows.

use std::io::BufReader;

use proptest::prelude::*;
use serde_json::Value;

use crate::data::{self, Columns, Format, MAX_ROW_BYTES};

#[test]
#[ignore = "takes seconds"]
fn a_row_above_the_limit_is_an_error() {
    let long = "x".repeat(MAX_ROW_BYTES + 10);
    for (format, text, line) in [
        (Format::Csv, format!("a\n1\n{long}\n"), 3),
        (Format::Csv, format!("a\n1\n\n\"{long}\n"), 4),
        (
            Format::Jsonl,
            format!("{{\"a\":1}}\n{{\"a\":\"{long}\"}}\n"),
            2,
        ),
        (
            Format::Json,
            format!("[{{\"a\":1}},\n{{\"a\":\"{long}\"}}]"),
            2,
        ),
    ] {
        let error = data::read(text.as_bytes(), format, &Columns::default()).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.message.contains("16 MB"), "{error}");
    }
    let most = "x".repeat(MAX_ROW_BYTES - 10);
    let data = data::read(
        format!("a\n{most}\n").as_bytes(),
        Format::Csv,
        &Columns::default(),
    );
    assert_eq!(data.unwrap().cases.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Everything that the `csv` crate writes is read back unchanged, with the number of each row's first line.
    #[test]
    fn written_rows_are_read_back(
        rows in prop::collection::vec(prop::array::uniform3("[a-z,;\"'\n\r\té ]{0,8}"), 1..20),
        crlf in any::<bool>(),
        quoted in any::<bool>(),
        capacity in 1_usize..40,
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let mut writer = csv::WriterBuilder::new();
        if crlf {
            writer.terminator(csv::Terminator::CRLF);
        }
        if quoted {
            writer.quote_style(csv::QuoteStyle::Always);
        }
        let mut expected = Vec::new();
        let mut text = format!("one,two,three{end}").into_bytes();
        for row in &rows {
            // Lines are counted as in an editor: each of "\r\n", "\n" and "\r" ends one line.
            let before = String::from_utf8(text.clone()).unwrap().replace("\r\n", "\n").replace('\r', "\n");
            let line = before.matches('\n').count() + 1;
            // Blank rows are skipped.
            if row.iter().any(|cell| !cell.as_bytes().trim_ascii().is_empty()) {
                expected.push((line, row.clone()));
            }
            let mut one = writer.from_writer(Vec::new());
            one.write_record(row).unwrap();
            text.extend(one.into_inner().unwrap());
        }
        let read = data::read(BufReader::with_capacity(capacity, &text[..]), Format::Csv, &Columns::default());
        if expected.is_empty() {
            prop_assert!(read.is_err());
            return Ok(());
        }
        let data = read.unwrap();
        prop_assert!(data.rejected.is_empty());
        let found: Vec<_> = data.cases.iter().map(|case| {
            let cell = |name: &str| case.row.get(name).and_then(Value::as_str).unwrap().to_owned();
            (case.line as usize, [cell("one"), cell("two"), cell("three")])
        }).collect();
        prop_assert_eq!(found, expected);
    }

    /// A JSON list in any layout is split into the items that `serde_json` reads, with any buffer size.
    #[test]
    fn lists_have_the_items_that_they_have(
        items in prop::collection::vec(prop::collection::btree_map("[a-c\"\\\\]{1,3}", "[\\[\\]{},:\"\\\\é\n ]{0,6}", 1..3), 1..8),
        pretty in any::<bool>(),
        capacity in 1_usize..40,
    ) {
        let text = if pretty { serde_json::to_string_pretty(&items) } else { serde_json::to_string(&items) };
        let text = text.unwrap();
        let reader = BufReader::with_capacity(capacity, text.as_bytes());
        let data = data::read(reader, Format::Json, &Columns::default()).unwrap();
        let rows: Vec<Value> = data.cases.iter().map(|case| Value::Object(case.row.clone())).collect();
        prop_assert_eq!(Value::Array(rows), serde_json::from_str::<Value>(&text).unwrap());
        let numbers: Vec<usize> = data.cases.iter().map(|case| case.line as usize).collect();
        prop_assert_eq!(numbers, (1..=items.len()).collect::<Vec<_>>());
    }

    /// No input causes a panic, and every case has a unique id.
    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in prop::collection::vec(prop_oneof![Just(b'{'), Just(b'}'), Just(b'['), Just(b']'), Just(b'"'), Just(b','), Just(b':'), Just(b'\n'), Just(b'\r'), Just(b'-'), Just(b' '), Just(b'a'), Just(b'1'), any::<u8>()], 0..60),
    ) {
        for format in [Format::Jsonl, Format::Json, Format::Csv, Format::Tsv, Format::Yaml] {
            let _ = Format::of_path("", &bytes);
            if let Ok(data) = data::read(&bytes[..], format, &Columns::default()) {
                let ids: std::collections::HashSet<_> = data.cases.iter().map(|case| &case.id).collect();
                prop_assert_eq!(ids.len(), data.cases.len());
            }
        }
    }
}
