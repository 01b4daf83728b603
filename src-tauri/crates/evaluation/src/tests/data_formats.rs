//! Tests how data sets in the formats of other programs are read.

use std::io::BufReader;

use serde_json::{Value, json};

use crate::data::{self, Columns, DataSet, DataType, Format, InputColumn};

fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/data/");
    std::fs::read(format!("{folder}{name}")).unwrap()
}

fn text_inputs(names: &[&str]) -> Columns {
    Columns {
        inputs: names
            .iter()
            .map(|name| InputColumn {
                name: (*name).to_owned(),
                required: true,
                ..InputColumn::default()
            })
            .collect(),
        ..Columns::default()
    }
}

/// Reads through a buffer of three bytes, so that values cross buffer boundaries everywhere.
fn read(name: &str, columns: &Columns) -> DataSet {
    let bytes = fixture(name);
    let format = Format::of_path(name, &bytes).unwrap();
    let slow = data::read(BufReader::with_capacity(3, &bytes[..]), format, columns).unwrap();
    let fast = data::read(&bytes[..], format, columns).unwrap();
    assert_eq!(slow, fast);
    fast
}

fn inputs(data: &DataSet) -> Vec<Value> {
    let inputs = data
        .cases
        .iter()
        .map(|case| Value::Object(case.inputs.clone()));
    inputs.collect()
}

fn expected(data: &DataSet) -> Vec<Value> {
    let expected = data.cases.iter().map(|case| case.expected.clone());
    expected.map(Option::unwrap_or_default).collect()
}

#[test]
fn inspect_samples_fill_the_only_required_input() {
    let data = read("inspect.jsonl", &text_inputs(&["question"]));
    let ids: Vec<_> = data.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["sky", "2", "chat"]);
    assert_eq!(
        inputs(&data),
        [
            json!({ "question": "What colour is the sky?" }),
            json!({ "question": "2 + 2?" }),
            json!({ "question": "system: Be brief.\n\nuser: Who wrote Emma?" }),
        ]
    );
    assert_eq!(
        expected(&data),
        [json!("blue"), json!(["4", "four"]), json!("Austen")]
    );
    assert_eq!(
        data.columns,
        ["id", "input", "target", "metadata", "choices"]
    );
    assert_eq!(data.cases[0].row["metadata"], json!({ "level": 1 }));
    assert_eq!(
        data.notes,
        [
            "The column `input` fills the input `question`.",
            "An input contains several messages (line 3). They are joined into one string, each preceded by its role.",
        ]
    );
}

#[test]
fn inspect_csv() {
    let data = read("inspect.csv", &text_inputs(&["question"]));
    let seen: Vec<_> = data
        .cases
        .iter()
        .map(|case| (case.id.as_str(), case.line))
        .collect();
    assert_eq!(seen, [("sky", 2), ("sum", 4)]);
    assert_eq!(expected(&data), [json!("blue"), json!("4")]);
}

#[test]
fn a_json_input_gets_the_messages_themselves() {
    let mut columns = text_inputs(&["question"]);
    columns.inputs[0].data_type = DataType::Json;
    let data = read("openai_ideal.jsonl", &columns);
    assert_eq!(
        data.cases[1].inputs["question"],
        json!([{ "role": "user", "content": "3 + 3?" }])
    );
    assert_eq!(expected(&data), [json!("4"), json!(["6", "six"])]);
}

#[test]
fn openai_items_are_columns() {
    let data = read("openai.jsonl", &text_inputs(&["question"]));
    assert_eq!(
        inputs(&data),
        [
            json!({ "question": "2 + 2?" }),
            json!({ "question": "3 + 3?" })
        ]
    );
    assert_eq!(expected(&data), [json!("4"), json!("6")]);
    assert_eq!(data.cases[1].id, "six");
    // A flow that reads `item` gets the whole object.
    let mut columns = text_inputs(&["item"]);
    columns.inputs[0].data_type = DataType::Json;
    let data = read("openai.jsonl", &columns);
    assert_eq!(
        data.cases[0].inputs["item"],
        json!({ "question": "2 + 2?", "reference": "4" })
    );
}

