//! Tests that the schema accepts the bundled evaluations and rejects what the program rejects.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{check, file::schema};

#[test]
fn the_bundled_evaluations_fit_the_schema_and_have_no_problems() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../templates/evaluations");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().ends_with(".eval.json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
        let evaluation = check::read(&text).unwrap();
        assert_eq!(check::evaluation(&evaluation), [], "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 2);
}

#[test]
fn what_the_program_refuses_does_not_fit() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let good = json!({
        "schemaVersion": 1, "name": "a", "flow": "a.flow.json", "data": { "file": "a.csv" },
        "scorers": [{ "name": "s", "type": "regex", "pattern": "x" }]
    });
    assert!(validator.is_valid(&good));
    for (field, value) in [
        ("scorers", json!([{ "name": "s", "type": "regex" }])),
        ("scorers", json!([{ "name": "s", "type": "nothing" }])),
        ("concurrency", json!("many")),
        ("varients", json!([])),
        ("data", json!({ "path": "a.csv" })),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        assert!(!validator.is_valid(&bad), "{bad}");
        assert!(check::read(&bad.to_string()).is_err(), "{bad}");
    }
}
