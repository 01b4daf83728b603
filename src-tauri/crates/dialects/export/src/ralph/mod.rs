//! Exports a flow as a `RALPH.md` of ralphify: a Loop with one Agent, and commands before it.
//!
//! The file can express less than a flow. A flow of any other shape is refused, with a reason for each node. For a flow of this
//! shape, the export reports the parts that the file cannot express, such as a budget.

mod command;
mod prompt;

use std::collections::{BTreeMap, BTreeSet};

use loopwright_model::{
    Flow, Kinds,
    document::Node,
    graph::{Graph, NodeIx},
    regions::{Regions, regions, source_handle},
};
use serde_json::{Map, Value, json};

use self::{
    command::{line, started},
    prompt::{Piece, pieces, placeholders},
};
use crate::remark::{Export, NotExported, Remark};

const LEAD: &str = "This flow cannot be exported as a RALPH.md, which can contain only a Loop with one Agent and the commands that run before it.";

/// The name of the input that an import adds. A template with this name ends the prompt of an imported flow.
const TASK: &str = "task";

/// Exports `flow`, which must be free of errors, as a `RALPH.md`.
///
/// # Errors
/// Returns an error with a reason for each part of the flow that the file cannot express.
pub fn export(flow: &Flow, kinds: &Kinds) -> Result<Export, NotExported> {
    let graph = Graph::new(flow, kinds);
    let regions = regions(flow, kinds, &graph);
    let mut writer = Writer {
        flow,
        kinds,
        graph: &graph,
        regions: &regions,
        entries: Vec::new(),
        reasons: Vec::new(),
    };
    let program = writer.file();
    match program {
        Some(program) if writer.reasons.is_empty() => Ok(Export {
            program,
            entries: writer.entries,
        }),
        _ => Err(NotExported {
            lead: LEAD,
            reasons: writer.reasons,
        }),
    }
}

struct Writer<'f> {
    flow: &'f Flow,
    kinds: &'f Kinds,
    graph: &'f Graph,
    regions: &'f Regions,
    entries: Vec<Remark>,
    reasons: Vec<Remark>,
}

/// A command of the file.
struct Command {
    name: String,
    run: String,
    timeout: Option<u64>,
}

/// The names by which text in the file refers to values.
#[derive(Default)]
struct Names {
    /// The argument for each input, keyed by the name of the input.
    args: BTreeMap<String, String>,
    /// The command for each node, keyed by the id of the node.
    commands: BTreeMap<String, String>,
}

/// Text in the file, with the values that it reads.
#[derive(Default)]
struct Written {
    text: String,
    reads: BTreeSet<String>,
}

