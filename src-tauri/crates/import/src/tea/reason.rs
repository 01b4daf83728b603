//! `reason.cot` and `reason.self_correct`: model calls with prompts of their own. The prompts are written anew here, which the
//! report says; what the actions give has the same fields.

use serde_json::{Map, Value, json};

use super::{
    actions::{self, Made, settled, unused},
    models::model_call,
    retry::constant,
    steps::{Steps, joined},
};
use crate::{
    ImportError,
    build::{MOST_ITERATIONS, Port},
};

/// What is said of how to think, by the action's `thinking_format`.
const FORMATS: [(&str, &str); 4] = [
    ("step_by_step", "Think step by step."),
    (
        "pros_cons",
        "Weigh what speaks for and against each answer.",
    ),
    ("tree", "Follow several lines of thought, and join them."),
    ("first_principles", "Reason from first principles."),
];

/// `reason.cot`: one model call that gives its thinking and its answer.
///
/// # Errors
/// Why it has no counterpart, as a sentence for the report.
pub(super) fn chain_of_thought(
    steps: &mut Steps<'_, '_>,
    name: &str,
    with: &Value,
    place: &str,
    from: &[Port],
) -> Result<Made, String> {
    let Some(problem) = with.get("problem").and_then(Value::as_str) else {
        return Err("`reason.cot` has no `problem`".to_owned());
    };
    let format = with
        .get("thinking_format")
        .and_then(Value::as_str)
        .unwrap_or("step_by_step");
    let how = FORMATS
        .iter()
        .find(|(known, _)| *known == format)
        .map(|(_, how)| *how)
        .ok_or_else(|| format!("its `thinking_format` is `{format}`, which is not known here"))?;
    let mut system = format!(
        "{how} Answer with JSON alone: \"thinking\", a text with your reasoning, and \"answer\"."
    );
    let examples = with.get("few_shot_examples").and_then(Value::as_array);
    for example in examples.into_iter().flatten() {
        system.push_str(&format!("\n\nAn example: {example}"));
    }
    const USED: [&str; 6] = [
        "problem",
        "thinking_format",
        "few_shot_examples",
        "model",
        "temperature",
        "max_tokens",
    ];
    unused(steps, "reason.cot", with, place, &USED);
    let call = asking(
        with,
        "model",
        json!({ "system": system, "prompt": problem, "response_format": { "type": "json_object" } }),
    );
    let mut made = model_call(steps, name, "llm.call", &call, place, from)?;
    made.source.push_str(&format!(
        "\nlocal done, said = pcall(json.decode, content)\nif not done or type(said) ~= \"table\" then said = {{ thinking = \"\", answer = content }} end\nlocal trace = array({{}})\ntable.insert(trace, {{ step = \"cot_response\", thinking = said.thinking, answer = said.answer }})\nresult = {{ thinking = said.thinking, answer = said.answer, reasoning_thinking = said.thinking, reasoning_answer = said.answer, reasoning_trace = trace, thinking_format = \"{format}\" }}"
    ));
    steps.build.approximated(
        place,
        None,
        format!("“{name}” asks a model with a prompt of this program's own; the trace has no time stamps."),
    );
    Ok(made)
}

/// The arguments of a model call: `own`, and of `with` how the model is asked.
fn asking(with: &Value, model: &str, own: Value) -> Value {
    let mut call = own;
    for (field, of) in [
        ("model", model),
        ("temperature", "temperature"),
        ("max_tokens", "max_tokens"),
    ] {
        if let Some(value) = with.get(of).or_else(|| with.get(field)) {
            call[field] = value.clone();
        }
    }
    call
}

