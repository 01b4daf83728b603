//! Texts with `{{ … }}`, which the source replaces by what its nodes gave, as templates here.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Maker, Spec,
    inputs::{Given, Input, Inputs, Read},
    outputs::{Found, Out, declared},
};
use crate::build::identifier;

/// A text as a template.
#[derive(Default)]
pub(super) struct Text {
    pub(super) template: String,
    /// It holds values that are only known in a run.
    pub(super) has_values: bool,
    /// Outputs of other nodes that it names, which are wired to handles of their own.
    pub(super) named: Vec<Named>,
}

/// An output that a text names by its node.
pub(super) struct Named {
    pub(super) handle: String,
    pub(super) out: Out,
    /// No edge says that its node comes first.
    pub(super) unordered: bool,
}

/// A value in a text: a text as it is, anything else as JSON.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Text that stands for itself, also where it looks like a tag.
pub(super) fn literal(text: &str) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let tag = rest[at..]
            .get(..2)
            .filter(|two| ["{{", "{%", "{#"].contains(two));
        let end = at + tag.map_or(1, str::len);
        written.push_str(&rest[..at]);
        match tag {
            Some(tag) => written.push_str(&format!("{{{{ \"{tag}\" }}}}")),
            None => written.push('{'),
        }
        rest = &rest[end..];
    }
    written + rest
}

/// A label as a text names it: `Claude Greeting` is `claude_greeting`.
fn slug(label: &str) -> String {
    let mut slug = String::new();
    let mut after_blank = false;
    for c in label.to_lowercase().chars() {
        if !c.is_whitespace() {
            slug.push(c);
        } else if !after_blank {
            slug.push('_');
        }
        after_blank = c.is_whitespace();
    }
    slug
}

/// How a template reads an input.
fn read_input(input: &Input<'_>) -> String {
    match &input.given {
        Given::Out(out) => format!("inputs.{}{}", input.handle, out.step()),
        Given::Value(value) => value.to_string(),
        Given::Nothing => "null".to_owned(),
    }
}

/// `{{ name }}` or `{{ one.two }}` at the beginning of a text: the names, and the length of it all.
fn tag(text: &str) -> Option<(&str, Option<&str>, usize)> {
    let close = text.find("}}")?;
    let inner = text.get(2..close)?.trim();
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    let (name, property) = match inner.split_once('.') {
        Some((name, property)) => (name, Some(property)),
        None => (inner, None),
    };
    let named = is_name(name) && property.is_none_or(is_name);
    (text.starts_with("{{") && named).then_some((name, property, close + 2))
}

impl<'v> Maker<'v, '_> {
    /// A text of a node with what is put into it. What names nothing stays as it is, as there.
    pub(super) fn text(
        &mut self,
        spec: &Spec<'v>,
        text: &str,
        inputs: &Inputs<'v>,
    ) -> Result<Text, String> {
        let mut made = Text::default();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("{{") {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            let Some((name, property, length)) = tag(rest) else {
                plain.push('{');
                rest = &rest[1..];
                continue;
            };
            let read = match (name, property) {
                (name, None) if name == "input" || self.plain_names => {
                    inputs.read(name).map(|read| given(&read))
                }
                (_, None) => None,
                ("inputs", Some(property)) => inputs.read(property).map(|read| given(&read)),
                (name, Some(property)) => self.named(spec, (name, property), inputs, &mut made)?,
            };
            match read {
                None => plain.push_str(&rest[..length]),
                Some(Put::Text(text)) => plain.push_str(&text),
                Some(Put::Read(read)) => {
                    made.template
                        .push_str(&literal(&std::mem::take(&mut plain)));
                    made.template
                        .push_str(&format!("{{{{ {read} | default(value=\"null\") }}}}"));
                    made.has_values = true;
                }
            }
            rest = &rest[length..];
        }
        made.template.push_str(&literal(&(plain + rest)));
        Ok(made)
    }

    /// An output of another node by the node's id or label.
    fn named(
        &mut self,
        spec: &Spec<'v>,
        (name, property): (&str, &str),
        inputs: &Inputs<'v>,
        text: &mut Text,
    ) -> Result<Option<Put>, String> {
        let container = self.container;
        let label = |other: &Spec<'v>| super::text(other.data, "label").unwrap_or(other.id);
        let ran = |other: &Spec<'v>| {
            other.parent == spec.parent && other.id != spec.id && self.made.contains_key(other.id)
        };
        let by_id = container.node(name).filter(|other| ran(other));
        let by_label = || {
            let mut nodes = container.nodes.iter();
            nodes.find(|other| slug(label(other)) == name.to_lowercase() || label(other) == name)
        };
        let Some(other) = by_id.or_else(by_label).filter(|other| ran(other)) else {
            return Ok(None);
        };
        let names = declared(other);
        let property = match names.iter().any(|(output, _)| *output == property) {
            true => property,
            // An older form: the first output, whatever it is called.
            false if property == "output" => names.first().map_or("output", |(output, _)| output),
            false => return Ok(None),
        };
        match self.out(other.id, property) {
            Found::Out(out) => {
                let step = out.step();
                if let Some(known) = text.named.iter().find(|named| named.out == out) {
                    return Ok(Some(Put::Read(format!("inputs.{}{step}", known.handle))));
                }
                let mut handle = format!("of_{}", identifier(&format!("{}_{property}", other.id)));
                let is_taken = |handle: &String, text: &Text| {
                    inputs.own.iter().any(|input| input.handle == *handle)
                        || text.named.iter().any(|named| named.handle == *handle)
                };
                while is_taken(&handle, text) {
                    handle.push('_');
                }
                let read = format!("inputs.{handle}{step}");
                let is_start = ["trigger", "interface-input"].contains(&other.kind);
                let unordered = !is_start && !self.comes_before(other.id, spec.id);
                text.named.push(Named {
                    handle,
                    out,
                    unordered,
                });
                Ok(Some(Put::Read(read)))
            }
            Found::Missing => Ok(None),
            Found::NoCounterpart => Err(format!(
                "it reads the output “{property}” of “{}”, which there is no counterpart to",
                other.id
            )),
        }
    }

    /// Whether edges lead from a node to another one.
    fn comes_before(&self, from: &str, to: &str) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![to]);
        while let Some(id) = open.pop() {
            for wire in self.container.into(id) {
                if wire.source == from {
                    return true;
                }
                if seen.insert(wire.source) {
                    open.push(wire.source);
                }
            }
        }
        false
    }
}

/// What is put into a text.
enum Put {
    Text(String),
    /// An expression of a template.
    Read(String),
}

fn given(read: &Read<'_, '_>) -> Put {
    match read {
        Read::One(input) => match &input.given {
            Given::Value(value) => Put::Text(written(value)),
            _ => Put::Read(read_input(input)),
        },
        Read::List(items) => {
            let items: Vec<String> = items.iter().map(|input| read_input(input)).collect();
            Put::Read(format!("[{}]", items.join(", ")))
        }
    }
}