#[test]
fn a_promptfoo_configuration() {
    let data = read("promptfoo.yaml", &text_inputs(&["country", "language"]));
    assert_eq!(
        inputs(&data),
        [
            json!({ "country": "France", "language": "English" }),
            json!({ "country": "Spain", "language": "German" }),
            json!({ "country": "Italy", "language": "German" }),
            json!({ "country": "007", "language": "English" }),
        ]
    );
    assert_eq!(
        expected(&data),
        [json!("Paris"), Value::Null, Value::Null, Value::Null]
    );
    assert_eq!(
        data.cases.iter().map(|case| case.line).collect::<Vec<_>>(),
        [1, 2, 2, 3]
    );
    assert_eq!(data.cases[0].row["description"], "France");
    assert_eq!(data.rejected.len(), 1);
    assert_eq!(data.rejected[0].line, 4);
    assert!(data.rejected[0].message.contains("`file://more.yaml`"));
    assert_eq!(
        data.notes,
        [
            "The assertion `latency` is not imported (3 times, first in item 1). Add a scorer that does the same check.",
            "The assertion `contains` is not imported (item 1). Add a `contains` scorer.",
            "The assertion `llm-rubric` is not imported (item 2). Add an `llm` scorer with a rubric.",
            "A test has lists in `vars` (item 2). Each combination of their items is a case, as in promptfoo.",
            "`threshold` has no effect here (item 3).",
            "An `equals` assertion contains a template and is not imported (item 3). Write the expected text.",
        ]
    );
}

#[test]
fn promptfoo_tests_as_json_and_jsonl() {
    let tests = r#"[{"vars":{"country":"France"},"assert":[{"type":"equals","value":"Paris"}]}]"#;
    let config = format!("{{\"prompts\": [], \"tests\": {tests}}}");
    let line = &tests[1..tests.len() - 1];
    for (format, text) in [
        (Format::Json, tests),
        (Format::Json, &config),
        (Format::Jsonl, line),
        (Format::Yaml, tests),
    ] {
        let data = data::read(text.as_bytes(), format, &text_inputs(&["country"])).unwrap();
        assert_eq!(inputs(&data), [json!({ "country": "France" })]);
        assert_eq!(expected(&data), [json!("Paris")]);
        assert!(data.notes.is_empty(), "{:?}", data.notes);
    }
}

#[test]
fn promptfoo_columns_of_csv() {
    let data = read("promptfoo.csv", &text_inputs(&["country"]));
    assert_eq!(
        expected(&data),
        [json!("Paris"), json!("Madrid"), Value::Null]
    );
    assert_eq!(
        data.notes,
        [
            "The assertion `contains` is not imported (line 2). Add a `contains` scorer.",
            "`__prefix` has no effect here (line 3).",
            "The assertion `similar` is not imported (line 4). Add a `similarity` scorer.",
        ]
    );
}

#[test]
fn excel_csv_with_a_byte_order_mark() {
    let data = read("quoted.csv", &text_inputs(&["topic"]));
    assert_eq!(data.columns, ["topic", "note"]);
    let seen: Vec<_> = data
        .cases
        .iter()
        .map(|case| (case.line, &case.row["topic"], &case.row["note"]))
        .collect();
    assert_eq!(
        seen,
        [
            (2, &json!("a"), &json!("says \"hi\"\r\nand goes")),
            (4, &json!("b\n\nb"), &json!("")),
            (7, &json!("c"), &json!("é, ü")),
            (8, &json!("d"), &json!(" ")),
        ]
    );
}

#[test]
fn the_format_by_name_and_content() {
    let lines = b"{\"a\":1}\n{\"a\":2}\n";
    for (name, head, expected) in [
        ("a.jsonl", &b"{\"a\":1}"[..], Format::Jsonl),
        ("folder.csv/a.NDJSON", b"{}", Format::Jsonl),
        ("a.jsonl", b"\xef\xbb\xbf [", Format::Json),
        ("a.json", lines, Format::Jsonl),
        ("a.json", b"{\"a\":1}", Format::Json),
        ("a.json", b"{\n\"tests\": []}", Format::Json),
        ("a.csv", b"x", Format::Csv),
        ("a.tsv", b"x", Format::Tsv),
        ("a.yml", b"- x", Format::Yaml),
        ("-", lines, Format::Jsonl),
        ("-", b"[1]", Format::Json),
        ("-", b"a\tb\n", Format::Tsv),
        ("-", b"a,b\n", Format::Csv),
        ("data", b"- vars:\n", Format::Yaml),
    ] {
        assert_eq!(Format::of_path(name, head).unwrap(), expected, "{name}");
    }
    for (name, head, word) in [
        ("a.xlsx", &b"PK\x03\x04"[..], "spreadsheet"),
        ("a.csv", b"\xff\xfea\0", "UTF-16"),
        ("a.jsonl.gz", b"\x1f\x8b", "compressed"),
        ("a.txt", b"hello", "`a.txt`"),
    ] {
        let error = Format::of_path(name, head).unwrap_err();
        assert!(error.message.contains(word), "{error}");
    }
}
