//! Workflows with loop containers. Each is imported and run with real shells and scripts, and must produce the same results
//! as in the program for which it was written.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use loopwright_api as api;
use loopwright_runs as runs;

#[path = "import_robomesh/scripts.rs"]
mod scripts;

use std::{fs, path::Path, sync::Arc};

use loopwright_api::App;
use loopwright_api::{ApprovalPolicy, Focus, ImportOptions, RunStatus};
use loopwright_engine::trust::Grants;
use loopwright_import::{Import, Options, Outcome, import};
use loopwright_runs::{RunOptions, RunOutcome};
use loopwright_testing::scripted::Reply;
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;

use crate::imported::{World, cases, imported, outcomes, problems};

/// A folder, and an app that has its data there.
struct Place {
    folder: tempfile::TempDir,
    app: Arc<App>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let app = App::open(&folder.path().join("data"), Handle::current()).unwrap();
        Self { folder, app }
    }

    fn path(&self) -> std::path::PathBuf {
        fs::canonicalize(self.folder.path()).unwrap()
    }

    /// Runs a flow, with everything that it would use approved.
    async fn run(&self, document: Value, inputs: Value) -> RunOutcome {
        let path = self.path().join("flow.json").display().to_string();
        let list = runs::grants(self.app.env(), document.clone(), Some(&path)).unwrap();
        let allow: Grants = list.needs.into_iter().map(|need| need.item).collect();
        let options = RunOptions {
            document,
            flow_path: Some(path),
            inputs: inputs.as_object().cloned().unwrap_or_default(),
            approve: ApprovalPolicy::None,
            focus: Focus::default(),
            events: Arc::new(|_| {}),
        };
        let started = runs::start_run_with(self.app.env(), options, allow).unwrap();
        started.finished.await.unwrap().unwrap()
    }

    async fn imported(&self, text: &str, inputs: Value) -> RunOutcome {
        let import = imported(text, None);
        self.run(serde_json::to_value(&import.flow).unwrap(), inputs)
            .await
    }
}

#[track_caller]
fn outputs(outcome: &RunOutcome) -> Value {
    assert_eq!(
        outcome.status,
        RunStatus::Completed,
        "{:?}",
        outcome.state.error
    );
    outcome.state.outputs.clone().map(Value::from).unwrap()
}

#[track_caller]
fn error(outcome: &RunOutcome) -> String {
    assert_eq!(
        outcome.status,
        RunStatus::Failed,
        "{:?}",
        outcome.state.outputs
    );
    outcome.state.error.as_ref().unwrap().message.clone()
}

/// Returns a workflow with these nodes. Edges are written as `node.output > node.input`. An end without a dot names no
/// handle.
fn workflow(nodes: Value, edges: &[&str]) -> String {
    let end = |end: &str, prefix: &str| {
        let (node, handle) = end.split_once('.').unwrap_or((end, ""));
        let handle = match handle {
            "" => Value::Null,
            handle if handle.starts_with("dock:") || handle.contains(':') => json!(handle),
            handle => json!(format!("{prefix}:{handle}")),
        };
        (node.to_owned(), handle)
    };
    let edges: Vec<Value> = edges
        .iter()
        .enumerate()
        .map(|(at, edge)| {
            let (from, to) = edge.split_once(" > ").unwrap();
            let ((source, out), (target, into)) = (end(from, "output"), end(to, "input"));
            let mut edge = json!({ "id": format!("e{at}"), "source": source, "target": target });
            if !out.is_null() {
                edge["sourceHandle"] = out;
            }
            if !into.is_null() {
                edge["targetHandle"] = into;
            }
            edge
        })
        .collect();
    json!({ "version": 2, "metadata": { "name": "case" }, "nodes": nodes, "edges": edges })
        .to_string()
}

fn node(id: &str, kind: &str, data: Value) -> Value {
    let mut data = data;
    data["nodeType"] = json!(kind);
    json!({ "id": id, "type": kind, "data": data })
}

fn inside(parent: &str, node: Value) -> Value {
    let mut node = node;
    node["parentId"] = json!(parent);
    node
}

fn constant(id: &str, value: Value) -> Value {
    node(
        id,
        "constant",
        json!({ "value": value, "outputs": [{ "name": "value" }] }),
    )
}

/// Returns a function node with these outputs. Its inputs are written as `name:type`.
fn function(id: &str, code: &str, inputs: &[&str], outs: &[&str]) -> Value {
    let inputs: Vec<Value> = inputs
        .iter()
        .map(|input| {
            let (name, kind) = input.split_once(':').unwrap_or((input, "any"));
            json!({ "name": name, "type": kind })
        })
        .collect();
    let outs: Vec<Value> = outs.iter().map(|name| json!({ "name": name })).collect();
    node(
        id,
        "function",
        json!({ "code": code, "inputs": inputs, "outputs": outs }),
    )
}

