//! Workspace folders that a run's inputs determine, as in `"source": "{{ run.inputs.project }}"`. The inputs are replaced by
//! their values before the flow is planned, so that the approvals name the folder. The stored document of a run keeps the
//! template.

use loopwright_engine::trust::is_computed;
use loopwright_model::{Flow, Shape, kind::Kinds, value::to_text};
use loopwright_template::{Scope, Template};
use serde_json::{Map, Value, json};

use crate::error::{ApiError, Code};

/// Replaces each input in the folders of workspaces with its value in `inputs` or its default. Returns `true` if any folder
/// was changed.
///
/// # Errors
/// Returns [`Code::InvalidArgument`] if a folder would be empty or cannot be computed.
pub(crate) fn fill_in_folders(
    flow: &mut Flow,
    kinds: &Kinds,
    inputs: &Map<String, Value>,
) -> Result<bool, ApiError> {
    let computed = |flow: &Flow, at: usize| {
        let node = &flow.nodes[at];
        let workspace = kinds.of(node)?.workspace(&node.data)?;
        (!node.disabled() && is_computed(workspace.folder)).then(|| workspace.folder.to_owned())
    };
    let named: Vec<(usize, String)> = (0..flow.nodes.len())
        .filter_map(|at| Some((at, computed(flow, at)?)))
        .collect();
    if named.is_empty() {
        return Ok(false);
    }
    let scope = scope_of(flow, kinds, inputs);
    for (at, source) in named {
        let node = &mut flow.nodes[at];
        let refused = |why: String| {
            let message = format!(
                "The workspace folder of \"{}\" is {source}. {why}",
                node.title()
            );
            Err(ApiError::new(Code::InvalidArgument, message))
        };
        let folder = match Template::parse(&source).and_then(|template| template.render(&scope)) {
            Ok(value) => to_text(&value),
            Err(error) => return refused(error.to_string()),
        };
        if folder.trim().is_empty() {
            return refused(
                "That value is empty. Give the input a value (on the command line: --input NAME=FOLDER)."
                    .to_owned(),
            );
        }
        if let Some(kind) = kinds.of(node) {
            kind.set_workspace_folder(&mut node.data, folder);
        }
    }
    Ok(true)
}

/// Returns the scope of the templates: `run.inputs`, with the defaults of inputs that have no value.
fn scope_of(flow: &Flow, kinds: &Kinds, inputs: &Map<String, Value>) -> Scope {
    let mut all = Map::new();
    for node in &flow.nodes {
        if kinds.shape(node) != Shape::Input {
            continue;
        }
        let name = node.boundary_name();
        let value = inputs.get(name).or_else(|| node.data.get("default"));
        all.insert(name.to_owned(), value.cloned().unwrap_or_default());
    }
    let mut scope = Scope::new();
    scope.insert("run", json!({ "inputs": all }));
    scope
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(source: &str, default: Value) -> Flow {
        let document = json!({
            "schemaVersion": 1, "name": "f",
            "nodes": [
                { "id": "in", "type": "input", "data": { "name": "project", "default": default } },
                { "id": "fix", "type": "loop", "data": { "workspace": { "source": source } } },
                { "id": "exit", "type": "exit", "data": {} },
            ],
            "edges": [],
        });
        loopwright_model::file::read_value(document).unwrap()
    }

    fn filled(source: &str, default: Value, inputs: Value) -> Result<Option<String>, String> {
        let mut flow = flow(source, default);
        let kinds = loopwright_nodes::all();
        let inputs = inputs.as_object().unwrap();
        let changed = fill_in_folders(&mut flow, kinds.specs(), inputs);
        let source = flow.nodes[1].data["workspace"]["source"].as_str().unwrap();
        changed
            .map(|changed| changed.then(|| source.to_owned()))
            .map_err(|error| error.message)
    }

    #[test]
    fn an_input_names_the_folder() {
        let source = "{{ run.inputs.project }}";
        let given = json!({ "project": "/a/b c" });
        assert_eq!(
            filled(source, Value::Null, given.clone()),
            Ok(Some("/a/b c".into()))
        );
        assert_eq!(
            filled("{{ run.inputs.project }}/ui", json!("/d"), json!({})),
            Ok(Some("/d/ui".into()))
        );
        assert_eq!(filled("/written", json!("/d"), given), Ok(None));
        for nothing in [json!({}), json!({ "project": " " })] {
            let refused = filled(source, Value::Null, nothing).unwrap_err();
            assert!(refused.contains("--input"), "{refused}");
        }
        let refused = filled("{{ run.inputs.other.x }}", Value::Null, json!({})).unwrap_err();
        assert!(refused.contains("other"), "{refused}");
    }
}
