//! Translates the source's text fields to templates. The source replaces each `{{ … }}` in such a field with an output of a node.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Given, Inputs, Maker, Port, Spec,
    given::{Input, NamedOutput},
    inputs::Read,
    output_names,
};
use crate::build::identifier;

/// Formats a value for insertion into text: a string unchanged, anything else as JSON.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns a template that yields a value.
pub(super) fn template_of(value: &Value) -> String {
    match value {
        Value::String(text) if !text.trim().is_empty() => literal(text),
        other => format!("{{{{ {other} }}}}"),
    }
}

/// Escapes text that could look like a tag.
fn literal(text: &str) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let two = rest[at..].get(..2);
        let tag = two.filter(|two| ["{{", "{%", "{#"].contains(two));
        written.push_str(&rest[..at]);
        match tag {
            Some(tag) => written.push_str(&format!("{{{{ \"{tag}\" }}}}")),
            None => written.push('{'),
        }
        rest = &rest[at + tag.map_or(1, str::len)..];
    }
    written + rest
}

/// Returns the name by which text fields refer to a label: `Claude Greeting` is `claude_greeting`.
fn slug(label: &str) -> String {
    let mut slug = String::new();
    let mut after_blank = false;
    for c in label.to_lowercase().chars() {
        let is_blank = c.is_whitespace();
        if !(is_blank && after_blank) {
            slug.push(if is_blank { '_' } else { c });
        }
        after_blank = is_blank;
    }
    slug
}

/// Parses `{{ name }}` or `{{ one.two }}` at the start of `text`. Returns the one or two names and the length of the tag, or
/// `None` if there is no such tag.
fn tag(text: &str) -> Option<(&str, Option<&str>, usize)> {
    let behind = text.strip_prefix("{{")?;
    let (inner, _) = behind.split_once("}}")?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let is_name = |name: &str| !name.is_empty() && name.chars().all(is_part);
    let mut parts = inner.trim().splitn(2, '.');
    let (name, property) = (parts.next()?, parts.next());
    let named = is_name(name) && property.is_none_or(is_name);
    named.then_some((name, property, inner.len() + 4))
}

impl<'v> Maker<'v, '_> {
    /// Translates a node's text to a template. Also returns whether it contains values known only at run time. A tag with an
    /// unknown name is unchanged, as in the source. Fails if a named output has no equivalent.
    pub(super) fn text(
        &mut self,
        spec: &Spec<'v>,
        text: &str,
        inputs: &mut Inputs<'v>,
    ) -> Result<(String, bool), String> {
        let (mut template, mut has_values) = (String::new(), false);
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
                ("inputs", Some(property)) => given(inputs, property),
                (name, Some(property)) => self.named(spec, (name, property), inputs)?,
                (name, None) if name == "input" || self.plain_names => given(inputs, name),
                (_, None) => None,
            };
            match read {
                None => plain.push_str(&rest[..length]),
                Some(Put::Text(text)) => plain.push_str(&text),
                Some(Put::Read(read)) => {
                    let before = literal(&std::mem::take(&mut plain));
                    template += &format!("{before}{{{{ {read} | default(value=\"null\") }}}}");
                    has_values = true;
                }
            }
            rest = &rest[length..];
        }
        Ok((template + &literal(&(plain + rest)), has_values))
    }

    /// Finds an output of another node by the node's id or label. Returns `None` if there is no such node or output.
    fn named(
        &mut self,
        spec: &Spec<'v>,
        (name, property): (&str, &str),
        inputs: &mut Inputs<'v>,
    ) -> Result<Option<Put>, String> {
        let container = self.container;
        let ran = |other: &&Spec<'v>| {
            other.parent == spec.parent && other.id != spec.id && self.made.contains_key(other.id)
        };
        let by_id = container.node(name).filter(ran);
        let by_label = || {
            let mut nodes = container.nodes.iter();
            nodes.find(|other| slug(other.label()) == name.to_lowercase() || other.label() == name)
        };
        let Some(other) = by_id.or_else(by_label).filter(ran) else {
            return Ok(None);
        };
        let names = output_names(other);
        let property = match names.contains(&property) {
            true => property,
            // In the older form, `output` is the first output, regardless of its name.
            false if property == "output" => names.first().copied().unwrap_or("output"),
            false => return Ok(None),
        };
        let Some(out) = self.out(other.id, property)? else {
            return Ok(None);
        };
        let step = out.step();
        if let Some(known) = inputs.named.iter().find(|named| named.out == out) {
            return Ok(Some(Put::Read(format!("inputs.{}{step}", known.handle))));
        }
        let mut handle = format!("of_{}", identifier(&format!("{}_{property}", other.id)));
        let own = inputs.own.iter().map(|input| &input.handle);
        let named = inputs.named.iter().map(|named| &named.handle);
        let taken: Vec<&String> = own.chain(named).collect();
        while taken.contains(&&handle) {
            handle.push('_');
        }
        let read = format!("inputs.{handle}{step}");
        inputs.named.push(NamedOutput {
            handle,
            out,
            unordered: !other.is_start() && !self.comes_before(other.id, spec.id),
        });
        Ok(Some(Put::Read(read)))
    }

    /// Wires the outputs that text fields name to the node `renders`, which renders the fields. Reports each output for
    /// which the node waits only because a field names it.
    pub(super) fn wire_named(
        &mut self,
        spec: &Spec<'v>,
        node: &str,
        renders: &str,
        inputs: &Inputs<'v>,
    ) {
        for named in &inputs.named {
            let into = Port::at(renders, &named.handle);
            self.builder.wire(&named.out.port, &into);
            if named.unordered {
                let says = "This node's text refers to another node, but no edge connects the two nodes. Here, this node waits for the other one. In the source, the result depends on which of them starts first.";
                self.builder.approximated(&spec.place, Some(node), says);
            }
        }
    }

    /// Returns whether a path of edges leads from one node to another.
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

/// The replacement for a name in text.
enum Put {
    Text(String),
    /// An expression of a template.
    Read(String),
}

/// Returns the replacement for an input, or `None` if there is no such input.
fn given(inputs: &Inputs<'_>, name: &str) -> Option<Put> {
    let read = inputs.read(name)?;
    Some(match &read {
        Read::One(Input {
            given: Given::Value(value),
            ..
        }) => Put::Text(written(value)),
        _ => Put::Read(read.written("inputs.", "null")),
    })
}
