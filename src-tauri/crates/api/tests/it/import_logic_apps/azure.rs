//! The behaviour of Logic Apps: case-insensitive names, unknown names, integers and floats, failing iterations, limits.

use super::*;

/// Imports a definition with a manual trigger and actions that run one after another.
fn imported_actions(actions: Value) -> loopwright_import::Import {
    let mut actions = actions;
    let names: Vec<String> = actions.as_object().unwrap().keys().cloned().collect();
    for (before, name) in names.iter().zip(&names[1..]) {
        if actions[name].get("runAfter").is_none() {
            actions[name]["runAfter"] = json!({ before: ["Succeeded"] });
        }
    }
    let document = json!({ "definition": { "triggers": { "manual": { "type": "Request" } }, "actions": actions } });
    imported(&document.to_string(), Some("logic-apps"))
}

fn gives(actions: Value) -> Value {
    result(&run(&imported_actions(actions).flow, World::default()))
}

fn variable(name: &str, ty: &str, value: Value) -> Value {
    json!({ "type": "InitializeVariable", "inputs": { "variables": [{ "name": name, "type": ty, "value": value }] } })
}

/// The result of an action that does not run in an iteration is null, not its result from the previous iteration.
#[test]
fn a_failed_pass_leaves_nothing_of_the_pass_before() {
    let given = gives(json!({
        "N": variable("n", "integer", json!(0)),
        "L": variable("list", "array", json!([])),
        "Until": { "type": "Until", "expression": "@equals(variables('n'), 3)", "limit": { "count": 10 }, "actions": {
            "Inc": { "type": "IncrementVariable", "inputs": { "name": "n" } },
            "Risky": { "type": "Compose", "inputs": "@div(10, sub(2, variables('n')))", "runAfter": { "Inc": ["Succeeded"] } },
            "Add": { "type": "AppendToArrayVariable", "inputs": { "name": "list", "value": "@outputs('Risky')" }, "runAfter": { "Risky": ["Succeeded", "Failed"] } }
        } },
        "All": { "type": "Compose", "inputs": "@variables('list')" }
    }));
    assert_eq!(given["All"], json!([10, null, -10]));
}

