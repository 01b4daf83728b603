//! `check`: runs a program such as a test suite, and sends its input through `passed` or `failed`.

mod report;
mod verdict;

use std::sync::Arc;

use loopwright_engine::{
    Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, Step, ToolCall, duration::millis,
    host::ToolContext, trust::is_computed,
};
use loopwright_model::{
    Category, EffectClass, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType,
    kind::{Data, Example, Reach, TemplateSite},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::tool::{Argument, COMMAND, call, program, sites};
use crate::config::{self, Rendered};
use report::Report;
use verdict::{FAILED, PASSED, RESULT, Verdict};

pub(crate) struct Check;

/// The longest time limit that `command` accepts, in seconds.
const MAX_TIMEOUT: u64 = 6 * 60 * 60;

/// The settings that are passed to `command` as written, because they contain no templates.
const PLAIN: [&str; 8] = [
    "program",
    "cwd",
    "env",
    "maxOutput",
    "okExitCodes",
    "readOnly",
    "report",
    "reportFile",
];
/// The settings that the user approves before the run. Values from the run must not influence these settings.
const APPROVED: [&str; 3] = ["program", "cwd", "reportFile"];

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// A program on the `PATH`, or a path from the working folder, such as `cargo` or `./test.sh`.
    program: String,
    /// One template per argument. No shell is involved, so arguments aren't split or expanded.
    #[schemars(title = "Arguments", extend("x-widget" = "templates"))]
    args: Vec<String>,
    /// An absolute path, or a path from the workspace around the node. Without a workspace, the path is from the
    /// workflow's own folder. You approve the folder before the run.
    #[schemars(title = "Working folder", extend("x-widget" = "folder"))]
    cwd: String,
    /// The format of the test report, from which the failures are read.
    report: Report,
    /// A report file in the working folder. If empty, the report is read from the program's output.
    #[schemars(extend("x-show-if" = {"field": "report", "in": [
        "auto", "junit", "tap", "cargo", "nextest", "pytest", "unittest", "jest", "vitest", "mocha", "node", "rspec", "phpunit", "dotnet",
        "ctest", "eslint", "go", "compiler"
    ]}))]
    report_file: Option<String>,
    /// The program's standard input, as a template.
    #[schemars(title = "Standard input", extend("x-widget" = "template", "x-group" = "Program"))]
    stdin: Option<String>,
    /// Names of the environment variables that the program receives. The program also receives the variables that every program
    /// needs, but no others.
    #[schemars(title = "Environment", extend("x-widget" = "names", "x-group" = "Program"))]
    env: Vec<String>,
    /// Exit codes that count as success.
    #[schemars(title = "OK exit codes", extend("x-widget" = "names", "x-group" = "Program"))]
    ok_exit_codes: Vec<i64>,
    /// The maximum size of standard output, and of standard error. If the output is longer, its beginning and its end
    /// are kept.
    #[schemars(title = "Max output", range(min = 1, max = 16_777_216), extend("x-unit" = "bytes", "x-group" = "Program"))]
    max_output: Option<u64>,
    /// Whether the program changes nothing. If so, an interrupted run may start it again without asking.
    #[schemars(extend("x-group" = "Program"))]
    read_only: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            program: String::new(),
            args: Vec::new(),
            cwd: ".".to_owned(),
            report: Report::default(),
            report_file: None,
            stdin: None,
            env: Vec::new(),
            ok_exit_codes: vec![0],
            max_output: None,
            read_only: false,
        }
    }
}

/// Returns the node's settings as arguments of `command`, as written in the flow. A call is compared with these when its
/// approval is checked.
fn written(data: &Data) -> Map<String, Value> {
    let mut args: Map<String, Value> = PLAIN
        .into_iter()
        .chain(["args", "stdin"])
        .filter_map(|name| Some((name, data.get(name)?)))
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect();
    args.entry("report").or_insert_with(|| json!(Report::Auto));
    args
}