fn shell(id: &str, script: &str, inputs: &[&str]) -> Value {
    let inputs: Vec<Value> = inputs
        .iter()
        .map(|name| json!({ "name": name, "type": "any" }))
        .collect();
    let outs = ["output", "stdout", "stderr", "exitCode"].map(|name| json!({ "name": name }));
    node(
        id,
        "shell",
        json!({ "script": script, "inputs": inputs, "outputs": outs }),
    )
}

fn docks(id: &str, more: Value) -> Value {
    let mut data = json!({ "maxIterations": 6, "inputs": [], "outputs": [], "dockSlots": [
        { "name": "i", "type": "iteration" }, { "name": "c", "type": "continue" }, { "name": "acc", "type": "feedback" }] });
    data.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    node(id, "loop", data)
}

#[track_caller]
fn kept(text: &str, says: &str) {
    let import = imported(text, None);
    let kept = outcomes(&import, Outcome::Placeholder);
    assert!(
        kept.iter().any(|kept| kept.contains(says)),
        "{says}: {kept:?}"
    );
    assert!(problems(&import.flow, &loopwright_nodes::all()).is_empty());
}

// Workflows that were once imported incorrectly, with the results that their own program gives.

#[tokio::test]
async fn an_input_has_its_default() {
    let place = Place::new();
    let mut greets = function("F", "return { r: inputs.g + \"!\" }", &["g:string"], &["r"]);
    greets["data"]["inputs"][0]["default"] = json!("hi");
    let text = workflow(
        json!([greets, shell("A", "echo \"{{ inputs.v }}\"", &["v"])]),
        &["F.r > A.v"],
    );
    assert_eq!(
        outputs(&place.imported(&text, json!({})).await),
        json!({ "A": "hi!" })
    );

    let mut prints = shell("A", "echo \"{{ inputs.g }} x {{ inputs.n }}\"", &["g", "n"]);
    prints["data"]["inputs"][0]["default"] = json!("hi {# there");
    prints["data"]["inputs"][1]["default"] = json!([1, "a"]);
    let text = workflow(json!([prints]), &[]);
    assert_eq!(
        outputs(&place.imported(&text, json!({})).await),
        json!({ "A": "hi {# there x [1,a]" })
    );

    let looping = docks(
        "L",
        json!({ "inputs": [{ "name": "m", "type": "number", "default": 3 }] }),
    );
    let counts = inside(
        "L",
        function(
            "F",
            "return { go: inputs.i < inputs.m }",
            &["i:number", "m:number"],
            &["go"],
        ),
    );
    let text = workflow(
        json!([looping, counts]),
        &[
            "L.dock:i:output > F.i",
            "L.input:m:internal > F.m",
            "F.go > L.dock:c:input",
        ],
    );
    let done = place.imported(&text, json!({})).await;
    assert_eq!(outputs(&done), json!({ "L": 3 }));
    assert_eq!(done.state.iterations, Some(3));
}

#[tokio::test]
async fn inputs_have_the_types_that_they_declare() {
    let place = Place::new();
    for (kind, value, code, gives) in [
        ("number", json!("7"), "return { r: inputs.n + 1 }", json!(8)),
        (
            "number",
            json!("7 apples"),
            "return { r: inputs.n + 1 }",
            json!(8),
        ),
        (
            "number",
            json!("no"),
            "return { r: inputs.n + 1 }",
            json!("no1"),
        ),
        (
            "string",
            json!(7),
            "return { r: inputs.n + 1 }",
            json!("71"),
        ),
        (
            "boolean",
            json!("TRUE"),
            "return { r: inputs.n === true }",
            json!(true),
        ),
        (
            "boolean",
            json!("false"),
            "return { r: inputs.n === false }",
            json!(true),
        ),
        (
            "boolean",
            json!("yes"),
            "return { r: inputs.n === true }",
            json!(true),
        ),
        (
            "boolean",
            json!(0),
            "return { r: inputs.n === false }",
            json!(true),
        ),
        (
            "object",
            json!("{\"a\":[1]}"),
            "return { r: inputs.n.a[0] }",
            json!(1),
        ),
        (
            "object",
            json!("{no"),
            "return { r: inputs.n }",
            json!("{no"),
        ),
        ("any", json!("7"), "return { r: inputs.n + 1 }", json!("71")),
        (
            "number",
            Value::Null,
            "return { r: inputs.n === null }",
            json!(true),
        ),
    ] {
        let text = workflow(
            json!([
                constant("K", value.clone()),
                function("F", code, &[&format!("n:{kind}")], &["r"])
            ]),
            &["K.value > F.n"],
        );
        let done = place.imported(&text, json!({})).await;
        assert_eq!(outputs(&done)["F"]["r"], gives, "{kind} of {value}");
    }
}

