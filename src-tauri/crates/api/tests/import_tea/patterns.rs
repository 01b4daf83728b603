//! Actions that are several nodes here: reflection, reasoning, teams of agents, checks by schema, tables as text.

use loopwright_engine::event::ExitReason;
use loopwright_providers::fake::Reply;
use serde_json::{Value, json};

use super::{final_state, read, run};

fn replies(texts: &[&str]) -> Vec<Reply> {
    texts.iter().map(|text| Reply::text(text)).collect()
}

fn ends(text: &str, state: &Value, texts: &[&str]) -> Value {
    final_state(&run(&read(text), state, replies(texts)).0)
}

const PROFILE: &str = r#"
nodes:
- name: profile
  uses: reflection.loop
  with:
    generator: {action: llm.call, prompt: "Make a profile of {{ state.who }}"}
    evaluator:
      type: schema
      schema: {type: object, required: [name], properties: {name: {type: string}, age: {type: integer}}}
    corrector: {run: "result = {'tries': state.get('tries', 0) + 1}"}
    max_iterations: 3
"#;

#[test]
fn a_reflection_ends_with_the_first_valid_output() {
    let texts = [
        "no JSON",
        "{\"age\": 1}",
        "{\"name\": \"Ada\", \"age\": 36}",
    ];
    let (done, models) = run(&read(PROFILE), &json!({ "who": "Ada" }), replies(&texts));
    let state = final_state(&done);
    assert_eq!(models.calls().len(), 3);
    assert_eq!(done.state.iterations, Some(3));
    assert_eq!(done.state.exit_reason, Some(ExitReason::EvaluatorDone));
    assert_eq!(state["name"], "Ada");
    assert_eq!(state["success"], true);
    assert_eq!(state["reflection_iteration"], 3);
    assert_eq!(state["reflection_best_score"], 1);
    assert_eq!(state["reflection_errors"], json!([]));
    let history = state["reflection_history"].as_array().unwrap();
    assert_eq!(history.len(), 3);
    assert!(
        history[1]["errors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("name")
    );
    // What the corrector gives is the next pass's, and not the state's behind the loop.
    assert_eq!(state.get("tries"), None);
    assert_eq!(state["who"], "Ada");
}

#[test]
fn a_reflection_without_a_valid_output_ends_as_it_says() {
    let texts = ["{\"age\": 1}", "{\"age\": 2}", "{\"age\": 3}"];
    let state = ends(PROFILE, &json!({}), &texts);
    assert_eq!(
        (&state["success"], &state["exhausted"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(
        state["reflection_output"],
        json!({ "age": 1 }),
        "the first of equals is the best"
    );
    let last = PROFILE.replace(
        "max_iterations: 3",
        "max_iterations: 3\n    on_failure: return_last",
    );
    assert_eq!(
        ends(&last, &json!({}), &texts)["reflection_output"],
        json!({ "age": 3 })
    );
    let raise = PROFILE.replace(
        "max_iterations: 3",
        "max_iterations: 2\n    on_failure: raise",
    );
    let (done, _) = run(&read(&raise), &json!({}), replies(&texts));
    let error = done.state.error.unwrap();
    assert!(
        error.message.contains("failed after 2 iterations"),
        "{}",
        error.message
    );
    for (from, to, says) in [
        ("max_iterations: 3", "max_iterations: 0", "range 1-1000"),
        ("type: schema", "type: mood", "schema, llm and custom"),
        ("{action: llm.call,", "{", "neither `action` nor `run`"),
    ] {
        let entries = read(&PROFILE.replace(from, to)).report.entries;
        assert!(
            entries.iter().any(|entry| entry.message.contains(says)),
            "{to}: {entries:?}"
        );
    }
}

#[test]
fn a_reflection_is_judged_by_a_model_or_by_code() {
    let judged = PROFILE.replace(
        "      type: schema\n      schema: {type: object, required: [name], properties: {name: {type: string}, age: {type: integer}}}\n",
        "      type: llm\n      prompt: \"Is this good? {{ output }}\"\n",
    );
    let texts = [
        "poor",
        "{\"valid\": false, \"score\": 0.3, \"reason\": \"dull\"}",
        "rich",
        "{\"valid\": true, \"score\": 0.9}",
    ];
    let (done, models) = run(&read(&judged), &json!({}), replies(&texts));
    let state = final_state(&done);
    assert_eq!(state["reflection_output"], "rich");
    assert_eq!(state["reflection_best_score"], 0.9);
    assert_eq!(
        state["reflection_history"][0]["errors"][0]["message"],
        "dull"
    );
    let asked = format!("{:?}", models.calls()[1]);
    assert!(asked.contains("Is this good? poor"), "{asked}");
    let coded = PROFILE.replace(
        "      type: schema\n      schema: {type: object, required: [name], properties: {name: {type: string}, age: {type: integer}}}\n",
        "      type: custom\n      run: |\n        words = output.split()\n        result = {\"valid\": len(words) >= 2, \"score\": len(words) / 2}\n",
    );
    let state = ends(&coded, &json!({}), &["one", "one two"]);
    assert_eq!(
        (&state["reflection_iteration"], &state["valid"]),
        (&json!(2), &json!(true))
    );
}

#[test]
fn an_answer_is_criticised_and_made_better() {
    let text = "variables: {rounds: 2}\nnodes:\n- name: essay\n  uses: reason.self_correct\n  with:\n    task: Write about {{ state.topic }}\n    improvement_rounds: \"{{ variables.rounds }}\"\n    critic_prompt: \"Review: {{ output }}\"\n  output: made\n";
    let texts = ["draft", "too short", "longer", "too long", "right"];
    let (done, models) = run(&read(text), &json!({ "topic": "sea" }), replies(&texts));
    let state = final_state(&done);
    assert_eq!(state["made"]["output"], "right");
    assert_eq!(state["made"]["rounds_completed"], 2);
    assert_eq!(
        state["made"]["improvement_history"][1]["critique"],
        "too long"
    );
    let asked: Vec<String> = models
        .calls()
        .iter()
        .map(|asked| format!("{asked:?}"))
        .collect();
    assert!(
        asked[0].contains("Write about sea") && asked[3].contains("Review: longer"),
        "{asked:#?}"
    );
    let text = "nodes:\n- name: think\n  uses: reason.cot\n  with: {problem: \"{{ state.q }}\"}\n  output: made\n";
    let state = ends(
        text,
        &json!({ "q": "2+2" }),
        &["{\"thinking\": \"add\", \"answer\": \"4\"}"],
    );
    assert_eq!(
        (&state["made"]["answer"], &state["made"]["thinking"]),
        (&json!("4"), &json!("add"))
    );
}

const TEAM: &str = "settings:\n  agents:\n    one: {system_prompt: You are one}\n    two: {system_prompt: You are two}\n    three: {model: m3}\nnodes:\n- name: work\n  action: agent.ACTION\n  params: {PARAMS}\n  output: made\n";

#[test]
fn agents_do_tasks_alone_in_a_row_and_at_once() {
    let team =
        |action: &str, params: &str| TEAM.replace("ACTION", action).replace("PARAMS", params);
    let alone = team("dispatch", "agent: two, task: \"Say {{ state.x }}\"");
    let (done, models) = run(&read(&alone), &json!({ "x": "hi" }), replies(&["hello"]));
    let made = final_state(&done)["made"].clone();
    assert_eq!(
        (&made["response"], &made["agent"]),
        (&json!("hello"), &json!("two"))
    );
    let asked = format!("{:?}", models.calls()[0]);
    assert!(
        asked.contains("You are two") && asked.contains("Say hi"),
        "{asked}"
    );
    let row = team(
        "sequential",
        "agents: [one, two], task: Begin, transform: \"Improve {{ previous_response }}\"",
    );
    let (done, models) = run(&read(&row), &json!({}), replies(&["first", "second"]));
    let made = final_state(&done)["made"].clone();
    assert_eq!(made["response"], "second");
    assert_eq!(
        made["chain"],
        json!([{ "agent": "one", "response": "first" }, { "agent": "two", "response": "second" }])
    );
    assert!(format!("{:?}", models.calls()[1]).contains("Improve first"));
    let vote = team(
        "parallel",
        "agents: [one, two, three], task: Vote, aggregation: vote",
    );
    let made = ends(&vote, &json!({}), &["yes", "yes", "no"])["made"].clone();
    assert_eq!(
        (&made["result"], &made["unanimous"]),
        (&json!("yes"), &json!(false))
    );
    let entries = read(&team("dispatch", "agent: tow, task: x"))
        .report
        .entries;
    assert!(
        entries
            .iter()
            .any(|entry| entry.message.contains("no agent “tow”")),
        "{entries:?}"
    );
}

#[test]
fn a_schema_checks_alone_and_in_a_retry() {
    let text = "nodes:\n- name: check\n  uses: data.validate\n  with: {data: \"{{ state.user }}\", schema: {type: object, required: [name]}}\n  output: made\n";
    let made = ends(text, &json!({ "user": { "name": "Ada" } }), &[])["made"].clone();
    assert_eq!(
        made,
        json!({ "valid": true, "errors": [], "success": true })
    );
    let made = ends(text, &json!({ "user": {} }), &[])["made"].clone();
    assert_eq!(made["valid"], false);
    assert!(
        made["errors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("name"),
        "{made}"
    );
    let text = "nodes:\n- name: check\n  uses: retry.loop\n  with:\n    validate: data.validate\n    validate_args: {data: \"{{ state.user }}\", schema: {type: object, required: [name]}}\n    correct: mend\n    max_retries: 2\n- name: mend\n  run: |\n    return {\"user\": {\"name\": state[\"_retry_errors\"][0][\"message\"]}}\nedges:\n- {from: __start__, to: check}\n- {from: check, to: __end__}\n";
    let state = ends(text, &json!({ "user": {} }), &[]);
    assert_eq!(
        (&state["_retry_count"], &state["_retry_exhausted"]),
        (&json!(1), &json!(false))
    );
    assert!(
        state["user"]["name"].as_str().unwrap().contains("required"),
        "{state}"
    );
}

#[test]
fn tables_are_read_from_text_and_written_as_text() {
    let text = "nodes:\n- name: take\n  uses: csv.parse\n  with: {text: \"{{ state.csv }}\"}\n  output: table\n- name: give\n  uses: csv.stringify\n  with: {data: \"{{ state.table.data }}\", headers: [b, a], delimiter: ;}\n  output: text\n";
    let csv = "a,b\r\n1,\"x, \"\"y\"\"\"\n2,\"two\nlines\"\n";
    let state = ends(text, &json!({ "csv": csv }), &[]);
    assert_eq!(
        state["table"],
        json!({ "data": [{ "a": "1", "b": "x, \"y\"" }, { "a": "2", "b": "two\nlines" }], "headers": ["a", "b"], "row_count": 2, "success": true })
    );
    assert_eq!(
        state["text"]["text"],
        "b;a\r\n\"x, \"\"y\"\"\";1\r\n\"two\nlines\";2\r\n"
    );
    let bare = text.replace(
        "csv.parse\n  with: {",
        "csv.parse\n  with: {has_header: false, ",
    );
    let bare = bare.split("- name: give").next().unwrap().to_owned();
    let state = ends(&bare, &json!({ "csv": "1,2\n3," }), &[]);
    assert_eq!(state["table"]["data"], json!([["1", "2"], ["3", ""]]));
}

#[test]
fn filters_of_templates_give_what_jinjas_do() {
    let state = json!({ "l": [3, 1, 2], "o": [{ "n": "b", "k": 2 }, { "n": "a", "k": 1 }], "s": "hello world", "empty": "" });
    for (expression, expected) in [
        ("state.empty | default('x', true)", json!("x")),
        ("state.empty | default('x')", json!("")),
        ("state.l | sort(reverse=true)", json!([3, 2, 1])),
        (
            "state.o | sort(attribute='n') | map(attribute='k') | list",
            json!([1, 2]),
        ),
        (
            "state.o | selectattr('k', 'gt', 1) | map(attribute='n') | join(',')",
            json!("b"),
        ),
        (
            "state.o | rejectattr('n', 'equalto', 'b') | list",
            json!([{ "n": "a", "k": 1 }]),
        ),
        ("state.o | join('-', attribute='n')", json!("b-a")),
        ("['a', 'b'] | map('upper') | join", json!("AB")),
        ("state.s | truncate(5, true, '')", json!("hello")),
        ("state.s | split(' ') | last", json!("world")),
        ("state.l | tojson(indent=2)", json!("[\n  3,\n  1,\n  2\n]")),
        ("2.345 | round(1, 'floor')", json!(2.3)),
    ] {
        let text = json!({ "nodes": [{ "name": "a", "uses": "state.set", "with": { "x": format!("{{{{ {expression} }}}}") } }] });
        assert_eq!(
            ends(&text.to_string(), &state, &[])["x"],
            expected,
            "{expression}"
        );
    }
    // Constants are written in, whatever quotes and backslashes they hold.
    let text = json!({ "variables": { "v": "a\"b'c`d\\e" }, "nodes": [{ "name": "a", "uses": "state.set", "with": { "x": "{{ variables.v }}" } }] });
    assert_eq!(ends(&text.to_string(), &state, &[])["x"], "a\"b'c`d\\e");
    for expression in [
        "state.l | sum",
        "state.l | sort(case_sensitive=true)",
        "state.s | replace('l', 'x', 1)",
    ] {
        let text = json!({ "nodes": [{ "name": "a", "uses": "state.set", "with": { "x": format!("{{{{ {expression} }}}}") } }] });
        let entries = read(&text.to_string()).report.entries;
        assert!(
            entries
                .iter()
                .any(|entry| entry.message.contains("the filter")),
            "{expression}: {entries:?}"
        );
    }
}
