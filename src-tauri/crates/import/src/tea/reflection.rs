//! `reflection.loop`: something is made and judged, again and again until it is valid or the passes are used up. As there,
//! every pass makes it anew; what the corrector gives is merged into the state that the next pass reads.

use serde_json::{Map, Value, json};

use super::{
    actions::{self, Made},
    python,
    retry::constant,
    schema::by_schema,
    steps::{Steps, joined, script},
};
use crate::{
    ImportError,
    build::{MOST_ITERATIONS, Port},
};

/// What the action asks for, held against what it allows.
struct Reflection<'c> {
    generator: &'c Map<String, Value>,
    evaluator: &'c Map<String, Value>,
    corrector: Option<&'c Map<String, Value>>,
    most: u64,
    on_failure: &'c str,
}

impl<'c> Reflection<'c> {
    /// # Errors
    /// What is wrong with it, as a sentence for the report.
    fn read(steps: &Steps<'_, '_>, with: &'c Map<String, Value>) -> Result<Self, String> {
        let part = |field: &str| with.get(field).and_then(Value::as_object);
        let works = |part: &Map<String, Value>| {
            ["action", "run"]
                .iter()
                .any(|way| part.get(*way).is_some_and(Value::is_string))
        };
        let generator = part("generator")
            .filter(|part| works(part))
            .ok_or("its `generator` has neither `action` nor `run`")?;
        let evaluator = part("evaluator").ok_or("it has no `evaluator`")?;
        let kind = evaluator
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("schema");
        let has = |field: &str| evaluator.contains_key(field);
        match kind {
            "schema" if !evaluator.get("schema").is_some_and(Value::is_object) => {
                return Err("its evaluator has no `schema`".to_owned());
            }
            "custom" if !has("run") => return Err("its evaluator has no `run`".to_owned()),
            "schema" | "llm" | "custom" => {}
            other => {
                return Err(format!(
                    "its evaluator is of the type `{other}`; there are schema, llm and custom"
                ));
            }
        }
        let corrector = part("corrector").filter(|part| works(part));
        if corrector.is_none() && with.contains_key("corrector") {
            return Err("its `corrector` has neither `action` nor `run`".to_owned());
        }
        let asked = with
            .get("max_iterations")
            .map(|asked| constant(steps, asked).unwrap_or_else(|| asked.clone()));
        let most = match asked {
            None => 3,
            Some(asked) => asked
                .as_u64()
                .filter(|most| (1..=MOST_ITERATIONS).contains(most))
                .ok_or_else(|| {
                    format!("its `max_iterations` must be a whole number in the range 1-{MOST_ITERATIONS}, and is {asked}")
                })?,
        };
        let on_failure = with
            .get("on_failure")
            .and_then(Value::as_str)
            .unwrap_or("return_best");
        if !["return_best", "return_last", "raise"].contains(&on_failure) {
            return Err(format!(
                "its `on_failure` is `{on_failure}`; there are return_best, return_last and raise"
            ));
        }
        Ok(Self {
            generator,
            evaluator,
            corrector,
            most,
            on_failure,
        })
    }
}

pub(super) fn reflection_loop(
    steps: &mut Steps<'_, '_>,
    name: &str,
    config: &Map<String, Value>,
    place: &str,
    from: Vec<Port>,
) -> Result<Vec<Port>, ImportError> {
    let empty = Map::new();
    let with = actions::arguments(config)
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let place = format!("{place}.with");
    let asked = match Reflection::read(steps, with) {
        Ok(asked) => asked,
        Err(why) => return Ok(steps.keep(name, config, &place, &from, &why)),
    };
    const USED: [&str; 5] = [
        "generator",
        "evaluator",
        "corrector",
        "max_iterations",
        "on_failure",
    ];
    actions::left_over(steps, "`reflection.loop`", with, &place, &USED);
    let from = joined(steps.build, from);
    steps.build.enter("reflection.loop", &place);
    steps.build.permit_iterations(asked.most);
    let start = steps.build.node(
        "loop",
        name,
        json!({
            "maxIterations": asked.most, "exitCondition": "evaluator", "feedbackMode": "replace", "inputName": "state"
        }),
    );
    steps.build.wire_all(&from, &Port::at(&start, "input"));
    let begin = script(
        steps.build,
        &format!("Begin {name}"),
        include_str!("reflection/begin.luau").trim_end(),
        None,
        &[Port::at(&start, "body")],
    );
    let outer = std::mem::replace(&mut steps.bound, vec![("output", "reflection_output")]);
    let done = pass(steps, name, &asked, &place, &begin, &start);
    steps.bound = outer;
    let end = done?;
    steps.build.leave();
    steps.build.approximated(
        &place,
        Some(&start),
        format!(
            "Makes, judges and corrects, {} times at most. Every pass makes it anew, and what the corrector gives is merged into the state, as there. A text that is JSON is taken as that JSON. Time stamps are left out.",
            asked.most
        ),
    );
    let made = Made {
        from: vec![Port::of(&end)],
        wires: from
            .iter()
            .map(|port| ("before".to_owned(), port.clone()))
            .collect(),
        source: format!(
            "local on_failure, most = \"{}\", {}\n{}",
            asked.on_failure,
            asked.most,
            include_str!("reflection/end.luau").trim_end()
        ),
        given: None,
    };
    Ok(actions::finish(steps, name, config, &place, made))
}