#[tokio::test]
async fn a_loop_continues_with_what_is_true_there() {
    let place = Place::new();
    for (values, iterations) in [
        (json!(["TRUE", "True", "yes"]), 3),
        (json!([1, 1, 0]), 3),
        (json!([true, false]), 2),
        (json!(["1"]), 1),
        (json!([null]), 1),
        (json!([[], {}, ""]), 3),
    ] {
        let code = format!("return {{ go: {values}[inputs.i - 1] }}");
        let text = workflow(
            json!([
                docks("L", json!({})),
                inside("L", function("F", &code, &["i:number"], &["go"]))
            ]),
            &["L.dock:i:output > F.i", "F.go > L.dock:c:input"],
        );
        let done = place.imported(&text, json!({})).await;
        assert_eq!(outputs(&done)["L"], iterations, "{values}");
    }
}

#[tokio::test]
async fn a_function_at_the_end_gives_its_outputs() {
    let text = workflow(
        json!([
            constant("K", json!(2)),
            function(
                "F",
                "return { r: inputs.n * 2, s: 'x' }",
                &["n:number"],
                &["r", "s"]
            )
        ]),
        &["K.value > F.n"],
    );
    let done = Place::new().imported(&text, json!({})).await;
    assert_eq!(outputs(&done), json!({ "F": { "r": 4, "s": "x" } }));
}

#[tokio::test]
async fn feedback_goes_from_iteration_to_iteration_and_what_never_runs_is_left_out() {
    let code = "const a=(inputs.acc||0)+inputs.i; return { acc:a, go: a<8 }";
    let text = workflow(
        json!([
            docks("L", json!({ "outputs": [{ "name": "total" }] })),
            inside(
                "L",
                function("F", code, &["i:number", "acc:number"], &["acc", "go"])
            ),
            shell("after", "echo \"total={{ inputs.t }}\"", &["t"]),
            shell("further", "echo {{ after.stdout }}", &[])
        ]),
        &[
            "L.dock:i:output > F.i",
            "L.dock:acc:prev > F.acc",
            "F.acc > L.dock:acc:current",
            "F.go > L.dock:c:input",
            "F.acc > after.t",
            "after > further",
        ],
    );
    let import = imported(&text, None);
    let left = outcomes(&import, Outcome::Ignored);
    assert!(
        left.iter().any(|left| left.starts_with("after: ")
            && left.contains("“F”")
            && left.contains("boundary of a loop")),
        "{left:?}"
    );
    assert!(
        left.iter()
            .any(|left| left.starts_with("further: ") && left.contains("“after”")),
        "{left:?}"
    );
    let done = Place::new().imported(&text, json!({})).await;
    assert_eq!(outputs(&done), json!({ "L": 4 }));
}

#[tokio::test]
async fn a_component_in_a_file_gives_what_its_last_nodes_give() {
    let place = Place::new();
    fs::create_dir(place.path().join("parts")).unwrap();
    let trigger = node(
        "t",
        "trigger",
        json!({ "outputs": [{ "name": "greeting" }, { "name": "name" }, { "name": "text" }] }),
    );
    let greeting = workflow(
        json!([
            trigger,
            shell(
                "s",
                "echo \"{{ inputs.greeting }}, {{ inputs.name }}!{{ t.text }}\"",
                &["greeting", "name"]
            )
        ]),
        &["t.greeting > s.greeting", "t.name > s.name"],
    );
    fs::write(place.path().join("parts/greeting.yaml"), greeting).unwrap();
    let component = node(
        "C",
        "component",
        json!({ "workflowPath": "parts/greeting.yaml",
        "inputs": [{ "name": "name" }, { "name": "greeting", "default": "Hello" }], "outputs": [{ "name": "stdout" }] }),
    );
    let check = "echo \"Received: {{ inputs.result }}\"\nif echo \"{{ inputs.result }}\" | grep -q \"Hello, Ada!\"; then echo fine; else exit 1; fi";
    let text = workflow(
        json!([
            constant("K", json!("Ada")),
            component,
            shell("V", check, &["result"])
        ]),
        &["K.value > C.name", "C.stdout > V.result"],
    );
    let file = place.path().join("main.json");
    fs::write(&file, text).unwrap();
    let import = api::import_flow(
        place.app.env(),
        file.to_str().unwrap(),
        ImportOptions::default(),
    )
    .unwrap();
    let done = place.run(import.document, json!({})).await;
    assert_eq!(
        outputs(&done),
        json!({ "V": "Received: Hello, Ada!\nfine" })
    );
}

// Shells.

