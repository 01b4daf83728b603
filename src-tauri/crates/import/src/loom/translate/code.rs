//! Code actions: JavaScript that can be translated, as a part of the script that keeps what it returns.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Change, Translator, Trouble, field};
use crate::{
    Outcome, javascript,
    loom::{
        expression::{Code, luau_text},
        graph::{End, Ends},
    },
};

/// What the code of an action reads of a run.
const CONTEXT: &str = "workflowContext";

/// The actions whose outputs `code` reads, by the text alone: more than it reads does no harm.
pub(super) fn actions_read(code: &str) -> BTreeSet<String> {
    let marker = format!("{CONTEXT}.actions");
    code.split(&marker)
        .skip(1)
        .filter_map(|rest| {
            let name = rest.strip_prefix('.').map(|rest| {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
                &rest[..end.unwrap_or(rest.len())]
            });
            let quoted = ["['", "[\""].iter().find_map(|open| {
                let rest = rest.strip_prefix(open)?;
                rest.split(['\'', '"']).next()
            });
            name.or(quoted).map(str::to_owned)
        })
        .collect()
}

/// Whether `code` reads what started the run.
pub(super) fn reads_trigger(code: &str) -> bool {
    code.contains(&format!("{CONTEXT}.trigger"))
}

impl Translator {
    pub(super) fn code(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let source = field(action, "code")
            .and_then(Value::as_str)
            .ok_or_else(|| Trouble::Kept("it has no `code`".to_owned()))?;
        let outputs = |action: &str, body: bool| {
            let known = self.survey.actions.iter();
            let same = |known: &&String| known.to_lowercase() == action.to_lowercase();
            let spelled = known.clone().find(same).map_or(action, String::as_str);
            let read = format!("input.outputs[{}]", luau_text(spelled));
            if body && self.survey.bodies.contains(action) {
                format!("({read} and {read} ~= null and {read}.body)")
            } else {
                read
            }
        };
        let given = |path: &[&str]| {
            Some(match path {
                [CONTEXT, "actions", action, "outputs", "body", ..] => (outputs(action, true), 5),
                [CONTEXT, "actions", action, "outputs", ..] => (outputs(action, false), 4),
                [CONTEXT, "trigger", "outputs", "body", ..] => ("input.trigger.body".to_owned(), 4),
                [CONTEXT, "trigger", "outputs", ..] => ("input.trigger".to_owned(), 3),
                _ => return None,
            })
        };
        let translated = javascript::translate(source, &[], "", &given).map_err(|why| {
            Trouble::Kept(format!(
                "its JavaScript {why}. Write it as a script or a template"
            ))
        })?;
        let script = format!("(function()\n{}end)()", translated.source);
        if script.len() > loopwright_script::MAX_SOURCE / 2
            || !loopwright_script::mistakes(&format!("return {script}")).is_empty()
        {
            let why = "its JavaScript makes a script that cannot be run here";
            return Err(Trouble::Kept(why.to_owned()));
        }
        let says = "its JavaScript is a script in Luau, and what it returns is kept under its name";
        let at = self.single(at);
        let node = self.script(&format!("{name} code"), format!("return {script}"), false);
        self.graph.wire(&at, &node, None);
        let mut changes = vec![Change::new("outputs", name, Code::Tera("reply".to_owned()))];
        changes.extend(self.succeeded(name));
        let kept = self.change(name, &at, &changes, Some(&End::primary(&node)));
        let after = vec![End::primary(&kept)];
        self.say(Outcome::Mapped, place, Some(&node), says);
        let node = Some(node);
        for differs in translated.differs {
            let says = format!("its JavaScript is a script in Luau: {differs}");
            self.say(Outcome::Approximated, place, node.as_deref(), says);
        }
        Ok(after)
    }
}