/// One pass: make, judge, leave or correct. Gives the loop's end.
fn pass(
    steps: &mut Steps<'_, '_>,
    name: &str,
    asked: &Reflection<'_>,
    place: &str,
    begin: &str,
    start: &str,
) -> Result<String, ImportError> {
    let generated = part(
        steps,
        &format!("Make {name}"),
        asked.generator,
        &format!("{place}.generator"),
        vec![Port::of(begin)],
    )?;
    let output = script(
        steps.build,
        &format!("Output of {name}"),
        include_str!("reflection/output.luau").trim_end(),
        None,
        &generated,
    );
    let judged = evaluate(
        steps,
        name,
        asked.evaluator,
        &format!("{place}.evaluator"),
        vec![Port::of(&output)],
    )?;
    let noted = script(
        steps.build,
        &format!("Note on {name}"),
        include_str!("reflection/note.luau").trim_end(),
        None,
        &judged,
    );
    let router = steps.build.node(
        "router",
        &format!("Is {name} valid"),
        json!({
            "mode": "rules",
            "branches": [{ "name": "valid", "when": "input._evaluation.valid" }, { "name": "invalid" }],
            "fallback": "invalid"
        }),
    );
    steps.build.wire(&Port::of(&noted), &Port::of(&router));
    let end = steps
        .build
        .node("exit", &format!("End of {name}"), json!({}));
    steps
        .build
        .wire(&Port::named(&router, "valid"), &Port::of(&end));
    let mut back = vec![Port::named(&router, "invalid")];
    if let Some(corrector) = asked.corrector {
        let label = format!("Correct {name}");
        let corrected = part(
            steps,
            &label,
            corrector,
            &format!("{place}.corrector"),
            back,
        )?;
        let merged = script(
            steps.build,
            &format!("Take the correction of {name}"),
            "local state = input\nlocal made = state._made\nstate._made = nil\nif type(made) == \"table\" then\n    for name, value in pairs(made) do state[name] = value end\nend\nreturn state",
            None,
            &corrected,
        );
        back = vec![Port::of(&merged)];
    }
    steps.build.wire_all(&back, &Port::at(start, "feedback"));
    Ok(end)
}

/// What an `action` or `run` of the loop gives, as `_made` of the state.
fn part(
    steps: &mut Steps<'_, '_>,
    label: &str,
    config: &Map<String, Value>,
    place: &str,
    from: Vec<Port>,
) -> Result<Vec<Port>, ImportError> {
    let mut node = Map::new();
    if let Some(action) = config.get("action") {
        let mut with = config.clone();
        with.remove("action");
        if let Some(Value::Object(nested)) = with.remove("with").or_else(|| with.remove("params")) {
            with.extend(nested);
        }
        node.insert("uses".to_owned(), action.clone());
        node.insert("with".to_owned(), Value::Object(with));
        node.insert("output".to_owned(), "_made".into());
    } else {
        let code = config
            .get("run")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let language = config
            .get("language")
            .and_then(Value::as_str)
            .unwrap_or("python");
        let code = match language {
            "lua" => format!(
                "local output = state.reflection_output\nlocal function made()\n{code}\nend\nreturn {{ _made = made() }}"
            ),
            _ => valued(code),
        };
        node.insert("run".to_owned(), code.into());
        node.insert("language".to_owned(), language.into());
        let of = format!("“{label}”");
        actions::left_over(steps, &of, config, place, &["run", "language", "type"]);
    }
    steps.body(label, &node, place, from)
}