impl KindSpec for Check {
    fn type_name(&self) -> &'static str {
        "check"
    }
    fn title(&self) -> &'static str {
        "Check"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "list-checks"
    }
    fn summary(&self) -> &'static str {
        "run the tests"
    }
    fn doc(&self) -> &'static str {
        "Runs a program, such as a test suite, and sends its input through `passed` or `failed`. The check passes if the exit code is in \
         `okExitCodes` and its output reports no failed test. Later templates can read `failures`, a list of `{ name, message, \
         file, line }`. If the check fails and no failure can be read, the only entry contains the last 100 lines of the output, and the node adds a warning. The `result` handle always gives the whole value. In a loop that ends by an evaluator, wire \
         `passed` to the Exit. If the program can't be started or exceeds `timeout` (10 minutes by default), the node fails \
         instead of taking `failed`. You approve the command line, folder and environment before the run. The program ends with \
         the node, together with every program that it started. See [Checks](../tools.md#checks)."
    }
    fn shape(&self) -> Shape {
        Shape::Branching
    }
    fn effect(&self, data: &Data) -> EffectClass {
        match data.get("readOnly") {
            Some(Value::Bool(true)) => EffectClass::Reads,
            _ => EffectClass::Writes,
        }
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles {
            inputs: vec![Handle::primary("input", ValueType::Any)],
            outputs: vec![
                Handle::new(PASSED, ValueType::Any),
                Handle::new(FAILED, ValueType::Any),
                Handle::new(RESULT, ValueType::Json).always(),
            ],
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(json!({ "program": "npm", "args": ["test"], "cwd": ".", "report": "auto" }))
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        let mut found = Vec::new();
        if let Some(args) = data.get("args") {
            sites("args", args, &mut found);
        }
        found.extend(config::template_site(data, "stdin"));
        found
    }
    fn reaches(&self, data: &Data) -> Vec<Reach> {
        vec![Reach {
            tool: COMMAND.to_owned(),
            args: written(data),
            from_input: None,
            asks: false,
        }]
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        let title = node.title();
        let mut error = |code, place: &str, message: String| {
            problems.push(Problem::error(code, message).at(&node.id).place(place));
        };
        if config::text(&node.data, "program").is_none() {
            error("missing_program", "program", missing(title));
        }
        for field in APPROVED {
            if node.text(field).is_some_and(is_computed) {
                error(
                    "not_a_template",
                    field,
                    format!(
                        "`{field}` of \"{title}\" can't be a template, because it is approved before the run. Write a fixed value, and \
                         put what changes into `args` or `stdin`."
                    ),
                );
            }
        }
        if let Some(timeout) = node.text("timeout").and_then(|text| millis(text).ok())
            && timeout > MAX_TIMEOUT * 1000
        {
            error(
                "timeout_too_long",
                "timeout",
                format!(
                    "`timeout` of \"{title}\" is longer than the maximum for a program. Set PT6H or less."
                ),
            );
        }
    }
    fn examples(&self) -> Vec<Example> {
        let data = config::object(json!({
            "program": "npm", "args": ["test", "--", "--grep", "{{ input.name }}"], "cwd": "shop", "readOnly": true
        }));
        let input = config::object(json!({ "input": { "name": "totals" } }));
        vec![
            Example {
                title: "every test passes",
                data: data.clone(),
                inputs: input.clone(),
                replies: vec![json!({
                    "ok": true, "exitCode": 0, "signal": null, "stdout": "ok 1 - totals\n1..1\n", "stderr": "",
                    "durationMs": 240, "truncated": false,
                    "report": { "format": "tap", "failures": [], "counts": { "passed": 1, "failed": 0 }, "failed": false }
                })],
                gives: json!({
                    "passed": true, "exitCode": 0, "failures": [], "counts": { "passed": 1, "failed": 0 },
                    "output": "ok 1 - totals\n1..1\n"
                }),
                branch: Some(PASSED),
            },
            Example {
                title: "a test fails",
                data,
                inputs: input,
                replies: vec![json!({
                    "ok": false, "exitCode": 1, "signal": null, "stdout": "not ok 1 - totals\n1..1\n", "stderr": "",
                    "durationMs": 240, "truncated": false,
                    "report": {
                        "format": "tap",
                        "failures": [{ "name": "totals", "message": "7 is not 8", "file": "shop.js", "line": 12 }],
                        "counts": { "passed": 0, "failed": 1 }, "failed": true
                    }
                })],
                gives: json!({
                    "passed": false, "exitCode": 1,
                    "failures": [{ "name": "totals", "message": "7 is not 8", "file": "shop.js", "line": 12 }],
                    "counts": { "passed": 0, "failed": 1 }, "output": "not ok 1 - totals\n1..1\n"
                }),
                branch: Some(FAILED),
            },
        ]
    }
}

