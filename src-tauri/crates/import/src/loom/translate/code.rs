//! Code actions: their JavaScript as it is, in a script whose result is kept.

use std::collections::BTreeSet;

use loopwright_script::MAX_SOURCE;
use serde_json::{Map, Value, json};

use super::{Change, Translator, Trouble, field};
use crate::{
    Outcome, javascript,
    loom::{
        expression::Code,
        graph::{End, Ends},
    },
};

/// What the code of an action reads of a run.
const CONTEXT: &str = "workflowContext";

/// What code reads of a run.
#[derive(Default)]
pub(super) struct Reads {
    /// Actions, by the names that the code gives them.
    pub(super) actions: BTreeSet<String>,
    pub(super) trigger: bool,
}

/// What `code` reads.
///
/// # Errors
/// What of it no script here has, as the end of a sentence that begins with "its code".
pub(super) fn reads(code: &str) -> Result<Reads, String> {
    let mut reads = Reads::default();
    for name in javascript::names(code, &[CONTEXT])? {
        let path: Vec<&str> = name.path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["actions", action, ..] => {
                reads.actions.insert((*action).to_owned());
            }
            ["trigger", ..] => reads.trigger = true,
            ["actions"] => {
                return Err(format!(
                    "reads an action of `{CONTEXT}` whose name is only known in a run"
                ));
            }
            [] => return Err(format!("reads `{CONTEXT}` as a whole")),
            [other, ..] => {
                return Err(format!(
                    "reads `{CONTEXT}.{other}`, which is not known here"
                ));
            }
        }
    }
    for (is_read, what) in [
        (javascript::reads_clock(code), "the clock"),
        (javascript::reads_chance(code), "random numbers"),
    ] {
        if is_read {
            return Err(format!("reads {what}, which a script does not have"));
        }
    }
    Ok(reads)
}

impl Translator {
    pub(super) fn code(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let kept = |why: String| {
            Trouble::Kept(format!(
                "its code {why}. Write it as a script or a template"
            ))
        };
        let source = field(action, "code")
            .and_then(Value::as_str)
            .ok_or_else(|| Trouble::Kept("it has no `code`".to_owned()))?;
        let reads = reads(source).map_err(kept)?;
        let mut context = String::new();
        if !reads.actions.is_empty() {
            let mut names = Vec::new();
            for action in &reads.actions {
                if !self.survey.actions.contains(action) {
                    return Err(kept(format!(
                        "reads the action “{action}”, and there is none of that name"
                    )));
                }
                names.push(json!([action, self.survey.codes.contains(action)]));
            }
            // An action that has not run is not there; what code returned is the body of its outputs.
            context.push_str(&format!(
                "for (const [name, isBody] of {}) {{\n    const outputs = input.outputs[name] ?? null;\n    if (outputs !== null) {CONTEXT}.actions[name] = {{ name, outputs: isBody ? {{ body: outputs }} : outputs }};\n}}\n",
                json!(names)
            ));
        }
        if reads.trigger {
            context.push_str(&format!("{CONTEXT}.trigger.outputs = input.trigger;\n"));
        }
        let waits = if source.contains("await") {
            "async "
        } else {
            ""
        };
        let script = format!(
            "const {CONTEXT} = {{ actions: {{}}, trigger: {{}} }};\n{context}// The code as it was written.\nreturn ({waits}function () {{\n{source}\n}})();"
        );
        if script.len() > MAX_SOURCE {
            return Err(kept(format!(
                "is longer than the {} KB that a script may have",
                MAX_SOURCE / 1024
            )));
        }
        javascript::names(&script, &["input"]).map_err(kept)?;
        let at = self.single(at);
        let label = format!("{name} code");
        let node = self.graph.add(
            "tool",
            &label,
            json!({ "label": label, "tool": "script.javascript", "args": { "source": script } }),
        );
        self.graph.wire(&at, &node, None);
        let mut changes = vec![Change::new("outputs", name, Code::Tera("reply".to_owned()))];
        changes.extend(self.succeeded(name));
        let kept = self.change(name, &at, &changes, Some(&End::primary(&node)));
        let says = "its JavaScript is a script, the code unchanged; what it returns is kept under its name";
        self.say(Outcome::Mapped, place, Some(&node), says);
        Ok(vec![End::primary(&kept)])
    }
}
