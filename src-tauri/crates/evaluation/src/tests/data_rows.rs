//! Tests how the rows, columns, ids and line numbers of data sets are read.

use serde_json::{Value, json};

use crate::data::{self, Columns, DataError, DataSet, DataType, Format, InputColumn};

fn input(name: &str) -> InputColumn {
    InputColumn {
        name: name.to_owned(),
        required: true,
        ..InputColumn::default()
    }
}

fn typed(name: &str, data_type: DataType) -> InputColumn {
    InputColumn {
        data_type,
        ..input(name)
    }
}

fn wanting(inputs: impl IntoIterator<Item = InputColumn>) -> Columns {
    Columns {
        inputs: inputs.into_iter().collect(),
        ..Columns::default()
    }
}

fn read(text: impl AsRef<[u8]>, format: Format, columns: &Columns) -> Result<DataSet, DataError> {
    data::read(text.as_ref(), format, columns)
}

fn csv(text: impl AsRef<[u8]>, columns: &Columns) -> DataSet {
    read(text, Format::Csv, columns).unwrap()
}

fn rejected(data: &DataSet) -> Vec<(u32, Option<&str>, &str)> {
    let rows = data.rejected.iter();
    rows.map(|row| (row.line, row.column.as_deref(), row.message.as_str()))
        .collect()
}

#[test]
fn cells_are_parsed_for_the_types_of_inputs() {
    let columns = wanting([
        typed("n", DataType::Number),
        typed("b", DataType::Boolean),
        typed("j", DataType::Json),
        typed("t", DataType::Text),
    ]);
    let text = "n,b,j,t\n1,yes,\"[1, {\"\"a\"\": null}]\",=1\n-0.5,FALSE,\"\"\"x\"\"\",\nnan,true,1,x\n1,maybe,1,x\n1,true,{a},x\n";
    let data = csv(text, &columns);
    let inputs: Vec<_> = data
        .cases
        .iter()
        .map(|case| Value::Object(case.inputs.clone()))
        .collect();
    assert_eq!(
        inputs,
        [
            json!({ "n": 1, "b": true, "j": [1, { "a": null }], "t": "=1" }),
            json!({ "n": -0.5, "b": false, "j": "x", "t": "" }),
        ]
    );
    assert_eq!(
        rejected(&data),
        [
            (
                4,
                Some("n"),
                "`nan` is not a number. Write a number such as 3 or 0.5, or change the data type of the input `n`."
            ),
            (
                5,
                Some("b"),
                "`maybe` is not true or false. Write true or false, or change the data type of the input `b`."
            ),
            (
                6,
                Some("j"),
                "`{a}` is not JSON: key must be a string, at character 2. Write JSON, with double quotes around text, or change the data type of the input `j`."
            ),
        ]
    );
}

#[test]
fn values_of_json_are_checked_too() {
    let columns = wanting([typed("n", DataType::Number), typed("t", DataType::Text)]);
    let text = "{\"n\":\"3\",\"t\":4}\n{\"n\":true,\"t\":\"x\"}\n{\"n\":1,\"t\":{}}\n{\"n\":null,\"t\":\"x\"}\n{\"t\":\"x\"}\n";
    let data = read(text, Format::Jsonl, &columns).unwrap();
    assert_eq!(json!(data.cases[0].inputs), json!({ "n": 3, "t": "4" }));
    assert_eq!(data.cases.len(), 1);
    let found = rejected(&data);
    assert_eq!(
        found[0].2,
        "`true` is not a number. Write a number such as 3 or 0.5, or change the data type of the input `n`."
    );
    assert_eq!(
        found[1].2,
        "An object is not text. Write text, or change the data type of the input `t`."
    );
    assert_eq!(
        found[2].2,
        "The row has no value in the column `n`, which the input `n` needs. Add it, or give the input a default."
    );
    assert_eq!(
        found[3],
        (
            5,
            Some("n"),
            "The row has no column `n`, which the input `n` needs. Add it, or give the input a default."
        )
    );
}

#[test]
fn an_input_with_a_default_may_have_no_value() {
    let mut with_default = typed("n", DataType::Number);
    with_default.has_default = true;
    let optional = InputColumn {
        required: false,
        ..input("o")
    };
    let data = csv("t,n\na,\n", &wanting([input("t"), with_default, optional]));
    assert_eq!(json!(data.cases[0].inputs), json!({ "t": "a" }));
}

#[test]
fn mapped_columns() {
    let mut columns = wanting([InputColumn {
        column: Some("text".into()),
        ..input("topic")
    }]);
    columns.id = Some("key".into());
    columns.expected = Some("answer".into());
    let data = csv("key,text,answer,expected\nk1,a,b,no\n,a,b,\n", &columns);
    let case = &data.cases[0];
    assert_eq!(
        (case.id.as_str(), &case.inputs["topic"], &case.expected),
        ("k1", &json!("a"), &Some(json!("b")))
    );
    assert_eq!(case.row.len(), 4);
    assert_eq!(
        rejected(&data),
        [(3, Some("key"), "The row has no id in `key`. Add one.")]
    );
}

