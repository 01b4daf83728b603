//! Translates a workflow document into a flow.
//!
//! One value, the state, passes from node to node. It contains the document's variables, the outputs of each action, and the
//! values that conditions read. Every action receives the state and passes it on with its own entry changed. In any branch or
//! loop, an expression therefore finds everything that it would find in Logic Apps. A loop's feedback is the state itself.

mod branches;
mod code;
mod code_reads;
mod data;
mod effects;
mod frame;
mod loops;
mod order;
mod policy;
mod reads;
mod state;
mod survey;
mod translator;

use serde_json::{Map, Value, json};

use super::{
    document::{Action, Document, within},
    expression::Dialect,
};
use crate::{
    Outcome,
    build::{Builder, Port, USUAL_CEILING},
    error::ImportError,
    format::Import,
    mentions::holds,
};
use order::Guards;
use state::Change;
use survey::Survey;
use translator::{Ends, Step, Translator, Trouble};

/// The maximum nesting of actions.
const MAX_DEPTH: usize = 64;
/// The maximum number of actions in one map.
const MAX_ACTIONS: usize = 1_000;
/// The fields of actions that are read.
const HANDLED: &[&str] = &[
    // Fields of every action, and of actions that contain others.
    "type inputs runAfter kind actions else then cases default branches action",
    // Fields of conditions and loops.
    "expression condition on until foreach items limit delay interval parallel concurrency",
    // Fields of variables, requests and model calls.
    "name value variables uri url method headers body queries prompt model retryPolicy retry",
];
/// Fields that only loops read.
const STEERING: &[&str] = &["operationOptions runtimeConfiguration"];

/// Translates a document into a flow and a report. `format` is the report's format id. Fails if the document breaks a rule of its
/// format or exceeds a limit.
pub(crate) fn translate(
    document: &Document<'_>,
    format: &str,
    name: &str,
) -> Result<Import, ImportError> {
    let survey = Survey::of(document);
    let mut translator = Translator {
        build: Builder::new(format, Some(document.name.unwrap_or(name))),
        dialect: document.dialect,
        watched: survey.statuses.clone(),
        survey,
        inputs: Vec::new(),
        around: Vec::new(),
        items: Vec::new(),
        depth: 0,
        largest: USUAL_CEILING,
        ended: Vec::new(),
    };
    // A loop's conditions read its result as `result`, and nodes added by this crate read their second input as `reply`.
    translator.build.reserve(&["result", "reply"]);
    let start = translator.start(document);
    let end = translator.sequence(&document.actions, start, &document.place)?;
    translator.finish(document, end);
    let (mut build, ceiling) = (translator.build, translator.largest);
    let dialect = match document.dialect {
        Dialect::Loom => "loom",
        Dialect::Azure => "logic-apps",
    };
    let words = format!("{dialect}: {}", document.why);
    build.took_dialect(words, document.is_assumed);
    build.set("allowNestedLoops", json!(true));
    build.set("maxIterationsCeiling", json!(ceiling));
    let says = if ceiling > USUAL_CEILING {
        format!(
            "loops may be nested and may run {ceiling} times, as in the source; both are set in the workflow's settings"
        )
    } else {
        "loops may be nested, as in the source; this is set in the workflow's settings".to_owned()
    };
    build.say(Outcome::Mapped, "settings", None, says);
    let mut import = build.finish()?;
    import.flow.description = document.description.map(str::to_owned);
    Ok(import)
}

impl Translator {
    /// Translates actions one after another, in their order. Fails if there are too many, if they are nested too deeply, or
    /// if their order is invalid.
    fn sequence(
        &mut self,
        actions: &Map<String, Value>,
        mut at: Ends,
        place: &str,
    ) -> Result<Ends, ImportError> {
        if self.depth > MAX_DEPTH {
            let message = format!("actions are nested more than {MAX_DEPTH} levels deep");
            return Err(ImportError::refused(place, message));
        }
        if actions.len() > MAX_ACTIONS {
            let message = format!(
                "there are {} actions at the same level, but an import reads at most {MAX_ACTIONS}",
                actions.len()
            );
            return Err(ImportError::refused(place, message));
        }
        let order = order::order(actions, place)?;
        let guards = Guards::of(actions, &self.watched);
        for name in &guards.watched {
            self.watched.insert(name);
        }
        if order.side_by_side {
            self.build.approximated(
                place,
                None,
                "in the source, some actions do not wait for one another and may run at once; here they run one after another, \
                 in document order where `runAfter` sets none. Their results are the same, unless one depends on an effect of \
                 another",
            );
        }
        for name in order.names {
            self.build.check_size()?;
            let here = within(place, name);
            let Some(fields) = actions.get(name).and_then(Value::as_object) else {
                let message = "an action must be an object with a `type`";
                return Err(ImportError::unreadable(here, message));
            };
            let action = Action {
                name,
                fields,
                place: &here,
            };
            if at.is_empty() {
                let says = "the action never runs, because the workflow ends before it";
                self.build.say(Outcome::Ignored, here, None, says);
                continue;
            }
            at = self.guarded(action, at, &guards)?;
        }
        Ok(at)
    }