/// `reason.self_correct`: an answer, and a loop of a critique and a better answer.
pub(super) fn self_correct(
    steps: &mut Steps<'_, '_>,
    name: &str,
    config: &Map<String, Value>,
    place: &str,
    from: Vec<Port>,
) -> Result<Vec<Port>, ImportError> {
    let empty = json!({});
    let with = actions::arguments(config).unwrap_or(&empty);
    let place = format!("{place}.with");
    let rounds = with
        .get("improvement_rounds")
        .map(|asked| constant(steps, asked).unwrap_or_else(|| asked.clone()));
    let rounds = match &rounds {
        None => Some(2),
        Some(asked) => asked
            .as_u64()
            .filter(|most| (1..=MOST_ITERATIONS).contains(most)),
    };
    let (Some(rounds), Some(task)) = (rounds, with.get("task").and_then(Value::as_str)) else {
        let why =
            format!("it wants a `task`, and `improvement_rounds` in the range 1-{MOST_ITERATIONS}");
        return Ok(steps.keep(name, config, &place, &from, &why));
    };
    const USED: [&str; 8] = [
        "task",
        "model",
        "generator_model",
        "critic_model",
        "improvement_rounds",
        "critic_prompt",
        "temperature",
        "max_tokens",
    ];
    unused(steps, "reason.self_correct", with, &place, &USED);
    let from = joined(steps.build, from);
    let generate = asking(with, "generator_model", json!({ "prompt": task }));
    let first = match model_call(
        steps,
        &format!("First {name}"),
        "llm.call",
        &generate,
        &place,
        &from,
    ) {
        Ok(made) => made,
        Err(why) => return Ok(steps.keep(name, config, &place, &from, &why)),
    };
    let begin = settled(
        steps,
        &format!("Begin {name}"),
        first,
        "state._draft = result.content\nstate._drafts = array({})\nreturn state",
    );
    steps.build.enter("reason.self_correct", &place);
    steps.build.permit_iterations(rounds);
    let start = steps.build.node(
        "loop",
        name,
        json!({
            "maxIterations": rounds, "exitCondition": "max_iterations", "feedbackMode": "replace", "inputName": "state"
        }),
    );
    steps
        .build
        .wire(&Port::of(&begin), &Port::at(&start, "input"));
    let outer = std::mem::replace(
        &mut steps.bound,
        vec![("output", "_draft"), ("critique", "_critique")],
    );
    let done = round(steps, name, with, task, &place, &start);
    steps.bound = outer;
    let end = match done {
        Ok(end) => end,
        // Its first call was read, so that only the critic's own prompt can be at fault.
        Err(why) => steps.keep(
            &format!("Critic of {name}"),
            config,
            &place,
            &[Port::at(&start, "body")],
            &why,
        ),
    };
    steps.build.leave();
    let exit = steps
        .build
        .node("exit", &format!("End of {name}"), json!({}));
    steps.build.wire_all(&end, &Port::of(&exit));
    steps.build.approximated(
        &place,
        Some(&start),
        format!("Asks {rounds} times for a critique and a better answer, with prompts of this program's own where the file gives none. The trace is left out."),
    );
    let made = Made {
        from: vec![Port::of(&exit)],
        wires: from.iter().map(|port| ("before".to_owned(), port.clone())).collect(),
        source: "local result = { output = state._draft, improvement_history = state._drafts, rounds_completed = #state._drafts, reasoning_trace = array({}) }\nstate = before".to_owned(),
        given: None,
    };
    Ok(actions::finish(steps, name, config, &place, made))
}

/// A critique of the draft and the draft made from it.
fn round(
    steps: &mut Steps<'_, '_>,
    name: &str,
    with: &Value,
    task: &str,
    place: &str,
    start: &str,
) -> Result<Vec<Port>, String> {
    let critic = with
        .get("critic_prompt")
        .and_then(Value::as_str)
        .map_or_else(
            || format!("Say what is wrong with this answer, and how to mend it.\n\nThe task: {task}\n\nThe answer: {{{{ output }}}}"),
            str::to_owned,
        );
    let critic = asking(with, "critic_model", json!({ "prompt": critic }));
    let asked = model_call(
        steps,
        &format!("Critique of {name}"),
        "llm.call",
        &critic,
        place,
        &[Port::at(start, "body")],
    )?;
    let critique = settled(
        steps,
        &format!("Take the critique of {name}"),
        asked,
        "state._critique = result.content\nreturn state",
    );
    let better = format!(
        "Write the answer anew, mended as the critique says. Give the answer alone.\n\nThe task: {task}\n\nThe answer: {{{{ output }}}}\n\nThe critique: {{{{ critique }}}}"
    );
    let better = asking(with, "generator_model", json!({ "prompt": better }));
    let asked = model_call(
        steps,
        &format!("Better {name}"),
        "llm.call",
        &better,
        place,
        &[Port::of(&critique)],
    )?;
    let taken = settled(
        steps,
        &format!("Take the better {name}"),
        asked,
        "table.insert(state._drafts, { round = loopIndex + 1, output = state._draft, critique = state._critique, improved_output = result.content })\nstate._draft = result.content\nreturn state",
    );
    Ok(vec![Port::of(&taken)])
}
