//! Tests the problems that are reported for evaluation files.

use serde_json::{Value, json};

use crate::{
    check::{self, Problem},
    file::Evaluation,
};

fn valid() -> Value {
    json!({
        "schemaVersion": 1,
        "name": "Refine quality",
        "flow": "self-refine.flow.json",
        "data": { "file": "cases.jsonl", "id": "id", "inputs": { "topic": "text" }, "expected": "reference" },
        "variants": [
            { "name": "cap 3", "set": { "refine.maxIterations": 3 } },
            { "name": "other critic", "flow": "b.flow.json" },
        ],
        "repetitions": 2,
        "scorers": [
            { "name": "clean", "type": "expression", "expression": "result | length > 0" },
            { "name": "judge", "type": "llm", "model": "m", "rubric": "How good?", "scale": [0, 10] },
        ],
        "perIteration": "refine",
        "primary": "judge",
        "budget": { "usd": 5.0 },
        "concurrency": 8,
        "sequential": { "range": [0, 10] },
        "assert": [{ "scorer": "judge", "mean": ">= 7.5" }, { "noWorseThan": "baseline", "margin": 0.2 }],
    })
}

/// Returns a valid file in which the value at a JSON pointer is replaced.
fn with(pointer: &str, value: Value) -> Evaluation {
    let mut file = valid();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = file.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        _ => parent[name] = value,
    }
    check::read(&file.to_string()).unwrap()
}

#[test]
fn a_valid_file_is_read_and_has_no_problems() {
    let text = serde_json::to_string_pretty(&valid()).unwrap();
    let evaluation = check::read(&text).unwrap();
    assert_eq!(evaluation, serde_json::from_str(&text).unwrap());
    assert_eq!(check::evaluation(&evaluation), []);
    let least = r#"{"schemaVersion":1,"name":"a","flow":"f","data":{"file":"d"},"scorers":[{"name":"e","type":"exact"}]}"#;
    assert_eq!(check::evaluation(&check::read(least).unwrap()), []);
}