impl<'f> Writer<'f> {
    fn node(&self, node: NodeIx) -> &'f Node {
        &self.flow.nodes[node]
    }

    fn remark(&self, node: Option<NodeIx>, field: &str, message: impl Into<String>) -> Remark {
        let place = match node {
            Some(node) if field.is_empty() => self.node(node).title().to_owned(),
            Some(node) => format!("{}.{field}", self.node(node).title()),
            None => field.to_owned(),
        };
        Remark {
            node: node.map(|node| self.node(node).id.clone()),
            place,
            message: message.into(),
        }
    }

    fn refuse(&mut self, node: Option<NodeIx>, field: &str, message: impl Into<String>) {
        let reason = self.remark(node, field, message);
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn say(&mut self, node: Option<NodeIx>, field: &str, message: impl Into<String>) {
        let entry = self.remark(node, field, message);
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
    }

    fn of_kind(&self, kind: &str) -> Vec<NodeIx> {
        let nodes = self.flow.nodes.iter().enumerate();
        nodes
            .filter(|(_, node)| node.kind == kind)
            .map(|(at, _)| at)
            .collect()
    }

    /// Returns whether an edge leads from the handle `out` of `source` to `target`. An edge back to the Loop also counts.
    fn leads(&self, source: NodeIx, out: &str, target: NodeIx) -> bool {
        let ends = |edge: usize| self.graph.ends.get(edge).copied().flatten();
        let out_of = self.graph.outgoing.get(source);
        out_of.into_iter().flatten().any(|edge| {
            ends(*edge).is_some_and(|(_, to)| to == target) && self.handle(*edge) == out
        })
    }

    fn handle(&self, edge: usize) -> String {
        source_handle(self.flow, self.graph, edge)
            .map_or_else(String::new, |handle| handle.name.to_string())
    }

    fn file(&mut self) -> Option<String> {
        let looped = self.the_only("loop", "Loop");
        let agent = self.the_only("agent", "Agent");
        let (Some(looped), Some(agent)) = (looped, agent) else {
            for at in 0..self.flow.nodes.len() {
                self.without_counterpart(at);
            }
            return None;
        };
        let before = self.before(looped, agent);
        let (order, _) = self.graph.topological();
        let promise = self.parts(looped, agent, &before);
        let mut names = Names::default();
        let prompt = self.node(agent).text("prompt").unwrap_or_default();
        let args = self.arguments(prompt, &mut names);
        let mut commands = Vec::new();
        for node in order.into_iter().filter(|node| before.contains(node)) {
            if let Some(command) = self.command(node, &names) {
                let id = self.node(node).id.clone();
                names.commands.insert(id, command.name.clone());
                commands.push(command);
            }
        }
        let runner = self.agent(agent);
        let text = self.prompt(agent, prompt, &names);
        self.loop_settings(looped, promise.is_some(), &before);
        self.flow_settings();
        Some(written(runner, &commands, &args, promise.as_deref(), &text))
    }

    /// Returns the first node of a kind, and refuses every further node of this kind. If the flow has no such node,
    /// refuses the flow and returns `None`.
    fn the_only(&mut self, kind: &str, title: &str) -> Option<NodeIx> {
        let found = self.of_kind(kind);
        for other in found.iter().skip(1) {
            self.refuse(
                Some(*other),
                "",
                format!("it is another {title}, and a RALPH.md can have only one"),
            );
        }
        if found.is_empty() {
            self.refuse(None, "nodes", format!("there is no {title}. Add one"));
        }
        found.first().copied()
    }

    /// Returns the agent, and the nodes that run before it in an iteration. Refuses the flow if the agent is not in the
    /// Loop.
    fn before(&mut self, looped: NodeIx, agent: NodeIx) -> BTreeSet<NodeIx> {
        let body = self.regions.opened_by(looped);
        let mut open: Vec<NodeIx> = body
            .iter()
            .flat_map(|region| &region.body_edges)
            .filter_map(|edge| self.graph.ends.get(*edge).copied().flatten())
            .map(|(_, node)| node)
            .collect();
        let mut found = BTreeSet::new();
        while let Some(node) = open.pop() {
            if !found.insert(node) || node == agent || self.node(node).kind == "exit" {
                continue;
            }
            let next = self.graph.successors(node);
            open.extend(next.map(|(_, node)| node).filter(|node| *node != looped));
        }
        if !found.contains(&agent) {
            self.refuse(
                Some(agent),
                "",
                "it is not in the Loop. Wire the Loop's `body` to it",
            );
        }
        found.retain(|node| self.graph.reachable([*node]).contains(&agent));
        found
    }

    /// Checks that each node has a counterpart in the file. Returns the text in the agent's answer that ends the loop, if there
    /// is one.
    fn parts(
        &mut self,
        looped: NodeIx,
        agent: NodeIx,
        before: &BTreeSet<NodeIx>,
    ) -> Option<String> {
        let mut promise = None;
        for at in 0..self.flow.nodes.len() {
            let node = self.node(at);
            if node.disabled() {
                self.refuse(
                    Some(at),
                    "",
                    "the node is disabled. Delete it, or enable it",
                );
            }
            match node.kind.as_str() {
                "loop" | "agent" | "exit" => {}
                "note" => self.say(Some(at), "", "the note is left out"),
                "input" => self.input(at),
                "output" => self.output(at, looped),
                "router" if promise.is_none() && self.leads(agent, "response", at) => {
                    promise = self.promise(at, looped);
                }
                _ if started(node).is_none() => self.without_counterpart(at),
                _ if before.contains(&at) => {}
                _ => {
                    let place = match self.graph.reachable([agent]).contains(&at) {
                        true => {
                            "it runs after the Agent, but commands of a RALPH.md run before the agent"
                        }
                        false => {
                            "it is outside the Loop, but commands of a RALPH.md run in each iteration"
                        }
                    };
                    self.refuse(
                        Some(at),
                        "",
                        format!("{place}. Move it between the Loop and the Agent"),
                    );
                }
            }
        }
        promise
    }

    /// Refuses the node if a RALPH.md cannot express its kind.
    fn without_counterpart(&mut self, at: NodeIx) {
        const HAS: [&str; 6] = ["loop", "agent", "exit", "note", "input", "output"];
        let node = self.node(at);
        if HAS.contains(&node.kind.as_str()) || started(node).is_some() {
            return;
        }
        let kind = self.kinds.of(node).map_or("this node", |kind| kind.title());
        self.refuse(
            Some(at),
            "",
            format!("a RALPH.md has no counterpart for it ({kind})"),
        );
    }

    fn input(&mut self, at: NodeIx) {
        let node = self.node(at);
        let kind = node.text("dataType").unwrap_or("text");
        if matches!(kind, "image" | "file" | "images" | "files") {
            self.refuse(
                Some(at),
                "dataType",
                format!("its data type is `{kind}`, but the arguments of a RALPH.md are text"),
            );
        }
        let default = node.data.get("default");
        if default.is_some_and(|default| !default.is_null() && default != "") {
            let name = self.argument(at);
            self.say(
                Some(at),
                "default",
                format!("an argument of a RALPH.md has no default. Pass the value to every run: `--{name}`"),
            );
        }
    }

    fn output(&mut self, at: NodeIx, looped: NodeIx) {
        let is_result = |node: NodeIx| node == looped || self.node(node).kind == "exit";
        let others: Vec<NodeIx> = self
            .graph
            .predecessors(at)
            .map(|(_, node)| node)
            .filter(|node| !is_result(*node))
            .collect();
        if let Some(other) = others.first() {
            let other = self.node(*other).title().to_owned();
            self.refuse(
                Some(at),
                "",
                format!(
                    "it takes a value from “{other}”, but the only result of a RALPH.md is its folder. Wire only the Loop or an Exit to it"
                ),
            );
        }
    }

    /// Returns the text that a router looks for, which is the promise: the text with which the agent reports that it is
    /// done. If the router does anything else, refuses the flow and returns `None`.
    fn promise(&mut self, at: NodeIx, looped: NodeIx) -> Option<String> {
        let node = self.node(at);
        let branches = node.data.get("branches").and_then(Value::as_array);
        let branch = |number: usize, field: &str| {
            branches
                .and_then(|branches| branches.get(number)?.get(field)?.as_str())
                .unwrap_or_default()
        };
        let (done, otherwise) = (branch(0, "name"), branch(1, "name"));
        let ends = self
            .of_kind("exit")
            .into_iter()
            .any(|exit| self.leads(at, done, exit));
        let is_complete = branches.is_some_and(|branches| branches.len() == 2)
            && matches!(node.text("mode"), None | Some("rules"))
            && branch(1, "when") == "true"
            && ends
            && self.leads(at, otherwise, looped);
        let text = branch(0, "when")
            .trim()
            .strip_prefix("input is containing(pat=")
            .and_then(|rest| rest.strip_suffix(')'))
            .and_then(|text| serde_json::from_str::<String>(text).ok())
            .filter(|_| is_complete);
        let Some(text) = text else {
            self.refuse(
                Some(at),
                "",
                "a RALPH.md can end only when the Agent's answer contains certain text. Give the router two rules: \
                 `input is containing(pat=\"<promise>DONE</promise>\")` for a branch to the Exit, and `true` for a branch back to the Loop",
            );
            return None;
        };
        let inside = text
            .strip_prefix("<promise>")
            .and_then(|text| text.strip_suffix("</promise>"));
        match inside {
            Some(signal) if !signal.is_empty() && !signal.contains('<') => Some(signal.to_owned()),
            _ if text.contains('<') => Some(text),
            _ => {
                self.refuse(
                    Some(at),
                    "branches",
                    format!(
                        "in a RALPH.md, this text must be inside tags. Look for `<promise>{text}</promise>`"
                    ),
                );
                None
            }
        }
    }

    /// Returns the name of the argument for an input: the input's label if that differs from its name only by dashes, otherwise
    /// its name.
    fn argument(&self, at: NodeIx) -> String {
        let node = self.node(at);
        let name = node.text("name").unwrap_or(&node.id);
        let label = node.text("label").unwrap_or_default();
        match label.replace('-', "_") == name {
            true => label.to_owned(),
            false => name.to_owned(),
        }
    }

    fn arguments(&self, prompt: &str, names: &mut Names) -> Vec<String> {
        let mut args = Vec::new();
        for at in self.of_kind("input") {
            let node = self.node(at);
            let name = node.text("name").unwrap_or(&node.id);
            if name == TASK && self.is_added(node) && without_task(prompt).is_some() {
                continue;
            }
            let arg = self.argument(at);
            names.args.insert(name.to_owned(), arg.clone());
            args.push(arg);
        }
        args
    }

    /// Returns whether an input is the one that an import adds: it may be empty, and the flow reads it only once. The caller
    /// checks that the end of the prompt reads it.
    fn is_added(&self, node: &Node) -> bool {
        let is_optional = node.data.get("required") == Some(&Value::Bool(false))
            && matches!(node.text("default"), None | Some(""));
        let reads = format!("run.inputs.{TASK}");
        let texts = self.flow.nodes.iter().flat_map(|node| node.data.values());
        let count: usize = texts
            .map(|value| value.to_string().matches(&reads).count())
            .sum();
        is_optional && count == 1
    }

    fn command(&mut self, at: NodeIx, names: &Names) -> Option<Command> {
        let node = self.node(at);
        let of = started(node)?;
        if !matches!(of.folder, "" | "." | "./") {
            let message = format!(
                "it runs in `{}`, but commands of a RALPH.md run in the folder of that file. Give `sh` the arguments `-c` and `cd {} && …`",
                of.folder, of.folder
            );
            self.refuse(Some(at), "cwd", message);
        }
        if !of.input.is_empty() {
            self.refuse(
                Some(at),
                "stdin",
                "a command of a RALPH.md has no standard input. Leave the field empty",
            );
        }
        for field in &of.lost {
            self.say(
                Some(at),
                field,
                "a command of a RALPH.md does not have this setting",
            );
        }
        let written = self.text(at, "args", &line(&of), names);
        let title = node.title();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let is_free = |name: &str| !names.commands.values().any(|known| known == name);
        let name = match !title.is_empty() && title.chars().all(is_plain) && is_free(title) {
            true => title.to_owned(),
            false => node.id.clone(),
        };
        Some(Command {
            name,
            run: written.text,
            timeout: of.timeout,
        })
    }

    /// Returns the command that starts the agent. For a program from Settings, returns its name and reports that the command
    /// is missing.
    fn agent(&mut self, at: NodeIx) -> &'f str {
        let node = self.node(at);
        for (field, usual, message) in [
            (
                "session",
                "fresh",
                "each iteration of a RALPH.md starts a new agent that remembers nothing of earlier iterations",
            ),
            (
                "sandbox",
                "workspace",
                "write the permission as an option of `agent`",
            ),
            (
                "timeout",
                "PT2H",
                "an agent of a RALPH.md has no time limit",
            ),
        ] {
            let is_usual = match node.text(field) {
                Some(value) => value == usual,
                // An agent continues its conversation unless the field says otherwise.
                None => field != "session",
            };
            if !is_usual {
                self.say(Some(at), field, message);
            }
        }
        let folder = node.text("cwd").unwrap_or(".");
        if !matches!(folder, "" | "." | "./") {
            self.refuse(
                Some(at),
                "cwd",
                format!(
                    "it runs in `{folder}`, but an agent of a RALPH.md runs in the folder of that file. Leave the field empty, and save the file in `{folder}`"
                ),
            );
        }
        let known = [
            "label", "runner", "prompt", "cwd", "session", "sandbox", "timeout",
        ];
        self.say_lost(at, &node.data, &known);
        match node.text("runner").unwrap_or("claude-code") {
            "claude-code" => "claude -p --permission-mode acceptEdits",
            "codex" => "codex exec --full-auto",
            "gemini" => "gemini --approval-mode auto_edit",
            other => {
                self.say(
                    Some(at),
                    "runner",
                    format!("in the file, replace `{other}` with its command, which you find in Settings"),
                );
                other
            }
        }
    }

    /// Reports the settings that the file cannot contain. Empty settings and those in `known` are not reported.
    fn say_lost(&mut self, at: NodeIx, fields: &Map<String, Value>, known: &[&str]) {
        for (name, value) in fields {
            let is_empty = match value {
                Value::Null | Value::Bool(false) => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(fields) => fields.is_empty(),
                _ => false,
            };
            if !known.contains(&name.as_str()) && !is_empty {
                self.say(Some(at), name, "a RALPH.md does not have this setting");
            }
        }
    }

    fn prompt(&mut self, at: NodeIx, prompt: &str, names: &Names) -> String {
        let shown = match names.args.contains_key(TASK) {
            true => prompt,
            false => without_task(prompt).unwrap_or(prompt),
        };
        let mut written = self.text(at, "prompt", shown, names);
        if written.text.trim().is_empty() {
            self.refuse(
                Some(at),
                "prompt",
                "the Agent's own prompt is empty. Write one",
            );
        }
        // Values that are wired to the context are put before the prompt.
        let wired = self.graph.predecessors(at).filter(|(edge, _)| {
            let handle = self.flow.edges.get(*edge);
            handle.is_some_and(|edge| edge.target_handle.as_deref() == Some("context"))
        });
        let contexts: Vec<&String> = wired
            .filter_map(|(_, from)| names.commands.get(&self.node(from).id))
            .filter(|name| !written.reads.contains(&format!("commands.{name}")))
            .collect();
        for name in contexts {
            written.text = format!("Context:\n{{{{ commands.{name} }}}}\n\n{}", written.text);
        }
        written.text
    }

    /// Returns a template as text for the file, with the values that the text reads. Refuses the flow if the file
    /// cannot express the template.
    fn text(&mut self, at: NodeIx, field: &str, template: &str, names: &Names) -> Written {
        let mut written = Written::default();
        let mut emitted = 0;
        // The command whose standard output was written last. Its standard error belongs to the same output.
        let mut last: Option<String> = None;
        for piece in pieces(template) {
            let (read, is_repeated) = match &piece {
                Piece::Text(text) => {
                    written.text.push_str(text);
                    last = None;
                    continue;
                }
                Piece::Argument(name) => (
                    names.args.get(name).map(|name| format!("args.{name}")),
                    false,
                ),
                Piece::Result(id, path) => {
                    let name = names.commands.get(id);
                    let name = name.map(|name| format!("commands.{name}"));
                    if name.is_some() && !matches!(path.as_str(), "stdout" | "stderr") {
                        let all = format!(
                            "it reads `{}`; a RALPH.md inserts the whole output instead",
                            in_braces(id, path)
                        );
                        self.say(Some(at), field, all);
                    }
                    let is_repeated = path == "stderr" && last.as_ref() == Some(id);
                    (name, is_repeated)
                }
                Piece::Other(_) => (None, false),
            };
            let Some(read) = read else {
                let shown = match piece {
                    Piece::Result(id, path) => in_braces(&id, &path),
                    Piece::Argument(name) => in_braces("run.inputs", &name),
                    Piece::Other(text) | Piece::Text(text) => text.chars().take(80).collect(),
                };
                self.refuse(
                    Some(at),
                    field,
                    format!("it reads `{shown}`, but a RALPH.md can read only its arguments and the outputs of its commands"),
                );
                continue;
            };
            if !is_repeated {
                written.text.push_str(&format!("{{{{ {read} }}}}"));
                emitted += 1;
            }
            last = match piece {
                Piece::Result(id, path) if path == "stdout" => Some(id),
                _ => None,
            };
            written.reads.insert(read);
        }
        let is_known = |name: &&str| match name.split_once('.') {
            Some(("args", arg)) => names.args.values().any(|known| known == arg),
            Some(("commands" | "contexts", command)) => {
                names.commands.values().any(|known| known == command)
            }
            _ => false,
        };
        if placeholders(&written.text)
            .iter()
            .filter(|name| is_known(name))
            .count()
            > emitted
        {
            self.refuse(
                Some(at),
                field,
                "its text looks like a placeholder of a RALPH.md, and would be replaced. Write it differently",
            );
        }
        if written.text.contains("<!--") && field == "prompt" {
            self.say(
                Some(at),
                field,
                "comments (`<!-- … -->`) are not passed to the agent",
            );
        }
        written
    }

    fn loop_settings(&mut self, at: NodeIx, has_promise: bool, before: &BTreeSet<NodeIx>) {
        let node = self.node(at);
        let exits = self.of_kind("exit");
        let ends_before: Vec<NodeIx> = before
            .iter()
            .copied()
            .filter(|node| exits.iter().any(|exit| self.ends_with(*node, *exit)))
            .filter(|node| self.node(*node).kind == "check")
            .collect();
        match node.text("exitCondition").unwrap_or("max_iterations") {
            "max_iterations" if !has_promise => {}
            "evaluator" if has_promise || !ends_before.is_empty() => {}
            _ => self.refuse(
                Some(at),
                "exitCondition",
                "a RALPH.md does not support this exit condition. Choose *Max iterations*, or end when the Agent's answer contains certain text",
            ),
        }
        for check in ends_before {
            self.say(
                Some(check),
                "passed",
                "a RALPH.md does not end when a command passes: the agent still starts, and reads the output of the command",
            );
        }
        let most = node.data.get("maxIterations").and_then(Value::as_u64);
        let command = most.map_or_else(
            || "`ralph run -n 20`".to_owned(),
            |most| format!("`ralph run -n {most}`"),
        );
        self.say(
            Some(at),
            "maxIterations",
            format!(
                "a RALPH.md does not contain the number of iterations. Set it when you start the loop: {command}"
            ),
        );
        if node.data.get("workspace").is_some_and(Value::is_object) {
            self.say(
                Some(at),
                "workspace",
                "the agent works in the folder itself, not in a private copy, and nothing is protected or confined",
            );
        }
        for limit in node
            .data
            .get("limits")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            self.say(
                Some(at),
                &format!("limits.{}", limit.0),
                "a RALPH.md has no such limit",
            );
        }
        let known = [
            "label",
            "maxIterations",
            "exitCondition",
            "limits",
            "workspace",
            "feedbackMode",
        ];
        self.say_lost(at, &node.data, &known);
    }

    /// Returns whether a node leads to an Exit by any output except `failed`.
    fn ends_with(&self, node: NodeIx, exit: NodeIx) -> bool {
        self.graph
            .successors(node)
            .any(|(edge, to)| to == exit && self.handle(edge) != "failed")
    }

    fn flow_settings(&mut self) {
        let settings = self.flow.settings.as_ref();
        for (name, value) in settings.into_iter().flatten() {
            if !value.is_null() && name != "maxIterationsCeiling" {
                self.say(
                    None,
                    &format!("settings.{name}"),
                    "a RALPH.md does not have this setting",
                );
            }
        }
    }
}