#[test]
fn a_column_that_no_row_has_is_an_error() {
    let mapped = |column: &str| {
        wanting([InputColumn {
            column: Some(column.into()),
            required: false,
            ..input("topic")
        }])
    };
    let error = read("id,reference\n1,2\n", Format::Csv, &mapped("referense")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Line 1: The data set has no column `referense`, which fills the input `topic`. Its columns are `id` and `reference`. Did you mean `reference`? \
         Correct `data.inputs`, or rename the column."
    );
    assert_eq!(error.column.as_deref(), Some("referense"));
    let error = read(
        "[{\"a\": 1}, {\"b\": 1}]",
        Format::Json,
        &wanting([input("topic"), input("other")]),
    )
    .unwrap_err();
    assert_eq!(
        error.message,
        "The data set has no column `topic`, which fills the input `topic`. Its columns are `a` and `b`. \
         Rename a column, or name the one that fills the input: \"data\": { \"inputs\": { \"topic\": \"COLUMN\" } }."
    );
    for columns in [
        Columns {
            id: Some("x".into()),
            ..Columns::default()
        },
        Columns {
            expected: Some("x".into()),
            ..Columns::default()
        },
    ] {
        let error = read("{\"a\":1}", Format::Jsonl, &columns).unwrap_err();
        assert!(error.message.contains("no column `x`"), "{error}");
    }
}

#[test]
fn the_column_of_an_input_is_not_what_is_expected() {
    let data = csv("target,ideal\na,b\n", &wanting([input("target")]));
    assert_eq!(data.cases[0].expected, Some(json!("b")));
    let data = csv("expected,target\n,b\n", &Columns::default());
    assert_eq!(data.cases[0].expected, Some(json!("b")));
}

#[test]
fn ids_are_hashes_and_equal_rows_are_repeats() {
    let data = read(
        "{\"a\":1,\"b\":2}\n{\"b\":2,\"a\":1}\n{\"a\":2}\n{\"a\":1,\"b\":2}\n",
        Format::Jsonl,
        &Columns::default(),
    )
    .unwrap();
    // The id is the first 16 digits of `echo -n '{"a":1,"b":2}' | b3sum`.
    let first = &blake3::hash(b"{\"a\":1,\"b\":2}").to_hex()[..16];
    let ids: Vec<_> = data.cases.iter().map(|case| case.id.clone()).collect();
    assert_eq!(ids[0], first);
    assert_eq!(ids[1], format!("{first}#2"));
    assert_eq!(ids[3], format!("{first}#3"));
    assert_eq!(
        data.notes,
        [
            "A row repeats an earlier row (2 times, first in line 2). It runs as a separate case, whose id ends in `#` and a number."
        ]
    );
}

#[test]
fn an_id_that_is_taken_rejects_the_row() {
    let data = csv("id,t\n1,a\n2,b\n1,c\n", &Columns::default());
    assert_eq!(data.cases.len(), 2);
    assert_eq!(
        rejected(&data),
        [(
            4,
            Some("id"),
            "The id `1` of line 4 is already used by line 2. Give each case its own id."
        )]
    );
}

#[test]
fn rows_that_are_no_rows_are_rejected_and_the_others_are_read() {
    let mut text = b"a,b\n1,2\n1\n1,2,3\n".to_vec();
    text.extend(b"x,\xff\n\n , \nlast,row\n");
    let data = csv(&text, &Columns::default());
    assert_eq!(
        data.cases.iter().map(|case| case.line).collect::<Vec<_>>(),
        [2, 8]
    );
    assert_eq!(
        rejected(&data),
        [
            (
                3,
                None,
                "The row has 1 cell and the header has 2. Add the missing cells."
            ),
            (
                4,
                None,
                "The row has 3 cells and the header has 2. Put cells that contain commas in double quotes."
            ),
            (
                5,
                Some("b"),
                "Byte 1 of the cell is not UTF-8. Save the file in UTF-8."
            ),
        ]
    );
    let mut text = b"{\"a\":\"x\"}\n{\"a\":\"\xe9\"}\n{\"a\":1,\"a\":2}\n[1]\nno\n".to_vec();
    text.extend(b"\r\n{\"a\":{\"b\":1,\"b\":2}}\n{\"a\":3}");
    let data = read(&text, Format::Jsonl, &Columns::default()).unwrap();
    assert_eq!(
        data.cases.iter().map(|case| case.line).collect::<Vec<_>>(),
        [1, 8]
    );
    let found = rejected(&data);
    assert_eq!(
        found[0],
        (
            2,
            None,
            "Byte 7 of the row is not UTF-8. Save the file in UTF-8."
        )
    );
    assert!(
        found[1]
            .2
            .starts_with("The line is not a valid row: the key `a` appears twice in an object"),
        "{found:?}"
    );
    assert_eq!(
        found.iter().map(|row| row.0).collect::<Vec<_>>(),
        [2, 3, 4, 5, 7]
    );
}