/// Runs a shell node and returns the outcome of the run.
async fn printed(place: &Place, data: Value, inputs: Value) -> RunOutcome {
    let mut data = data;
    if data.get("outputs").is_none() {
        data["outputs"] = json!([{ "name": "output" }, { "name": "stdout" }, { "name": "stderr" }, { "name": "exitCode" }]);
    }
    let names: Vec<String> = data["outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|output| output["name"].as_str().unwrap().to_owned())
        .collect();
    let ins: Vec<&str> = names.iter().map(String::as_str).collect();
    let edges: Vec<String> = names
        .iter()
        .map(|name| format!("S.{name} > F.{name}"))
        .collect();
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    let text = workflow(
        json!([
            node("S", "shell", data),
            function("F", "return { ...inputs }", &ins, &ins)
        ]),
        &edges,
    );
    place.imported(&text, inputs).await
}

#[tokio::test]
async fn shells_give_what_the_source_gives() {
    let place = Place::new();
    for (data, gives) in [
        (
            json!({ "script": "echo '  a  '; echo b >&2" }),
            json!({ "output": "a", "stdout": "a", "stderr": "b", "exitCode": 0 }),
        ),
        // Standard output is empty, so `output` contains only the text of standard error.
        (
            json!({ "script": "echo only >&2" }),
            json!({ "output": "[stderr]\nonly", "stdout": "", "stderr": "only", "exitCode": 0 }),
        ),
        (
            json!({ "script": "for i in 1 2 3; do printf '%s ' \"$i\"; done; awk 'BEGIN { print 7 / 2 }'" }),
            json!({ "output": "1 2 3 3.5", "stdout": "1 2 3 3.5", "stderr": "", "exitCode": 0 }),
        ),
        (
            json!({ "script": "cat <<'END'\n$HOME {{ nothing }} {% if %} {# no #} {{{ x.y }}}\nEND" }),
            json!({ "output": "$HOME {{ nothing }} {% if %} {# no #} {{{ x.y }}}", "stdout": "$HOME {{ nothing }} {% if %} {# no #} {{{ x.y }}}", "stderr": "", "exitCode": 0 }),
        ),
        (
            json!({ "commands": ["echo ' a '", "true", "", "echo b; echo e >&2"] }),
            json!({ "output": "a\n\nb", "stdout": "a\n\nb", "stderr": "\n\ne", "exitCode": 0 }),
        ),
        (
            json!({ "commands": ["X=1", "echo \"[$X]\""] , "script": " "}),
            json!({ "output": "\n[]", "stdout": "\n[]", "stderr": "\n", "exitCode": 0 }),
        ),
        (
            json!({ "script": "echo out; echo err >&2; exit 42", "continueOnFailure": true }),
            json!({ "output": "out\n\n[stderr]\nerr", "stdout": "", "stderr": "", "exitCode": 42 }),
        ),
        (
            json!({ "commands": ["echo a", "exit 3", "echo never"], "continueOnFailure": true }),
            json!({ "output": "a\n", "stdout": "", "stderr": "", "exitCode": 3 }),
        ),
        (
            json!({ "script": "echo 'Count = 12, CONTINUE=true'", "outputs": [
                { "name": "count", "extract": { "type": "regex", "pattern": "Count = (\\d+)" } },
                { "name": "none", "extract": { "type": "regex", "pattern": "None = (\\d+)" } },
                { "name": "all", "extract": { "type": "full" } }] }),
            json!({ "count": "12", "none": null, "all": "Count = 12, CONTINUE=true" }),
        ),
        (
            json!({ "script": "echo '{\"a\": {\"b\": [1, {\"c\": 2}]}}'", "outputs": [
                { "name": "b", "extract": { "type": "json_path", "pattern": "$.a.b" } },
                { "name": "c", "extract": { "type": "json_path", "pattern": "a.b.1.c" } }] }),
            json!({ "b": [1, { "c": 2 }], "c": 2 }),
        ),
        (
            json!({ "script": "" }),
            json!({ "output": "", "stdout": "", "stderr": "", "exitCode": 0 }),
        ),
    ] {
        let done = printed(&place, data.clone(), json!({})).await;
        assert_eq!(outputs(&done)["F"], gives, "{data}");
    }
    for (data, says) in [
        (
            json!({ "script": "echo before; echo why >&2; exit 3" }),
            "exit code 3: before\n\n[stderr]\nwhy",
        ),
        (
            json!({ "commands": ["false", "echo never"] }),
            "exit code 1",
        ),
    ] {
        let error = error(&printed(&place, data, json!({})).await);
        assert!(error.contains(says), "{error}");
    }
    let folder = place.path().join("sub");
    fs::create_dir(&folder).unwrap();
    let done = printed(&place, json!({ "script": "pwd", "path": "sub" }), json!({})).await;
    assert_eq!(
        outputs(&done)["F"]["stdout"],
        json!(folder.to_str().unwrap())
    );
}

#[tokio::test]
async fn values_are_inserted_into_shell_text_and_reported() {
    let place = Place::new();
    let text = workflow(
        json!([
            constant("K", json!("$(printf b)`printf c`")),
            constant("N", json!({ "x": [1.5, null] })),
            node(
                "Up_per",
                "shell",
                json!({ "label": "Say  It", "script": "printf '%s' \"{{ inputs.k }}\"; printf '%s' '{{ inputs.n }} {{ inputs.none }}'",
                "inputs": [{ "name": "k" }, { "name": "n" }, { "name": "none" }], "outputs": [{ "name": "stdout" }] })
            ),
            shell(
                "A",
                "printf '%s' '{{ say_it.output }}|{{ K.value }}|{{ A.stdout }}|{{ B.stdout }}'",
                &["input"]
            ),
            shell("B", "echo b", &["input"])
        ]),
        &[
            "K.value > Up_per.k",
            "N.value > Up_per.n",
            "Up_per.stdout > A.input",
            "A.stdout > B.input",
        ],
    );
    let import = imported(&text, None);
    let said = outcomes(&import, Outcome::Mapped).join("\n");
    assert!(
        said.contains("Up_per: Values are inserted into the text of the script"),
        "{said}"
    );
    let document = serde_json::to_value(&import.flow).unwrap();
    let path = place.path().join("flow.json").display().to_string();
    let needs = runs::grants(place.app.env(), document.clone(), Some(&path))
        .unwrap()
        .needs;
    assert!(
        needs
            .iter()
            .any(|need| need.item.contains("sh -c") && need.item.contains("inputs.in_k")),
        "{:?}",
        needs.iter().map(|need| &need.item).collect::<Vec<_>>()
    );
    let mut document = document;
    // An additional output shows the result of `A`.
    document["nodes"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "id": "seen", "type": "output", "data": { "name": "seen" } }));
    document["edges"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "id": "seen", "source": "A_result", "target": "seen" }));
    let done = place.run(document, json!({})).await;
    assert_eq!(
        outputs(&done)["seen"]["stdout"],
        "bc{\"x\":[1.5,null]} {{ inputs.none }}|$(printf b)`printf c`|{{ A.stdout }}|{{ B.stdout }}"
    );
}