fn in_braces(id: &str, path: &str) -> String {
    match path {
        "" => format!("{{{{ {id} }}}}"),
        path => format!("{{{{ {id}.{path} }}}}"),
    }
}

/// Returns a prompt without the task that an import appends to it, or `None` if it does not end in that task.
fn without_task(prompt: &str) -> Option<&str> {
    let before = prompt.strip_suffix(&in_braces("run.inputs", TASK))?;
    before.strip_suffix("\n\n")
}

/// Returns the text of the file.
fn written(
    agent: &str,
    commands: &[Command],
    args: &[String],
    promise: Option<&str>,
    prompt: &str,
) -> String {
    let mut lines = vec![format!("agent: {}", scalar(agent))];
    if !commands.is_empty() {
        lines.push("commands:".to_owned());
    }
    for command in commands {
        lines.push(format!("  - name: {}", scalar(&command.name)));
        lines.push(format!("    run: {}", scalar(&command.run)));
        lines.extend(
            command
                .timeout
                .map(|seconds| format!("    timeout: {seconds}")),
        );
    }
    if !args.is_empty() {
        lines.push("args:".to_owned());
        lines.extend(args.iter().map(|arg| format!("  - {}", scalar(arg))));
    }
    if let Some(signal) = promise {
        lines.push(format!("completion_signal: {}", scalar(signal)));
        lines.push("stop_on_completion_signal: true".to_owned());
    }
    format!("---\n{}\n---\n\n{}\n", lines.join("\n"), prompt.trim())
}

/// Formats text as a YAML value: unchanged if it cannot be misread, otherwise in quotes.
fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-./=<>+@~".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '/'))
        && text.contains(|c: char| c.is_ascii_alphabetic());
    let is_word = [
        "true", "false", "null", "yes", "no", "on", "off", "y", "n", ".inf", ".nan",
    ]
    .iter()
    .any(|word| text.eq_ignore_ascii_case(word));
    match begins && !is_word && !text.ends_with(' ') && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => json!(text).to_string(),
    }
}
