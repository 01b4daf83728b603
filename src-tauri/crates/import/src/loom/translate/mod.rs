//! Makes a flow of a workflow document.
//!
//! One value, the state, goes from node to node: the document's variables, what each action gave, and what its conditions ask.
//! Every action takes it and hands it on with its own entry changed. So an expression finds everything that Logic Apps would
//! find, whatever branch or loop it stands in, and a loop's feedback is the state itself.

mod branches;
mod code;
mod data;
mod effects;
mod frame;
mod loops;
mod order;
mod policy;
mod reads;
mod survey;

use serde_json::{Map, Value, json};

use super::{
    document::{Document, field, kind_of},
    expression::{Around, Code, Dialect, Mistake, NameSet, literal, tera_text},
    graph::{End, Ends, Graph},
};
use crate::{Entry, Import, ImportError, Outcome, Report};
use order::Guards;
use survey::Survey;

/// Longer templates become scripts.
const LONG_TEMPLATE: usize = 48 * 1024;
/// How deeply actions may be nested.
const MAX_DEPTH: usize = 64;
/// Actions side by side.
const MAX_ACTIONS: usize = 1_000;
/// Nodes of a flow.
const MAX_NODES: usize = 2_000;
/// Cases of one switch.
const MAX_CASES: usize = 250;

pub(crate) struct Translator {
    graph: Graph,
    entries: Vec<Entry>,
    dialect: Dialect,
    survey: Survey,
    /// Actions whose status something asks for.
    watched: NameSet,
    around: Vec<Around>,
    /// The foreach actions around, innermost last.
    items: Vec<String>,
    /// Regions around.
    depth: usize,
    /// The most iterations that any loop is allowed.
    largest: u64,
    /// Where the workflow ends before its last action.
    ended: Ends,
}

/// One entry of the state that an action changes.
#[derive(Clone)]
struct Change {
    section: &'static str,
    key: String,
    code: Code,
}

impl Change {
    fn new(section: &'static str, key: &str, code: Code) -> Self {
        Self {
            section,
            key: key.to_owned(),
            code,
        }
    }
}

/// Why an action stays as it came, or why the whole document is refused.
enum Trouble {
    Kept(String),
    Refused(ImportError),
}

impl From<Mistake> for Trouble {
    fn from(mistake: Mistake) -> Self {
        Self::Kept(mistake.message)
    }
}

impl From<ImportError> for Trouble {
    fn from(error: ImportError) -> Self {
        Self::Refused(error)
    }
}

fn refused(place: &str, message: impl Into<String>) -> ImportError {
    ImportError::Refused {
        place: place.to_owned(),
        message: message.into(),
    }
}

/// Makes the flow and the report.
pub(crate) fn translate(document: &Document<'_>, name: &str) -> Result<Import, ImportError> {
    let survey = Survey::of(document);
    let mut translator = Translator {
        graph: Graph::default(),
        entries: Vec::new(),
        dialect: document.dialect,
        watched: survey.statuses.clone(),
        survey,
        around: Vec::new(),
        items: Vec::new(),
        depth: 0,
        largest: 0,
        ended: Vec::new(),
    };
    let start = translator.start(document)?;
    let place = document.place.clone();
    let end = translator.sequence(&document.actions, start, &place)?;
    translator.finish(document, end)?;
    let ceiling = translator.largest.max(50);
    let mut settings = Map::new();
    settings.insert("allowNestedLoops".to_owned(), json!(true));
    settings.insert("maxIterationsCeiling".to_owned(), json!(ceiling));
    let says = if ceiling > 50 {
        format!(
            "loops may be nested and may run {ceiling} times, as there; both are set in the workflow's settings"
        )
    } else {
        "loops may be nested, as there; it is set in the workflow's settings".to_owned()
    };
    translator.say(Outcome::Mapped, "settings", None, says);
    let Translator { graph, entries, .. } = translator;
    let regions = ["loop", "iterator"]
        .map(|kind| graph.nodes.iter().filter(|node| node.kind == kind).count());
    let mut flow = graph.flow(
        document.name.unwrap_or(name).to_owned(),
        document.description.map(str::to_owned),
        Value::Object(settings),
    );
    crate::build::check_size(&flow, regions.iter().sum())?;
    crate::layout::place(&mut flow);
    Ok(Import {
        flow,
        report: Report {
            format: "loom".to_owned(),
            dialect: Some(format!("{}: {}", document.dialect.id(), document.why)),
            entries,
        },
    })
}