/// The commands of a shell read two nodes whose ids result in the same variable name.
#[tokio::test]
async fn texts_of_a_shell_name_nodes_of_similar_ids() {
    let commands = node(
        "S",
        "shell",
        json!({ "commands": ["echo {{ a-b.value }}", "echo {{ a_b.value }}"],
        "inputs": [{ "name": "x" }, { "name": "y" }], "outputs": [{ "name": "stdout" }] }),
    );
    let text = workflow(
        json!([
            constant("a-b", json!("one")),
            constant("a_b", json!("other")),
            commands
        ]),
        &["a-b.value > S.x", "a_b.value > S.y"],
    );
    assert_eq!(
        outputs(&Place::new().imported(&text, json!({})).await),
        json!({ "S": "one\nother" })
    );
}

#[tokio::test]
async fn a_shell_is_given_the_variables_that_it_reads() {
    let place = Place::new();
    let text = workflow(
        json!([shell(
            "S",
            "N=1; echo \"$N $LOOPWRIGHT_TEST_TOKEN ${LOOPWRIGHT_MODE:-plain}\"",
            &[]
        )]),
        &[],
    );
    let import = imported(&text, None);
    let data = &import.flow.node("S").unwrap().data;
    assert_eq!(data["args"]["env"], json!(["LOOPWRIGHT_TEST_TOKEN"]));
    let said = outcomes(&import, Outcome::Approximated).join("\n");
    assert!(
        said.contains("LOOPWRIGHT_MODE from the environment"),
        "{said}"
    );
    assert!(said.contains("only the environment variables"), "{said}");
    // A variable that is not set is an error. In the other program, its value would be empty.
    let done = place.imported(&text, json!({})).await;
    assert!(
        error(&done).contains("LOOPWRIGHT_TEST_TOKEN"),
        "{}",
        error(&done)
    );
}

#[test]
fn variables_of_the_environment_are_found() {
    for (script, needs) in [
        ("echo $TOKEN ${HOST}", json!(["HOST", "TOKEN"])),
        ("A=1; echo $A $B", json!(["B"])),
        ("for F in *; do echo \"$F\"; done", Value::Null),
        ("while IFS= read -r LINE; do echo $LINE; done", Value::Null),
        (
            "echo '$NOT' \\$NOT # $NOT\necho \"it's $YES\"",
            json!(["YES"]),
        ),
        ("echo $1 $? $# $$ $HOME $PWD", Value::Null),
        ("echo ${MODE:-fast} ${A-b} ${C:+d}", Value::Null),
        ("awk '{ print $NF }' \"$FILE\"", json!(["FILE"])),
        ("echo é $É \\é $((N + 1))", Value::Null),
    ] {
        let import = imported(&workflow(json!([shell("S", script, &[])]), &[]), None);
        let args = &import.flow.node("S").unwrap().data["args"];
        assert_eq!(
            args.get("env").cloned().unwrap_or_default(),
            needs,
            "{script}"
        );
    }
}