#[test]
fn names_compare_without_case() {
    let given = gives(json!({
        "Count": variable("Count", "integer", json!(3)),
        "More": { "type": "IncrementVariable", "inputs": { "name": "COUNT", "value": 2 } },
        "Read": { "type": "Compose", "inputs": { "Status": "@variables('count')" } },
        "Each": { "type": "Foreach", "foreach": ["a", "b"], "actions": {
            "Item": { "type": "Compose", "inputs": "@concat(items('EACH'), item())" }
        } },
        "All": { "type": "Compose", "inputs": "@{outputs('read')?['STATUS']}: @{outputs('each')}" }
    }));
    assert_eq!(given["All"], r#"5: [{"Item":"aa"},{"Item":"bb"}]"#);
}

#[test]
fn unknown_names_are_placeholders_that_say_so() {
    for (expression, says) in [
        ("@outputs('Nope')", "no action “Nope”"),
        ("@variables('nope')", "no variable “nope”"),
        ("@nope(1)", "no function nope()"),
        (
            "@items('A')",
            "no list that contains this action and is named “A”",
        ),
        ("@if(true, 1, length())", "takes 1 argument"),
        ("@and(nope(), true)", "no function nope()"),
        ("@or(false, length())", "takes 1 argument"),
    ] {
        let import = imported_actions(json!({ "A": { "type": "Compose", "inputs": expression } }));
        let kept = outcomes(&import, Outcome::Placeholder);
        assert!(kept[0].contains(says), "{kept:?}");
        fails(
            &run(&import.flow, World::default()),
            "could not be translated",
        );
    }
    // An unknown function is an error only if its call is evaluated.
    for (first, says) in [(false, None), (true, Some("no function nope()"))] {
        let actions =
            json!({ "A": { "type": "Compose", "inputs": format!("@and({first}, nope())") } });
        let import = imported_actions(actions);
        let done = run(&import.flow, World::default());
        match says {
            None => assert_eq!(result(&done)["A"], json!(false)),
            Some(says) => fails(&done, says),
        }
    }
    // The name of the action is known only at run time.
    let import = imported_actions(
        json!({ "A": { "type": "Compose", "inputs": "@outputs(concat('No', 'pe'))" } }),
    );
    fails(&run(&import.flow, World::default()), "no action 'Nope'");
}

#[test]
fn integers_floats_and_declarations_are_those_of_logic_apps() {
    let given = gives(json!({
        "L": { "type": "InitializeVariable", "inputs": { "variables": [{ "name": "L", "type": "array" }] } },
        "Add": { "type": "AppendToArrayVariable", "inputs": { "name": "l", "value": { "x": "@div(7, 2)", "y": "@div(7, 2.0)" } } },
        "All": { "type": "Compose", "inputs": "@variables('L')" },
        "Read": { "type": "ParseJson", "inputs": { "content": "@variables('L')" } },
        "Text": { "type": "Join", "inputs": { "from": "@body('Read')", "joinWith": ", " } },
        "Zone": { "type": "Compose", "inputs": "@convertFromUtc('2018-01-01T08:00:00Z', 'Pacific Standard Time', 'HH:mm')" }
    }));
    assert_eq!(given["All"], json!([{ "x": 3, "y": 3.5 }]));
    assert_eq!(given["Text"]["body"], r#"{"x":3,"y":3.5}"#);
    assert_eq!(given["Zone"], "00:00");
}

#[test]
fn passes_are_counted_from_zero() {
    let given = gives(json!({
        "N": variable("n", "integer", json!(0)),
        "U": { "type": "Until", "expression": "@greaterOrEquals(variables('n'), 3)", "limit": { "count": 10 }, "actions": {
            "Inc": { "type": "IncrementVariable", "inputs": { "name": "n" } },
            "At": { "type": "Compose", "inputs": "@iterationIndexes('u')", "runAfter": { "Inc": ["Succeeded"] } }
        } }
    }));
    assert_eq!(given["At"], 2);
}

/// An Until that reaches its limit ends without an error, unless it is configured to fail.
#[test]
fn a_limit_fails_only_where_it_says() {
    let until = |more: Value| {
        let mut until = json!({ "type": "Until", "expression": "@equals(1, 2)", "limit": { "count": 2, "timeout": "PT1H" },
            "actions": { "X": { "type": "Compose", "inputs": "x" } } });
        until
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!({ "U": until, "C": { "type": "Compose", "inputs": "after" } })
    };
    assert_eq!(gives(until(json!({})))["C"], "after");
    let import = imported_actions(until(
        json!({ "operationOptions": "FailWhenLimitsReached" }),
    ));
    assert_eq!(
        run(&import.flow, World::default()).state.status,
        RunStatus::Failed
    );
    assert_eq!(outcomes(&import, Outcome::Ignored), Vec::<String>::new());
    assert_eq!(
        outcomes(&import, Outcome::Approximated),
        Vec::<String>::new()
    );
}

/// Conditions that are written as objects, and queries in an address, are imported completely, so the report does not mention
/// them.
#[test]
fn what_is_read_is_not_reported_as_lost() {
    let import = imported_actions(json!({
        "If": { "type": "If", "expression": { "or": [{ "greater": [5, 3] }, { "equals": ["a", "b"] }] },
            "actions": { "Y": { "type": "Compose", "inputs": "yes" } }, "else": { "actions": { "N": { "type": "Compose", "inputs": "no" } } } },
        "H": { "type": "Http", "inputs": { "method": "GET", "uri": "http://127.0.0.1:8903/x",
            "queries": { "q": "a&b=c d+e#f", "n": 5, "t": "@concat('x','&y')" } } }
    }));
    assert_eq!(outcomes(&import, Outcome::Ignored), Vec::<String>::new());
    assert_eq!(
        outcomes(&import, Outcome::Approximated),
        Vec::<String>::new()
    );
    let world = World {
        http: vec![answer(200, json!("fine"))],
        ..World::default()
    };
    let given = result(&run(&import.flow, world));
    assert_eq!(
        (&given["Y"], &given["H"]["body"]),
        (&json!("yes"), &json!("fine"))
    );
}

/// Returns whether two values are equal. An integer and a float with the same value are equal.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(name, value)| other.get(name).is_some_and(|other| same(value, other));
            one.len() == other.len() && one.iter().all(has)
        }
        _ => one == other,
    }
}

/// Expressions with the results that Azure returns, each as the input of an action. If Azure returns an error, the run must
/// fail, or the import must leave the expression untranslated and say why.
#[test]
fn expressions_of_actions_give_what_azure_gives() {
    let name = "logicapps-expressions.json";
    let paths = cases("scripts");
    for path in paths.iter().filter(|path| path.ends_with(name)) {
        let listed: Vec<Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let (mut wrong, mut count) = (Vec::new(), 0);
        for case in &listed {
            let expression = &case["expression"];
            let import =
                imported_actions(json!({ "A": { "type": "Compose", "inputs": expression } }));
            let done = run(&import.flow, World::default()).state;
            let given = match done.status {
                RunStatus::Completed => done.outputs.map(|outputs| outputs["result"]["A"].clone()),
                _ => None,
            };
            count += 1;
            let fails = case["ends"] == "error";
            let is_right = match &given {
                None => fails,
                Some(given) => !fails && same(given, &case["value"]),
            };
            if !is_right {
                wrong.push(format!(
                    "{expression}: {given:?}, and not {}",
                    case["value"]
                ));
            }
            let is_silent = fails && given == Some(Value::Null);
            assert!(!is_silent, "{expression} gives null, and must fail");
        }
        let wrongs = wrong.join("\n");
        assert!(
            wrong.len() * 100 <= count * 3,
            "{} of {count}:\n{wrongs}",
            wrong.len()
        );
    }
}