fn within(place: &str, name: &str) -> String {
    if place.is_empty() {
        name.to_owned()
    } else {
        format!("{place}.{name}")
    }
}

impl Translator {
    fn say(
        &mut self,
        outcome: Outcome,
        place: &str,
        node: Option<&str>,
        message: impl Into<String>,
    ) {
        self.entries.push(Entry {
            outcome,
            place: place.to_owned(),
            node: node.map(str::to_owned),
            message: message.into(),
        });
    }

    /// Actions in their order, one after another.
    fn sequence(
        &mut self,
        actions: &Map<String, Value>,
        mut at: Ends,
        place: &str,
    ) -> Result<Ends, ImportError> {
        if self.depth > MAX_DEPTH {
            return Err(refused(
                place,
                format!("actions are nested more than {MAX_DEPTH} deep"),
            ));
        }
        if actions.len() > MAX_ACTIONS {
            return Err(refused(
                place,
                format!(
                    "there are {} actions side by side, and at most {MAX_ACTIONS} are read",
                    actions.len()
                ),
            ));
        }
        let order = order::order(actions, place)?;
        let guards = Guards::of(actions, &self.watched);
        for name in &guards.watched {
            self.watched.insert(name);
        }
        if order.side_by_side {
            self.say(
                Outcome::Approximated,
                place,
                None,
                "some actions do not wait for one another there and may run at once; here they run one after another, in the order \
                 of the document where `runAfter` leaves it open. What they give is the same, unless one waits for what another does",
            );
        }
        for name in order.names {
            if self.graph.nodes.len() > MAX_NODES {
                return Err(refused(
                    "file",
                    format!(
                        "it makes more than {MAX_NODES} nodes, and a flow may not have more here. Split it"
                    ),
                ));
            }
            let here = within(place, &name);
            let Some(action) = actions.get(&name).and_then(Value::as_object) else {
                return Err(ImportError::Unreadable {
                    place: here,
                    message: "an action is an object with a `type`".to_owned(),
                });
            };
            if at.is_empty() {
                self.say(
                    Outcome::Ignored,
                    &here,
                    None,
                    "never runs: the workflow ends before it",
                );
                continue;
            }
            let caught = guards.caught.contains(&name);
            at = match guards.when(&name) {
                None => self.settled(&name, action, at, &here, caught)?,
                Some(when) => {
                    let router = self.graph.add(
                        "router",
                        &format!("{name}_runs"),
                        json!({ "label": format!("{name} runs?"), "mode": "rules",
                            "branches": [{ "name": "run", "when": when }, { "name": "skip" }], "fallback": "skip" }),
                    );
                    self.graph.wire(&at, &router, None);
                    self.say(
                        Outcome::Mapped,
                        &within(&here, "runAfter"),
                        Some(&router),
                        format!("“{name}” runs only if {when}"),
                    );
                    let run = vec![End::at(&router, "run")];
                    let mut after = self.settled(&name, action, run, &here, caught)?;
                    after.push(End::at(&router, "skip"));
                    after
                }
            };
        }
        Ok(at)
    }

    /// An action, whose failure others wait for where `caught` says so.
    fn settled(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
        caught: bool,
    ) -> Result<Ends, ImportError> {
        if caught {
            self.attempt(name, action, at, place)
        } else {
            self.action(name, action, at, place)
        }
    }