// Functions.

#[tokio::test]
async fn functions_run_as_they_are() {
    let place = Place::new();
    for (code, outs, gives) in [
        (
            "class A { #x = 2; get x() { return this.#x } }\nreturn { r: new A().x }",
            &["r"][..],
            json!({ "r": 2 }),
        ),
        (
            "return { r: 'a-b'.replace(/(\\w)-(\\w)/u, '$2-$1') } // end",
            &["r"],
            json!({ "r": "b-a" }),
        ),
        (
            "return Promise.resolve({ r: 1 })",
            &["r"],
            json!({ "r": 1 }),
        ),
        (
            "const f = async () => ({ r: await 3 });\nreturn f()",
            &["r"],
            json!({ "r": 3 }),
        ),
        (
            "return { z: 1, a: { z: 1, a: undefined }, more: 3 }",
            &["z", "a"],
            json!({ "z": 1, "a": { "z": 1 } }),
        ),
        (
            "return { b: undefined, a: 1 }",
            &[],
            json!({ "output": "{\"b\":null,\"a\":1}" }),
        ),
        ("return [1, 2]", &[], json!({ "output": "[1,2]" })),
        (
            "return { r: typeof inputs.missing + arguments.length }",
            &["r"],
            json!({ "r": "undefined1" }),
        ),
        (
            "return { r: new Date('2024-02-03T00:00:00Z').getUTCDate() }",
            &["r"],
            json!({ "r": 3 }),
        ),
    ] {
        let text = workflow(json!([function("F", code, &["missing"], outs)]), &[]);
        let import = imported(&text, None);
        let source = import
            .flow
            .node("F")
            .unwrap_or_else(|| panic!("{code}: {:?}", import.report))
            .data["args"]["source"]
            .clone();
        assert!(source.as_str().unwrap().contains(code), "{source}");
        assert_eq!(
            outputs(&place.imported(&text, json!({})).await)["F"],
            gives,
            "{code}"
        );
    }
    for (code, outs, says) in [
        ("return 3", &["r"][..], "must return an object"),
        ("return null", &["r"], "must return an object"),
        ("return { s: 1 }", &["r"], "no output `r`"),
        ("return { r: NaN }", &["r"], "`r` is NaN"),
        ("return { r: undefined }", &["r"], "`r` is undefined"),
        (
            "return { r: [new Date('2024-01-01')] }",
            &["r"],
            "`r`[0] is Date",
        ),
        ("return { r: { x: new Map() } }", &["r"], "`r`.x is Map"),
        ("throw new Error('no way')", &["r"], "no way"),
    ] {
        let text = workflow(json!([function("F", code, &[], outs)]), &[]);
        let error = error(&place.imported(&text, json!({})).await);
        assert!(error.contains(says), "{code}: {error}");
    }
    for (code, says) in [
        ("return { r: 1 as number }", "is not a valid script"),
        ("return { r: fetch('x') }", "no network"),
        ("return { r: require('fs') }", "cannot use `require`"),
        ("return { r: new URL('http://x') }", "uses the name `URL`"),
        (
            "const x = await 1; return { r: x }",
            "not a valid function body",
        ),
        ("total = 1; return { r: total }", "without being declared"),
        ("return {}; }); ((inputs) => {", "is not a valid script"),
    ] {
        kept(
            &workflow(json!([function("F", code, &[], &["r"])]), &[]),
            says,
        );
    }
}

#[tokio::test]
async fn elements_of_a_list_are_one_input() {
    let place = Place::new();
    let list = node(
        "F",
        "function",
        json!({ "code": "return { r: inputs.values.join(inputs.separator), n: Object.keys(inputs).length }",
        "inputs": [
            { "name": "values", "type": "any", "array": true },
            { "name": "values[1]", "type": "string", "arrayParent": "values", "arrayIndex": 1 },
            { "name": "values[0]", "type": "string", "arrayParent": "values", "arrayIndex": 0 },
            { "name": "values[2]", "type": "string", "arrayParent": "values", "arrayIndex": 2 },
            { "name": "separator", "type": "string" }
        ], "outputs": [{ "name": "r" }, { "name": "n" }] }),
    );
    let text = workflow(
        json!([
            constant("a", json!("Hello")),
            constant("b", json!("World")),
            constant("s", json!(" ")),
            list
        ]),
        &[
            "a.value > F.values[0]",
            "b.value > F.values[1]",
            "s.value > F.separator",
        ],
    );
    assert_eq!(
        outputs(&place.imported(&text, json!({})).await)["F"],
        json!({ "r": "Hello World", "n": 2 })
    );
}

