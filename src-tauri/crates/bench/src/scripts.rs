//! What a call of a script costs in a worker that is there already.

use std::time::{Duration, Instant};

use loopwright_script::{Call, Language, Limits, Pool};
use serde_json::{Value, json};

use crate::{line, micros};

const CALLS: u64 = 1_000;

/// A text of 1 KB that is another in every call, as what goes round a loop is.
fn values(number: u64) -> Value {
    let words = "The draft says the same thing twice and the judge noticed. ".repeat(17);
    json!({ "text": format!("{number}: {words}") })
}

/// [`CALLS`] in a row for each language, behind one that starts the worker; the mean of a call.
///
/// # Panics
/// When a script does not give what it should.
pub fn measure() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let pool = Pool::shared();
    for language in Language::ALL {
        let source = match language {
            Language::Luau => "return { words = #string.split(text, \" \") }",
            Language::Python => "return {'words': len(text.split(' '))}",
            Language::JavaScript => "return { words: text.split(' ').length }",
        };
        let call = |number: u64| {
            let Value::Object(values) = values(number) else {
                unreachable!("values are an object");
            };
            Call {
                language,
                source: source.to_owned(),
                values,
                limits: Limits::default(),
            }
        };
        let taken: Duration = runtime.block_on(async {
            let mut began = Instant::now();
            for number in 0..=CALLS {
                if number == 1 {
                    began = Instant::now();
                }
                let result = pool.run(call(number)).await.result.expect("a result");
                assert!(result["words"].as_u64() > Some(100), "{result}");
            }
            began.elapsed()
        });
        let each = micros(taken) / CALLS as f64;
        let verdict = if each < 1_000.0 { "met" } else { "missed" };
        line(
            &format!("a call of {}, 1 KB in, worker warm", language.name()),
            each,
            "a call",
            &format!("{:.3} × the aim of 1,000 µs: {verdict}", each / 1_000.0),
        );
    }
}
