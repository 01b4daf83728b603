//! Checks Luau scripts: their names and mistakes are listed, and each script runs for a short time.

use std::time::Duration;

use loopwright_script::{Language, Limits, Reader as _, reads_or_mistake};
use loopwright_script_worker::{InThisProcess, Stop, run};
use serde_json::{Map, Value, json};

fn values() -> Map<String, Value> {
    let Value::Object(values) = json!({
        "input": { "text": "ünïcödé", "list": [1, 2, 3], "none": null, "deep": [[{ "a": 1 }]] },
        "n": 3,
        "text": "a,b,c",
    }) else {
        unreachable!("an object")
    };
    values
}

pub(crate) fn script(data: &[u8]) {
    let Ok(source) = std::str::from_utf8(data) else {
        return;
    };
    let reading = InThisProcess.read(Language::Luau, source);
    let read = reads_or_mistake(&reading);
    let wrong = match &reading {
        Ok((_, mistakes)) => mistakes.clone(),
        Err(mistake) => vec![mistake.clone()],
    };
    assert_eq!(read.is_ok(), wrong.is_empty(), "{read:?}, {wrong:?}");
    if let Ok(read) = &read {
        for place in &read.places {
            let written = source.get(place.at.clone());
            assert_eq!(written, Some(place.name.root.as_str()), "{place:?}");
        }
    }
    for mistake in &wrong {
        assert!(
            mistake.line >= 1 && !mistake.message.is_empty(),
            "{mistake:?}"
        );
    }
    let limits = Limits {
        memory: 4 << 20,
        time: Duration::from_millis(100),
        result: 64 << 10,
    };
    match run(source, &values(), limits, &Stop::default()) {
        Ok(value) => {
            assert!(read.is_ok(), "a script with mistakes ran: {read:?}");
            let written = value.to_string();
            assert!(written.len() <= limits.result, "{} bytes", written.len());
            assert_eq!(serde_json::from_str::<Value>(&written).ok(), Some(value));
        }
        Err(failure) => {
            assert!(
                !failure.message.is_empty() && failure.message.len() < 5_000,
                "{failure:?}"
            );
            assert_ne!(failure.code, "cancelled");
        }
    }
}