#[tokio::test]
async fn the_clock_and_chance_are_inputs_of_the_run() {
    let place = Place::new();
    let text = workflow(
        json!([function(
            "F",
            "return { r: new Date().getUTCFullYear(), x: Math.random() }",
            &[],
            &["r", "x"]
        )]),
        &[],
    );
    let import = imported(&text, None);
    let said = outcomes(&import, Outcome::Approximated).join("\n");
    assert!(
        said.contains("input `now`") && said.contains("input `seed`"),
        "{said}"
    );
    let year = |now: &str| json!({ "now": now, "seed": "a" });
    let one = outputs(&place.imported(&text, year("2031-05-01T00:00:00Z")).await);
    assert_eq!(one["F"]["r"], 2031);
    let other = outputs(
        &place
            .imported(&text, json!({ "now": "2031-05-01T00:00:00Z", "seed": "b" }))
            .await,
    );
    assert_ne!(one["F"]["x"], other["F"]["x"]);
}

/// A loop whose nodes increase a number until it is large enough. The loop has its own outputs.
#[tokio::test]
async fn a_shell_counts_from_iteration_to_iteration() {
    let text = crate::imported::fixture("containers/shell_counter.yaml");
    let done = Place::new().imported(&text, json!({})).await;
    assert_eq!(outputs(&done), json!({ "total": "7" }));
    assert_eq!(done.state.iterations, Some(4));
    let said = outcomes(&imported(&text, None), Outcome::Approximated).join("\n");
    assert!(said.contains("never starts"), "{said}");
}

// Parts that this program has no counterpart for.

#[tokio::test]
async fn what_fails_there_or_has_no_counterpart_is_a_placeholder() {
    let place = Place::new();
    let needs = node(
        "S",
        "shell",
        json!({ "script": "echo hi", "inputs": [{ "name": "x", "required": true }], "outputs": [{ "name": "output" }] }),
    );
    let typed = node(
        "K",
        "constant",
        json!({ "valueType": "number", "value": "7", "outputs": [{ "name": "value" }] }),
    );
    let counts = || inside("L", function("F", "return { go: false }", &[], &["go"]));
    for (text, says) in [
        (
            workflow(
                json!([
                    constant("a", json!(1)),
                    constant("b", json!(2)),
                    shell("S", "echo", &["input"])
                ]),
                &["a.value > S", "b.value > S"],
            ),
            "two edges lead to its input “input”",
        ),
        (
            workflow(
                json!([
                    constant("a", json!(1)),
                    shell("S", "echo {{ inputs.x }}", &["x"])
                ]),
                &["a.other > S.x"],
            ),
            "output “other” of “a”",
        ),
        (workflow(json!([needs]), &[]), "required input “x”"),
        (workflow(json!([typed]), &[]), "of the type number"),
        (
            workflow(json!([node("x", "interface-continue", json!({}))]), &[]),
            "nodes of the type interface-continue",
        ),
        (
            workflow(
                json!([node("x", "component", json!({ "componentRef": "gone" }))]),
                &[],
            ),
            "no component “gone”",
        ),
        (
            workflow(
                json!([node(
                    "x",
                    "component",
                    json!({ "workflowPath": "gone.yaml" })
                )]),
                &[],
            ),
            "the file gone.yaml",
        ),
        (
            workflow(
                json!([node("x", "function", json!({ "file": "a.ts" }))]),
                &[],
            ),
            "in the file a.ts",
        ),
        (
            workflow(json!([node("x", "agent", json!({ "prompt": "Hi" }))]), &[]),
            "no `runner`",
        ),
        (
            workflow(json!([docks("L", json!({})), counts()]), &[]),
            "continue dock",
        ),
    ] {
        kept(&text, says);
        let done = place.imported(&text, json!({})).await;
        assert!(
            error(&done).contains("could not be translated"),
            "{}",
            error(&done)
        );
    }
}

// The import's report.

