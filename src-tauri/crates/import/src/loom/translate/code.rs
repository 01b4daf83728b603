//! Code actions: JavaScript that can be translated, as a part of the script that keeps what it returns.

use std::{cell::RefCell, collections::BTreeSet};

use serde_json::{Map, Value};

use super::{Change, Translator, Trouble, field};
use crate::{
    Outcome, javascript,
    loom::{
        expression::{Code, Ty},
        graph::Ends,
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
        let names = self.names("input");
        let helpers = RefCell::new(BTreeSet::new());
        let given = |path: &[&str]| {
            let (expression, taken) = match path {
                [CONTEXT, "actions", action, "outputs", "body", ..] => {
                    (format!("@body('{}')", action.replace('\'', "''")), 5)
                }
                [CONTEXT, "actions", action, "outputs", ..] => {
                    (format!("@outputs('{}')", action.replace('\'', "''")), 4)
                }
                [CONTEXT, "trigger", "outputs", "body", ..] => ("@triggerBody()".to_owned(), 4),
                [CONTEXT, "trigger", "outputs", ..] => ("@triggerOutputs()".to_owned(), 3),
                _ => return None,
            };
            let code = names.value(&Value::String(expression)).ok()?;
            helpers.borrow_mut().extend(code.helpers);
            Some((code.luau, taken))
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
        let code = Code::written(Ty::Any, None, script, helpers.into_inner());
        let changes = vec![Change::new("outputs", name, code)];
        let says = "its JavaScript is a script in Luau, and what it returns is kept under its name";
        let after = self.changed(name, &at, changes, place, says);
        let node = after.first().map(|end| end.node.clone());
        for differs in translated.differs {
            let says = format!("its JavaScript is a script in Luau: {differs}");
            self.say(Outcome::Approximated, place, node.as_deref(), says);
        }
        Ok(after)
    }
}