    /// Translates an action. If the action runs only under a condition, a Router precedes it.
    fn guarded(
        &mut self,
        action: Action<'_>,
        at: Ends,
        guards: &Guards,
    ) -> Result<Ends, ImportError> {
        let name = action.name;
        let router = guards.when.get(name).map(|when| {
            let branches = json!([{ "name": "run", "when": when }, { "name": "skip" }]);
            let data = json!({ "label": format!("{name} runs?"), "mode": "rules", "branches": branches, "fallback": "skip" });
            let router = self.node("router", &format!("{name}_runs"), data, &at).node;
            let says = format!("“{name}” runs only if {when}");
            self.build.mapped(&action.within("runAfter"), &router, says);
            router
        });
        let run = match &router {
            Some(router) => vec![Port::at(router, "run")],
            None => at,
        };
        let mut after = if guards.caught.contains(name) {
            self.attempt(action, run)?
        } else {
            self.action(action, run)?
        };
        after.extend(router.map(|router| Port::at(&router, "skip")));
        Ok(after)
    }

    /// Translates one action. If it has no equivalent, adds a placeholder that stores it. Fails if the action breaks a rule
    /// of its format.
    fn action(&mut self, action: Action<'_>, at: Ends) -> Result<Ends, ImportError> {
        let mark = self.build.mark();
        let (around, items, depth) = (self.around.len(), self.items.len(), self.depth);
        let (ended, watched) = (self.ended.len(), self.watched.clone());
        match self.kind(action, at.clone()) {
            Ok(after) => {
                self.leftovers(action);
                Ok(after)
            }
            Err(Trouble::Refused(error)) => Err(error),
            Err(Trouble::Kept(why)) => {
                // Everything added for the action is undone, including its report entries.
                self.build.undo(&mark);
                self.around.truncate(around);
                self.items.truncate(items);
                self.ended.truncate(ended);
                (self.depth, self.watched) = (depth, watched);
                Ok(self.placeholder(action, at, &why))
            }
        }
    }

    fn kind(&mut self, action: Action<'_>, at: Ends) -> Step {
        let kind = action.kind();
        match kind.as_str() {
            "compose" => self.compose(action, at),
            "initializevariable" => self.initialize(action, at),
            "setvariable"
            | "appendtoarrayvariable"
            | "appendtostringvariable"
            | "incrementvariable"
            | "decrementvariable" => self.variable(action, at),
            "select" | "query" => self.elements(action, at),
            "join" => self.join_texts(action, at),
            "parsejson" => self.parse_json(action, at),
            "response" => self.response(action, at),
            "javascriptcode" => self.code(action, at),
            "if" | "condition" => self.branch(action, at),
            "switch" => self.switch(action, at),
            "scope" | "sequence" => self.scope(action, at),
            "parallel" => self.parallel(action, at),
            "foreach" | "applytoeach" => self.foreach(action, at),
            "until" | "while" | "dountil" => self.until(action, at),
            "retry" => self.retried(action, at),
            "http" => self.http(action, at),
            "ai" => self.ai(action, at),
            "wait" | "delay" => self.wait(action, at),
            "terminate" => self.terminate(action, at),
            "" => Err("the action has no `type`".into()),
            "actor" | "activity" => {
                let program = ["actorType", "activityType", "activityName", "activity"]
                    .iter()
                    .find_map(|name| action.text(name));
                Err(format!(
                    "the {kind} “{}” is a program of the source system; replace it with a tool, a script or a subflow",
                    program.unwrap_or(action.name)
                )
                .into())
            }
            other => Err(format!(
                "actions of the type {} use an Azure service, or have no counterpart among the nodes ({other})",
                action.fields["type"]
            )
            .into()),
        }
    }

    /// Reports the fields of an action that have no effect.
    fn leftovers(&mut self, action: Action<'_>) {
        let steers = ["until", "foreach"].contains(&action.kind().as_str());
        let left: Vec<&str> = action
            .fields
            .keys()
            .map(String::as_str)
            .filter(|name| !holds(HANDLED, name) && !(steers && holds(STEERING, name)))
            .collect();
        if !left.is_empty() {
            let says = format!(
                "{}: notes and settings of the source system, which do not change the result",
                left.join(", ")
            );
            self.build.say(Outcome::Ignored, action.place, None, says);
        }
    }
}