fn missing(title: &str) -> String {
    format!(
        "\"{title}\" has no program. Write one in `program`, such as `npm`, and its arguments in `args`."
    )
}

impl Kind for Check {
    fn branch_of(&self, value: &Value) -> Option<String> {
        let passed = value.get("passed")?.as_bool()?;
        Some(if passed { PASSED } else { FAILED }.to_owned())
    }
    fn branch_example(&self) -> &'static str {
        r#"{"passed": true, "failures": [], …}"#
    }
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let config: Config = config::read(node)?;
        if config.program.trim().is_empty() {
            return Err(NodeError::new("missing_program", missing(node.title())));
        }
        let written = written(&node.data);
        let mut plain = written.clone();
        plain.remove("args");
        plain.remove("stdin");
        // The engine also enforces the timeout. Without this argument, the tool's default time limit would end the program
        // before a longer timeout expires.
        if let Some(timeout) = node.text("timeout") {
            let seconds = millis(timeout)?.div_ceil(1000).clamp(1, MAX_TIMEOUT);
            plain.insert("timeout".to_owned(), json!(seconds));
        }
        Ok(Box::new(Run {
            title: node.title().to_owned(),
            program: config.program,
            report: config.report,
            from_file: config.report_file.is_some(),
            args: Argument::compile(node, "args", &json!(config.args))?,
            stdin: Rendered::compile(node, "stdin", config.stdin.as_deref())?,
            plain,
            written: Arc::new(written),
        }))
    }
}

struct Run {
    title: String,
    program: String,
    report: Report,
    /// Whether the report is read from a file instead of the program's output.
    from_file: bool,
    args: Argument,
    stdin: Option<Rendered>,
    plain: Map<String, Value>,
    written: Arc<Map<String, Value>>,
}

impl Run {
    fn arguments(&self, input: &NodeInput) -> Result<Map<String, Value>, NodeError> {
        let mut args = self.plain.clone();
        args.insert("args".to_owned(), self.args.value(&input.scope)?);
        if let Some(stdin) = &self.stdin {
            args.insert("stdin".to_owned(), stdin.value(&input.scope)?);
        }
        Ok(args)
    }
}

impl Execute for Run {
    fn tool_call(&self, input: &NodeInput) -> Option<ToolCall> {
        Some(ToolCall {
            tool: COMMAND.to_owned(),
            args: self.arguments(input).ok()?,
        })
    }

    fn failures<'o>(&self, outcome: &'o Outcome) -> Option<&'o Value> {
        outcome.handle(RESULT)?.get("failures")
    }

    fn run(&self, input: &NodeInput, cx: &NodeContext) -> Step {
        let args = match self.arguments(input) {
            Ok(args) => args,
            Err(error) => return Step::Done(Err(error)),
        };
        let trace = program::trace(&args);
        let given = ToolContext {
            is_check: true,
            written: Some(Arc::clone(&self.written)),
            ..cx.for_tool()
        };
        let printed = given.printed.clone();
        let called = call(&self.title, COMMAND, None, args, given, cx);
        let carried = input.input.clone().unwrap_or_default();
        let verdict = Verdict {
            title: self.title.clone(),
            program: self.program.clone(),
            report: self.report,
            from_file: self.from_file,
        };
        Step::Pending(Box::pin(async move {
            let result = called.await.map_err(verdict::of_a_check)?;
            if let Some(error) = verdict.cannot_run(&result) {
                return Err(error);
            }
            let mut outcome = verdict.outcome(result, carried);
            outcome.warnings.extend(printed.take_warnings());
            outcome.trace = Some(Box::new(trace));
            Ok(outcome)
        }))
    }
}