#[test]
fn problems_name_their_place_and_a_remedy() {
    for (pointer, value, place, words) in [
        ("/name", json!(" "), "name", "empty"),
        ("/flow", json!(""), "flow", "empty"),
        ("/data/file", json!(""), "data.file", "empty"),
        (
            "/variants/1/name",
            json!("cap 3"),
            "variants[1].name",
            "Two variants are called `cap 3`",
        ),
        ("/variants/1/name", json!(""), "variants[1].name", "no name"),
        ("/variants/1/flow", json!(""), "variants[1].flow", "empty"),
        (
            "/variants/0/set",
            json!({ "maxIterations": 3 }),
            "variants[0].set",
            "`maxIterations` is not the name of a node's field",
        ),
        (
            "/variants/0/set",
            json!({ "refine.": 3 }),
            "variants[0].set",
            "NODE.FIELD",
        ),
        (
            "/baseline",
            json!("cap 4"),
            "baseline",
            "no variant `cap 4`. Did you mean `cap 3`? The variants are `cap 3` and `other critic`.",
        ),
        ("/repetitions", json!(0), "repetitions", "from 1 to 100"),
        ("/repetitions", json!(101), "repetitions", "from 1 to 100"),
        ("/scorers", json!([]), "scorers", "no scorer"),
        (
            "/scorers/0/name",
            json!("judge"),
            "scorers[1].name",
            "Two scorers",
        ),
        ("/scorers/0/name", json!(""), "scorers[0].name", "no name"),
        (
            "/scorers/0/expression",
            json!(" "),
            "scorers[0].expression",
            "empty",
        ),
        (
            "/scorers/1/rubric",
            json!(""),
            "scorers[1].rubric",
            "The rubric of the scorer `judge` is empty",
        ),
        (
            "/scorers/1/scale",
            json!([5, 5]),
            "scorers[1].scale",
            "from 5 to 5",
        ),
        (
            "/scorers/0",
            json!({ "name": "c", "type": "check", "command": [] }),
            "scorers[0].command",
            "empty",
        ),
        (
            "/scorers/0",
            json!({ "name": "c", "type": "script", "language": "pyton", "code": "1" }),
            "scorers[0].language",
            "Did you mean `python`?",
        ),
        ("/perIteration", json!(""), "perIteration", "empty"),
        (
            "/primary",
            json!("juge"),
            "primary",
            "Did you mean `judge`?",
        ),
        ("/margin", json!(-0.1), "margin", "Write 0 or more"),
        ("/budget/usd", json!(-1), "budget.usd", "Write 0 or more"),
        ("/concurrency", json!(0), "concurrency", "from 1 to 256"),
        ("/concurrency", json!(257), "concurrency", "from 1 to 256"),
        (
            "/sequential/range",
            json!([1, 0]),
            "sequential.range",
            "from 1 to 0",
        ),
        ("/sequential/alpha", json!(0), "sequential.alpha", "above 0"),
        (
            "/sequential/alpha",
            json!(0.51),
            "sequential.alpha",
            "at most 0.5",
        ),
        (
            "/sequential/batch",
            json!(0),
            "sequential.batch",
            "at least one case",
        ),
        (
            "/assert/0/scorer",
            json!("x"),
            "assert[0].scorer",
            "no scorer `x`",
        ),
        (
            "/assert/0/variant",
            json!("x"),
            "assert[0].variant",
            "no variant `x`",
        ),
        (
            "/assert/0/mean",
            json!("7.5"),
            "assert[0].mean",
            "`7.5` is not a comparison",
        ),
        (
            "/assert/0/costUsd",
            json!("=> 1"),
            "assert[0].costUsd",
            "`<= 0.02`",
        ),
        (
            "/assert/1/noWorseThan",
            json!("x"),
            "assert[1].noWorseThan",
            "no variant `x`",
        ),
        (
            "/assert/1/margin",
            json!(-1),
            "assert[1].margin",
            "Write 0 or more",
        ),
        (
            "/assert/0",
            json!({ "scorer": "judge" }),
            "assert[0]",
            "The assertion is empty",
        ),
        (
            "/assert/0/margin",
            json!(1),
            "assert[0].margin",
            "belongs to `noWorseThan`",
        ),
    ] {
        let problems = check::evaluation(&with(pointer, value.clone()));
        let found = problems.iter().find(|problem| problem.place == place);
        let found = found.unwrap_or_else(|| panic!("{pointer} = {value}: {problems:?}"));
        assert!(
            found.message.contains(words),
            "{pointer} = {value}: {found:?}"
        );
        // If there are no scorers, references to scorers are problems too.
        if pointer != "/scorers" && pointer != "/scorers/0/name" {
            assert_eq!(problems.len(), 1, "{pointer} = {value}: {problems:?}");
        }
    }
}

#[test]
fn a_single_variant_is_called_flow_and_compares_with_nothing() {
    let mut file = valid();
    file["variants"] = json!([]);
    file["baseline"] = "flow".into();
    file["scorers"][0] = json!({ "name": "better", "type": "pairwise", "rubric": "Which?" });
    let places: Vec<_> = check::evaluation(&check::read(&file.to_string()).unwrap())
        .into_iter()
        .map(|Problem { place, .. }| place)
        .collect();
    assert_eq!(places, ["scorers[0]", "sequential"]);
}