/// Code whose value is what it names `result`, or returns, as code that returns that value as `_made`.
fn valued(code: &str) -> String {
    let code = python::dedent(code);
    let mut source = String::new();
    let reads = |name: &str| {
        code.split(|c: char| c != '_' && !c.is_alphanumeric())
            .any(|word| word == name)
    };
    for (name, value) in [
        ("output", "state.get(\"reflection_output\")"),
        ("reflection_output", "state.get(\"reflection_output\")"),
        ("reflection_errors", "state.get(\"reflection_errors\", [])"),
        (
            "reflection_iteration",
            "state.get(\"reflection_iteration\", 0)",
        ),
    ] {
        if reads(name) {
            source.push_str(&format!("{name} = {value}\n"));
        }
    }
    if returns(&code) {
        source.push_str("def make_it():\n");
        for line in code.lines() {
            source.push_str(&format!("    {line}\n"));
        }
        source.push_str("    return None\nreturn {\"_made\": make_it()}\n");
    } else {
        let name = if reads("result") { "result" } else { "output" };
        source.push_str(&format!("{code}\nreturn {{\"_made\": {name}}}\n"));
    }
    source
}

/// Whether code returns something itself, and not in a function that it defines.
fn returns(code: &str) -> bool {
    let mut inner: Option<usize> = None;
    for line in code.lines().filter(|line| !line.trim().is_empty()) {
        let depth = line.len() - line.trim_start().len();
        inner = inner.filter(|def| depth > *def);
        let word = line.trim_start();
        if inner.is_none() && (word == "return" || word.starts_with("return ")) {
            return true;
        }
        if inner.is_none() && word.starts_with("def ") {
            inner = Some(depth);
        }
    }
    false
}

/// The judgement, as `_evaluation` of the state: `{ valid, score, errors, suggestions }`.
fn evaluate(
    steps: &mut Steps<'_, '_>,
    name: &str,
    config: &Map<String, Value>,
    place: &str,
    from: Vec<Port>,
) -> Result<Vec<Port>, ImportError> {
    let label = format!("Judgement of {name}");
    let left = |known: &[&str]| -> Map<String, Value> {
        let mut rest = config.clone();
        rest.retain(|field, _| !known.contains(&field.as_str()));
        rest
    };
    match config.get("type").and_then(Value::as_str) {
        Some("llm") => {
            let used = [
                "type",
                "prompt",
                "model",
                "examples",
                "temperature",
                "max_tokens",
            ];
            actions::left_over(steps, "`evaluator`", config, place, &used);
            let mut with = left(&["type", "prompt", "examples"]);
            with.insert("messages".to_owned(), judging(config).into());
            let mut node = Map::new();
            node.insert("uses".to_owned(), "llm.call".into());
            node.insert("with".to_owned(), Value::Object(with));
            node.insert("output".to_owned(), "_made".into());
            let asked = steps.body(&format!("Judge {name}"), &node, place, from)?;
            Ok(judgement(
                steps,
                &label,
                include_str!("reflection/judged.luau"),
                &asked,
            ))
        }
        Some("custom") => {
            let code = left(&["type"]);
            let made = part(steps, &format!("Judge {name}"), &code, place, from)?;
            Ok(judgement(
                steps,
                &label,
                include_str!("reflection/custom.luau"),
                &made,
            ))
        }
        _ => {
            let used = ["type", "schema"];
            actions::left_over(steps, "`evaluator`", config, place, &used);
            let schema = config.get("schema").unwrap_or(&Value::Null);
            let value = "{{ input.reflection_output | default(value=none) }}";
            let made = by_schema(steps, name, value, schema, from);
            let keep = "state._evaluation = { valid = result.valid, score = if result.valid then 1 else 0, errors = result.errors, suggestions = array({}) }\nreturn state";
            Ok(vec![Port::of(&actions::settled(steps, &label, made, keep))])
        }
    }
}

fn judgement(steps: &mut Steps<'_, '_>, label: &str, source: &str, from: &[Port]) -> Vec<Port> {
    vec![Port::of(&script(
        steps.build,
        label,
        source.trim_end(),
        None,
        from,
    ))]
}

/// The messages to a model that judges.
fn judging(config: &Map<String, Value>) -> Vec<Value> {
    let say = |role: &str, words: &str| json!({ "role": role, "content": words });
    let mut messages = vec![say(
        "system",
        "You judge the given output. Answer with JSON alone: \"valid\" (true or false), \"score\" (0.0 to 1.0), \"reason\" (a text) and \"suggestions\" (a list of texts).",
    )];
    let examples = config.get("examples").and_then(Value::as_array);
    for example in examples.into_iter().flatten() {
        let text = |field: &str| {
            let value = example.get(field)?;
            Some(
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned),
            )
        };
        if let (Some(input), Some(output)) = (text("input"), text("output")) {
            messages.push(say("user", &input));
            messages.push(say("assistant", &output));
        }
    }
    let prompt = config.get("prompt").and_then(Value::as_str);
    messages.push(say(
        "user",
        prompt.unwrap_or("Judge whether this output is valid and correct.\n\n{{ output }}"),
    ));
    messages
}
