//! Function nodes: JavaScript that can be translated, as a script.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Made, Maker, Spec, programs::global};
use crate::{build::Port, helpers, javascript, tea::lua_text};

/// An input of a function node: its name, and the list and the place in it where it is an element of one.
struct Input<'v> {
    name: &'v str,
    list: Option<(&'v str, usize)>,
}

/// Elements of one list.
const MOST_ITEMS: usize = 200;

fn inputs<'v>(spec: &Spec<'v>) -> Vec<Input<'v>> {
    let declared = spec.data.get("inputs").and_then(Value::as_array);
    declared
        .into_iter()
        .flatten()
        .filter_map(|input| {
            let list = input.get("arrayParent").and_then(Value::as_str);
            let index = input.get("arrayIndex").and_then(Value::as_u64);
            let index = index.and_then(|index| usize::try_from(index).ok());
            Some(Input {
                name: input.get("name")?.as_str()?,
                list: list.zip(index.filter(|index| *index < MOST_ITEMS)),
            })
        })
        .collect()
}

impl<'v> Maker<'v, '_> {
    /// A function in Luau; one that does what a script cannot is kept.
    pub(super) fn function(&mut self, spec: &Spec<'v>) -> Made {
        const INSTEAD: &str =
            "Write it as a script or a template, which gives an object with its outputs as fields";
        let Some(code) = spec.data.get("code").and_then(Value::as_str) else {
            let why = if spec.data.contains_key("file") || spec.data.contains_key("codeFile") {
                "its code stands in another file, and an import reads one"
            } else {
                "it has no code"
            };
            return self.kept(spec, &format!("{why}. {INSTEAD}"));
        };
        let own = inputs(spec);
        let before = self.inputs_of(spec, &own);
        let translated = match javascript::translate(code, &["inputs"], &before, &|_| None) {
            Ok(translated) => translated,
            Err(why) => return self.kept(spec, &format!("its JavaScript {why}. {INSTEAD}")),
        };
        if !helpers::can_run(&translated.source) {
            return self.kept(
                spec,
                &format!("its JavaScript makes a script that cannot be run here. {INSTEAD}"),
            );
        }
        let mut args = Map::new();
        for input in own.iter().filter(|input| self.is_wired(spec, input.name)) {
            args.insert(global(input.name), Value::Null);
        }
        args.insert("source".to_owned(), translated.source.into());
        let name = self.name(spec);
        let node = self
            .builder
            .node("tool", &name, json!({ "tool": "script.lua", "args": args }));
        self.label(&node, spec);
        if translated.differs.is_empty() {
            self.builder.mapped(
                &spec.place,
                &node,
                "its JavaScript is a script in Luau that gives the same",
            );
        }
        let renamed: Vec<String> = own
            .iter()
            .filter(|input| global(input.name) != format!("in_{}", input.name))
            .map(|input| format!("“{}” is “{}”", input.name, global(input.name)))
            .collect();
        if !renamed.is_empty() {
            self.builder.mapped(
                &spec.place,
                &node,
                format!(
                    "its inputs have names of the script's own: {}",
                    renamed.join(", ")
                ),
            );
        }
        for differs in translated.differs {
            self.builder.approximated(
                &spec.place,
                Some(&node),
                format!("its JavaScript is a script in Luau: {differs}"),
            );
        }
        let mut ports = BTreeMap::from([(String::new(), Port::at(&node, "input"))]);
        for input in own {
            ports.insert(
                input.name.to_owned(),
                Port::named(&node, global(input.name)),
            );
        }
        Made {
            inputs: ports,
            fields: true,
            declares: true,
            node,
            ..Made::default()
        }
    }

    /// `inputs` as the code reads it: what is wired, elements of a list together in one; what is not wired is undefined.
    fn inputs_of(&self, spec: &Spec<'_>, own: &[Input<'_>]) -> String {
        let mut fields: Vec<(&str, String)> = Vec::new();
        let mut lists: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for input in own {
            let wired = self.is_wired(spec, input.name);
            match input.list {
                None if wired => fields.push((input.name, global(input.name))),
                None => {}
                Some((list, index)) => {
                    let items = lists.entry(list).or_default();
                    if items.len() <= index {
                        items.resize(index + 1, "null".to_owned());
                    }
                    if wired {
                        items[index] = global(input.name);
                    }
                }
            }
        }
        fields.extend(
            lists
                .into_iter()
                .map(|(list, items)| (list, format!("array({{ {} }})", items.join(", ")))),
        );
        let fields: Vec<String> = fields
            .into_iter()
            .map(|(name, value)| format!("[{}] = {value}", lua_text(name)))
            .collect();
        format!("local v_inputs = object({{ {} }})\n", fields.join(", "))
    }
}
