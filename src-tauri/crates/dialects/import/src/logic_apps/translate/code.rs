//! Translates code actions. Their JavaScript runs unchanged in a script whose result is recorded.

use loopwright_script::MAX_SOURCE;
use serde_json::{Value, json};

use super::{
    Action, Ends, Step, Translator,
    code_reads::{CONTEXT, reads},
};
use crate::javascript;

impl Translator {
    pub(super) fn code(&mut self, action: Action<'_>, at: Ends) -> Step {
        let kept =
            |why: String| format!("its code {why}. Rewrite the code as a script or a template");
        let name = action.name;
        let source = action.text("code").ok_or("the action has no `code`")?;
        let reads = reads(source).map_err(kept)?;
        let mut context = String::new();
        if !reads.actions.is_empty() {
            let known = &self.survey.actions;
            if let Some(unknown) = reads.actions.iter().find(|name| !known.contains(*name)) {
                let why = format!("reads the unknown action “{unknown}”");
                return Err(kept(why).into());
            }
            let names = reads.actions.iter();
            let names = names.map(|name| json!([name, self.survey.codes.contains(name)]));
            // An action that has not run is absent from the context. The outputs of a code action are wrapped as a `body`.
            context.push_str(&format!(
                "for (const [name, isBody] of {}) {{\n    const outputs = input.outputs[name] ?? null;\n    if (outputs !== null) {CONTEXT}.actions[name] = {{ name, outputs: isBody ? {{ body: outputs }} : outputs }};\n}}\n",
                Value::from_iter(names)
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
            let most = MAX_SOURCE / 1024;
            let why = format!("is longer than {most} KB, the maximum for a script");
            return Err(kept(why).into());
        }
        javascript::names(&script, &["input"]).map_err(kept)?;
        let at = self.single(at);
        let data = json!({ "tool": "script.javascript", "args": { "source": script } });
        let node = self.node("tool", &format!("{name} code"), data, &at);
        let after = self.keep_reply((name, name), &at, &node, "reply");
        let says = "its JavaScript becomes a script, with the code unchanged; the result is stored under the action's name";
        self.build.mapped(action.place, &node.node, says);
        Ok(after)
    }
}