#[test]
fn items_of_a_list_are_numbered() {
    let mut text = b"\n[\n {\"a\": \"],}\\\"\"},\n 7,\n {\"a\": 1, \"a\": 2},\n {\"a\": \"\xff\"},\n {\"a\": [[]]}\n]\n".to_vec();
    let data = read(&text, Format::Json, &Columns::default()).unwrap();
    assert_eq!(
        data.cases.iter().map(|case| case.line).collect::<Vec<_>>(),
        [1, 5]
    );
    assert_eq!(
        rejected(&data)[0].2,
        "Item 2 (line 4) is not an object. Write an object such as {\"topic\": \"…\"}."
    );
    assert_eq!(
        data.rejected.iter().map(|row| row.line).collect::<Vec<_>>(),
        [2, 3, 4]
    );
    text.extend(b"x");
    let error = read(&text, Format::Json, &Columns::default()).unwrap_err();
    assert_eq!(error.line, Some(9));
    for (text, line, words) in [
        ("[{\"a\":1},\n{\"a\":\n", 3, "item 2, on line 2"),
        ("[{\"a\":1},\n]", 2, "comma"),
        (
            "[{\"a\":1},\n\n{\"a\"\n:x}]",
            4,
            "Item 2 is not valid JSON: expected value",
        ),
        ("{\"a\":\n1", 2, "not valid JSON"),
        ("{\"a\": 1}", 0, "no list of cases"),
        ("{\"tests\": \"file://x.csv\"}", 0, "`file://x.csv`"),
    ] {
        let error = read(text, Format::Json, &Columns::default()).unwrap_err();
        assert_eq!(error.line.unwrap_or(0), line, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
}

#[test]
fn what_ends_reading() {
    for (format, text, line, words) in [
        (Format::Csv, "", 0, "empty"),
        (Format::Csv, "\u{feff} \r\n", 0, "empty"),
        (Format::Csv, "a,b\n", 0, "no rows"),
        (
            Format::Csv,
            "a,b, a\n1,2,3\n",
            1,
            "Columns 1 and 3 are both called `a`",
        ),
        (Format::Csv, "a,b\n\n1,\"2\n3,4\n5,6\n", 3, "double quote"),
        (Format::Jsonl, "{\n\"a\": 1\n}\n", 0, "rename it to .json"),
        (Format::Json, "[]", 0, "no rows"),
        (Format::Yaml, "- a: 1\n- b: [\n", 2, "not valid YAML"),
        (Format::Yaml, "a: 1\na: 2\n", 2, "not valid YAML"),
        (Format::Yaml, "text", 0, "no list of cases"),
    ] {
        let error = read(text, format, &Columns::default()).unwrap_err();
        assert!(error.message.contains(words), "{text:?}: {error}");
        if format != Format::Yaml || line == 0 {
            assert_eq!(error.line.unwrap_or(0), line, "{text:?}: {error}");
        } else {
            assert!(error.line.is_some());
        }
    }
}

#[test]
fn semicolons_and_tabs() {
    let data = csv("a;b\n1;\"x;y\"\n", &Columns::default());
    assert_eq!(data.cases[0].row["b"], "x;y");
    assert_eq!(data.notes.len(), 1);
    let data = read("a\tb\n1\tx,y\n", Format::Tsv, &Columns::default()).unwrap();
    assert_eq!(data.cases[0].row["b"], "x,y");
}

#[test]
fn yaml_lists_of_rows() {
    let data = read(
        "- topic: tea\n  n: 3\n- topic: yes\n  n: null\n",
        Format::Yaml,
        &wanting([input("topic")]),
    )
    .unwrap();
    assert_eq!(data.cases[1].inputs["topic"], "yes");
    assert_eq!(data.cases[0].row["n"], 3);
    assert_eq!(data.cases[1].line, 2);
}

#[test]
fn a_table_has_a_bounded_number_of_columns() {
    let wide = |columns: usize| {
        let names: Vec<String> = (0..columns).map(|n| format!("c{n}")).collect();
        let cells = vec!["1"; columns];
        format!("{}\n{}\n", names.join(","), cells.join(","))
    };
    let data = csv(wide(10_000), &wanting([input("c7")]));
    assert_eq!((data.columns.len(), data.cases.len()), (10_000, 1));
    for format in [Format::Csv, Format::Tsv] {
        let text = wide(60_000);
        let text = match format {
            Format::Tsv => text.replace(',', "\t"),
            _ => text,
        };
        let error = read(text, format, &wanting([input("c7")])).unwrap_err();
        assert!(error.to_string().contains("60000 columns"), "{error}");
    }
    let error = read("a,b,a\n1,2,3\n", Format::Csv, &wanting([input("a")])).unwrap_err();
    assert!(error.to_string().contains("Columns 1 and 3"), "{error}");
}