#[test]
fn the_report_says_each_thing_once_and_the_most_serious_first() {
    let nodes: Vec<Value> = (0..4)
        .map(|at| shell(&format!("s{at}"), "echo {{ K.value }}", &[]))
        .collect();
    let mut nodes = nodes;
    nodes.insert(0, constant("K", json!("x")));
    nodes.push(node("odd", "container", json!({ "strange": 1 })));
    let import = imported(
        &workflow(json!(nodes), &["K > s0", "K > s1", "K > s2", "K > s3"]),
        None,
    );
    let order: Vec<Outcome> = import
        .report
        .entries
        .iter()
        .map(|entry| entry.outcome)
        .collect();
    let mut runs = order.clone();
    runs.dedup();
    assert_eq!(
        runs,
        [Outcome::Placeholder, Outcome::Approximated, Outcome::Mapped],
        "{order:?}"
    );
    let alike = import
        .report
        .entries
        .chunk_by(|one, other| (one.outcome, &one.message) == (other.outcome, &other.message));
    let messages: Vec<&str> = alike.map(|alike| alike[0].message.as_str()).collect();
    let mut once = messages.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), messages.len(), "{messages:#?}");
    assert!(
        messages.iter().any(|message| message.contains("`strange`")),
        "{messages:#?}"
    );
    // The report does not mention ports and ids that no node reads.
    assert!(
        !messages.iter().any(|message| message.contains("stderr")),
        "{messages:#?}"
    );
}

// Other people's workflows, if they are present next to the project.

fn text_of(path: &Path) -> (String, Import) {
    let text = fs::read_to_string(path).unwrap();
    let import = import(&text, &Options::default())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (
        path.file_name().unwrap().to_str().unwrap().to_owned(),
        import,
    )
}

/// Each workflow is imported as a flow without errors, and no run completes after it has reached a placeholder.
#[test]
fn every_workflow_is_imported_and_no_placeholder_is_passed() {
    for path in cases("shodan/workflows") {
        let (name, import) = text_of(&path);
        let found = problems(&import.flow, &loopwright_nodes::all());
        assert!(found.is_empty(), "{name}: {found:#?}");
        let kept = outcomes(&import, Outcome::Placeholder);
        let inputs: Map<String, Value> = import
            .flow
            .nodes
            .iter()
            .filter(|node| node.kind == "input")
            .map(|node| (node.data["name"].as_str().unwrap().to_owned(), json!("x")))
            .collect();
        let ran =
            json!({ "exitCode": 0, "stdout": "CONTINUE=false", "stderr": "", "truncated": false });
        let world = World {
            inputs: Value::Object(inputs),
            replies: vec![Reply::text("GREEN77"); 20],
            commands: vec![ran; 60],
            ..World::default()
        };
        let done = crate::imported::run(&import.flow, world);
        let error = done.state.error.as_ref().map(|error| error.message.clone());
        if kept.is_empty() {
            assert_eq!(error, None, "{name}");
        } else {
            assert!(
                error
                    .as_ref()
                    .is_some_and(|error| error.contains("could not be translated")),
                "{name}: {error:?}, {kept:?}"
            );
        }
    }
}

/// The workflows produce the same results as in the program for which they were written.
#[tokio::test]
async fn workflows_give_what_their_own_program_gives() {
    let place = Place::new();
    let expected = json!({
        "test-concat.yaml": { "verify": "Result: Hello World !\nSUCCESS: CONCAT operator works correctly!" },
        "test-function-inline.yaml": { "log": "Sum: 13" },
        "test-inline-component.yaml": { "print": "Original: abc\nTransformed: ABC" },
        "test-inline-component-nested.yaml": { "print": "Original: abc\nShouted: ABC!!!" },
        "test-logic-operators.yaml": { "verify": "NOT(true) = false\ntrue AND false = false\ntrue OR false = true\nSUCCESS: All logic operators work correctly!" },
        "test-loop-constant-true.yaml": { "loop": 3 },
        "test-loop-dock.yaml": { "count-loop": 5 },
        "test-progressive-slow-loop.yaml": { "loop": 5 },
        "test-parallel-with-join.yaml": { "join": "Received from A: Branch A starting\nRESULT_A\nReceived from B: Branch B starting\nRESULT_B\nJoin complete" },
        "test-stderr-exitcode.yaml": { "shell-verify-exitcode": "Previous exit code was: 42\nSUCCESS: Exit code 42 was captured correctly!" },
        "text-transform.yaml": { "result": "ABC" }
    });
    for path in cases("shodan/workflows") {
        let (name, import) = text_of(&path);
        let Some(gives) = expected.get(&name) else {
            continue;
        };
        let is_asked =
            |node: &&loopwright_model::Node| node.kind == "input" && node.data["name"] == "text";
        let inputs = match import.flow.nodes.iter().any(|node| is_asked(&node)) {
            true => json!({ "text": "abc" }),
            false => json!({}),
        };
        let document = serde_json::to_value(&import.flow).unwrap();
        let done = place.run(document, inputs).await;
        let given = outputs(&done);
        for (output, value) in gives.as_object().unwrap() {
            assert_eq!(given.get(output), Some(value), "{name}: {given}");
        }
    }
}