    /// Translates one action; what cannot be translated becomes a placeholder that keeps it.
    fn action(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, ImportError> {
        let (nodes, edges, said) = (
            self.graph.nodes.len(),
            self.graph.edges.len(),
            self.entries.len(),
        );
        let (around, items, depth) = (self.around.len(), self.items.len(), self.depth);
        let (ended, watched) = (self.ended.len(), self.watched.clone());
        match self.kind(name, action, at.clone(), place) {
            Ok(after) => {
                self.leftovers(action, place);
                Ok(after)
            }
            Err(Trouble::Refused(error)) => Err(error),
            Err(Trouble::Kept(why)) => {
                // What was begun for it goes, and so does what was said of it.
                self.graph.nodes.truncate(nodes);
                self.graph.edges.truncate(edges);
                self.entries.truncate(said);
                self.around.truncate(around);
                self.items.truncate(items);
                self.ended.truncate(ended);
                (self.depth, self.watched) = (depth, watched);
                Ok(self.placeholder(name, action, at, place, &why))
            }
        }
    }

    fn kind(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        match kind_of(action).as_str() {
            "compose" => self.compose(name, action, at, place),
            "initializevariable"
            | "setvariable"
            | "appendtoarrayvariable"
            | "appendtostringvariable"
            | "incrementvariable"
            | "decrementvariable" => self.variable(name, action, at, place),
            "select" | "query" | "join" | "parsejson" => self.operation(name, action, at, place),
            "response" => self.response(name, action, at, place),
            "javascriptcode" => self.code(name, action, at, place),
            "if" | "condition" => self.branch(name, action, at, place),
            "switch" => self.switch(name, action, at, place),
            "scope" | "sequence" => self.scope(name, action, at, place),
            "parallel" => self.parallel(name, action, at, place),
            "foreach" | "applytoeach" => self.foreach(name, action, at, place),
            "until" | "while" | "dountil" => self.until(name, action, at, place),
            "retry" => self.retried(name, action, at, place),
            "http" => self.http(name, action, at, place),
            "ai" => self.ai(name, action, at, place),
            "wait" | "delay" => self.wait(name, action, at, place),
            "terminate" => self.terminate(name, action, at, place),
            "" => Err(Trouble::Kept("it has no `type`".to_owned())),
            "actor" | "activity" => Err(Trouble::Kept(format!(
                "{} “{}” is a program of the system that it comes from; put a tool, a script or a subflow in its place",
                if kind_of(action) == "actor" {
                    "the actor"
                } else {
                    "the activity"
                },
                ["actorType", "activityType", "activityName", "activity"]
                    .iter()
                    .find_map(|name| field(action, name)?.as_str())
                    .unwrap_or(name)
            ))),
            other => Err(Trouble::Kept(format!(
                "actions of the type {} reach a service of Azure or do what no node does ({other})",
                action["type"]
            ))),
        }
    }

    /// Says which fields of an action had no effect.
    fn leftovers(&mut self, action: &Map<String, Value>, place: &str) {
        let mut known = vec![
            "type",
            "inputs",
            "runAfter",
            "actions",
            "else",
            "then",
            "cases",
            "default",
            "expression",
            "condition",
            "limit",
            "delay",
            "foreach",
            "items",
            "name",
            "value",
            "on",
            "action",
            "retryPolicy",
            "retry",
            "interval",
            "until",
            "branches",
            "variables",
            "uri",
            "url",
            "method",
            "headers",
            "body",
            "queries",
            "prompt",
            "model",
            "kind",
            "parallel",
            "concurrency",
        ];
        if ["until", "foreach"].contains(&kind_of(action).as_str()) {
            known.extend(["operationOptions", "runtimeConfiguration"]);
        }
        let left: Vec<&str> = action
            .keys()
            .map(String::as_str)
            .filter(|name| !known.contains(name))
            .collect();
        if !left.is_empty() {
            self.say(
                Outcome::Ignored,
                place,
                None,
                format!(
                    "{}: notes and settings of its own system, which change nothing that it gives",
                    left.join(", ")
                ),
            );
        }
    }

    /// One end for the state where several branches meet, for what must be wired twice.
    fn single(&mut self, at: Ends) -> Ends {
        if at.len() == 1 {
            return at;
        }
        let join = self.graph.add(
            "transform",
            "join",
            json!({ "label": "Join", "template": "{{ input }}" }),
        );
        self.graph.wire(&at, &join, None);
        vec![End::primary(&join)]
    }

    /// A node that hands the state on with some entries changed. `reply` is wired to a handle of that name.
    ///
    /// What computes nothing is a template, the rest is one node that evaluates the expressions.
    fn change(
        &mut self,
        label: &str,
        at: &[End],
        changes: &[Change],
        reply: Option<&End>,
    ) -> String {
        let whole = template_of(changes).filter(|template| template.len() <= LONG_TEMPLATE);
        let (template, computed) = match whole {
            Some(template) => (Some(template), Vec::new()),
            None => {
                let (plain, computed): (Vec<Change>, Vec<Change>) = changes
                    .iter()
                    .cloned()
                    .partition(|change| matches!(change.code, Code::Tera(_)));
                let template = template_of(&plain).filter(|_| !plain.is_empty());
                (template, computed)
            }
        };
        let mut at = at.to_vec();
        let mut node = None;
        if !computed.is_empty() {
            let (mut source, mut args) = (json!({}), Map::new());
            for change in computed {
                if let Code::Source { value, args: more } = change.code {
                    // Two expressions may read the same section.
                    for (section, fields) in more {
                        match (args.get_mut(&section), fields) {
                            (Some(Value::Object(before)), Value::Object(fields)) => {
                                before.extend(fields)
                            }
                            (_, fields) => {
                                args.insert(section, fields);
                            }
                        }
                    }
                    source[change.section][literal(&change.key)] = value;
                }
            }
            args.insert("merge".to_owned(), json!(true));
            let id = self.expression(label, source, args);
            self.graph.wire(&at, &id, None);
            at = vec![End::primary(&id)];
            node = Some(id);
        }
        if let Some(template) = template {
            let mut data = json!({ "label": label, "template": template });
            if reply.is_some() {
                data["inputs"] = json!(["reply"]);
            }
            let id = self.graph.add("transform", label, data);
            self.graph.wire(&at, &id, None);
            if let Some(reply) = reply {
                self.graph
                    .wire(std::slice::from_ref(reply), &id, Some("reply"));
            }
            node = Some(id);
        }
        node.unwrap_or_default()
    }

    /// A node that evaluates expressions.
    fn expression(&mut self, label: &str, source: Value, more: Map<String, Value>) -> String {
        let mut args = json!({ "source": source });
        if self.dialect == Dialect::Loom {
            args["dialect"] = json!("loom");
        }
        for (name, value) in more {
            args[name] = value;
        }
        self.graph.add(
            "tool",
            label,
            json!({ "label": label, "tool": "expression.azure", "args": args }),
        )
    }

    /// A node that computes one value and gives nothing else.
    fn value_node(&mut self, label: &str, at: &[End], code: Code) -> String {
        let id = match code {
            Code::Tera(text) => self.graph.add(
                "transform",
                label,
                json!({ "label": label, "template": format!("{{{{ {text} }}}}") }),
            ),
            Code::Source { value, args } => self.expression(label, value, args),
        };
        self.graph.wire(at, &id, None);
        id
    }

    /// A script; with `reply`, a handle of that name.
    fn script(&mut self, label: &str, source: String, reply: bool) -> String {
        let mut args = json!({ "source": source });
        if reply {
            args["reply"] = Value::Null;
        }
        self.graph.add(
            "tool",
            label,
            json!({ "label": label, "tool": "script.lua", "args": args }),
        )
    }

    /// The change that says an action succeeded, where something asks.
    fn succeeded(&self, name: &str) -> Option<Change> {
        self.watched
            .contains(name)
            .then(|| Change::new("status", name, Code::constant(json!("Succeeded"))))
    }

    /// The node of an action that only changes the state.
    fn changed(
        &mut self,
        name: &str,
        at: &[End],
        mut changes: Vec<Change>,
        place: &str,
        says: &str,
    ) -> Ends {
        changes.extend(self.succeeded(name));
        let id = self.change(name, at, &changes, None);
        self.say(Outcome::Mapped, place, Some(&id), says);
        vec![End::primary(&id)]
    }

    /// Notes that a structure is done, where something asks for its outputs or its status.
    fn done(&mut self, name: &str, at: Ends, outputs: Option<Code>) -> Ends {
        let mut changes: Vec<Change> = self.succeeded(name).into_iter().collect();
        if let Some(code) = outputs.filter(|_| self.survey.referenced.contains(name)) {
            changes.push(Change::new("outputs", name, code));
        }
        if changes.is_empty() || at.is_empty() {
            return at;
        }
        vec![End::primary(&self.change(
            &format!("{name} done"),
            &at,
            &changes,
            None,
        ))]
    }

    /// The outputs of these actions, as one object: a loop's or a scope's result.
    fn outputs_of(actions: &Map<String, Value>) -> Code {
        let fields: Vec<String> = actions
            .keys()
            .filter_map(|name| tera_text(name))
            .map(|name| format!("{name}: (input.outputs[{name}] | default(value=null))"))
            .collect();
        Code::Tera(format!("{{{}}}", fields.join(", ")))
    }
}

/// The sections that changes touch, each once.
fn sections(changes: &[Change]) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    for change in changes {
        if !found.contains(&change.section) {
            found.push(change.section);
        }
    }
    found
}

fn template_of(changes: &[Change]) -> Option<String> {
    let mut parts = vec!["...input".to_owned()];
    for section in sections(changes) {
        let mut inner = vec![format!("...input.{section}")];
        for change in changes.iter().filter(|change| change.section == section) {
            inner.push(format!(
                "{}: {}",
                tera_text(&change.key)?,
                change.code.as_tera()?
            ));
        }
        parts.push(format!("\"{section}\": {{{}}}", inner.join(", ")));
    }
    Some(format!("{{{{ {{{}}} }}}}", parts.join(", ")))
}