#[test]
fn what_cannot_be_read_says_where_and_why() {
    let head = "{\n  \"schemaVersion\": 1, \"name\": \"é\", \"flow\": \"f\", \"data\": { \"file\": \"d\" },\n  ";
    let scorers = "\"scorers\": [{ \"name\": \"e\", \"type\": \"exact\" }]";
    for (rest, expected) in [
        (
            "\"scorer\": [] }",
            "Line 3, column 3: The file has no field `scorer`. Did you mean `scorers`? Its fields are ",
        ),
        (
            "\"name2\": 1 }",
            "Line 3, column 3: The file has no field `name2`.",
        ),
        (
            "\"seed\": 1 }",
            "Line 1, column 1: The file has no `scorers`. Add it.",
        ),
        (
            "\"scorers\": {} }",
            "Line 3, column 3: `scorers` is an object, but must be a list.",
        ),
        (
            "\"scorers\": [7] }",
            "Line 3, column 15: scorers[0]: A scorer must be an object with a `name` and a `type`.",
        ),
        (
            "\"scorers\": [{ \"name\": \"a\", \"type\": \"regx\" }] }",
            "Line 3, column 30: scorers[0].type: There is no scorer type `regx`. Did you mean `regex`? The types are ",
        ),
        (
            "\"scorers\": [{ \"name\": \"a\",\n\"type\": \"regex\", \"patern\": \"x\" }] }",
            "Line 4, column 18: scorers[0].patern: A scorer of type `regex` has no field `patern`. Did you mean `pattern`? Its fields are `pattern`.",
        ),
        (
            "\"scorers\": [{ \"name\": \"a\", \"type\": \"regex\" }] }",
            "Line 3, column 15: scorers[0]: A scorer of type `regex` needs the field `pattern`. Add it.",
        ),
        (
            "\"scorers\": [{ \"name\": \"a\", \"type\": \"llm\", \"rubric\": \"r\", \"scale\": [1] }] }",
            "Line 3, column 60: scorers[0].scale: `scale` takes a list of two numbers, such as [0, 10].",
        ),
        (
            "\"scorers\": [{ \"name\": \"a\" }] }",
            "Line 3, column 15: scorers[0]: The scorer has no `type`. Add one of `exact`, ",
        ),
    ] {
        let error = check::read(&format!("{head}{rest}"))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(expected), "{rest}\n{error}\n{expected}");
    }
    for (rest, expected) in [
        (
            ", \"repetitions\": \"two\" }",
            "`repetitions` is the text \"two\", but must be a whole number from 0.",
        ),
        (
            ", \"repetitions\": -1 }",
            "`repetitions` is `-1`, but must be a whole number from 0.",
        ),
        (
            ", \"repetitions\": 1.5 }",
            "`repetitions` is `1.5`, but must be a whole number from 0.",
        ),
        (
            ", \"perIteration\": [] }",
            "`perIteration` is a list, but must be text in double quotes.",
        ),
        (
            ", \"budget\": { \"usd\": \"5\" } }",
            "`budget.usd` is the text \"5\", but must be a number.",
        ),
        (
            ", \"budget\": { \"dollars\": 5 } }",
            "`budget` has no field `dollars`. Its fields are `usd` and `tokens`.",
        ),
        (
            ", \"sequential\": { \"range\": [1] } }",
            "`sequential.range` is a list of 1, but must be a list of two numbers.",
        ),
        (
            ", \"sequential\": {} }",
            "`sequential` has no `range`. Add it.",
        ),
        (
            ", \"variants\": [{ \"name\": \"a\" }, { \"flow\": \"x\" }] }",
            "`variants[1]` has no `name`. Add it.",
        ),
        (
            ", \"assert\": [{ \"maen\": \">= 1\" }] }",
            "`assert[0]` has no field `maen`. Did you mean `mean`?",
        ),
        (
            " // note\n}",
            "JSON has no comments. Remove what begins with // or /*.",
        ),
        (", }", "A comma has nothing after it. Remove the comma."),
        (
            " \"x\": 1 }",
            "A comma or a closing bracket is missing here. Add it.",
        ),
        (
            ", x: 1 }",
            "A field name must be in double quotes. Add the quotes.",
        ),
        (
            ", \"seed\" 1 }",
            "A colon is missing after the name of a field. Add it.",
        ),
        (", \"seed\": }", "A value is missing here, or is not JSON."),
        (
            ", \"seed\": 1",
            "The file ends before the evaluation is complete.",
        ),
        (
            "} }",
            "The file has more text after the end of the evaluation.",
        ),
        (
            ", \"seed\": 1, \"seed\": 2 }",
            "The file is not valid JSON: the key `seed` appears twice in an object.",
        ),
    ] {
        let error = check::read(&format!("{head}{scorers}{rest}")).unwrap_err();
        assert!(
            error.message.starts_with(expected),
            "{rest}\n{error}\n{expected}"
        );
        // The error is at the end of the text, or on the line where the reader stopped.
        assert!(
            error.line >= 3 || rest == ", \"sequential\": {} }",
            "{error}"
        );
    }
    assert!(
        check::read("\u{feff} \n")
            .unwrap_err()
            .message
            .starts_with("The file is empty.")
    );
    let newer = check::read("{\n\"schemaVersion\": 2, \"unknown\": 1 }").unwrap_err();
    assert_eq!(
        newer.to_string(),
        "Line 2, column 1: The file has version 2, but this program reads versions up to 1. Update Loopwright."
    );
    let old = with("/name", json!("a"));
    assert_eq!(
        check::evaluation(&Evaluation {
            schema_version: 0,
            ..old
        })[0]
            .place,
        "schemaVersion"
    );
}
