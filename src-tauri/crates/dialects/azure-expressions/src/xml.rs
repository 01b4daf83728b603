//! XML: a small tree, formatted like .NET's `XmlDocument`, and its conversion from and to JSON.
//!
//! Reference: Newtonsoft, "Converting between JSON and XML": attributes are fields with `@`, text is `#text`, and elements with
//! the same name form an array.

use quick_xml::{
    Reader,
    escape::{escape, partial_escape},
    events::{BytesStart, Event},
};

use crate::value::{Object, Value};

/// The maximum nesting depth of elements.
const MAX_DEPTH: usize = 64;

/// A node of a document.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Element(Element),
    Text(String),
    CData(String),
    /// A comment, a processing instruction or a declaration, unchanged.
    Other(String),
}

#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Node>,
}

fn element(start: &BytesStart<'_>) -> Result<Element, String> {
    let name = start.name().as_ref().to_owned();
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|why| why.to_string())?;
        let value = quick_xml::escape::unescape(&attribute.value).map_err(|why| why.to_string())?;
        let name = attribute.key.as_ref().to_owned();
        attributes.push((name, value.into_owned()));
    }
    Ok(Element {
        name,
        attributes,
        children: Vec::new(),
    })
}

/// Parses a document. Text that is only white space is dropped.
///
/// # Errors
/// Returns an error if the XML is malformed, is nested too deeply, or has a document type declaration.
pub(crate) fn parse(text: &str) -> Result<Vec<Node>, String> {
    let mut reader = Reader::from_str(text.trim());
    let mut open: Vec<Element> = Vec::new();
    let mut top: Vec<Node> = Vec::new();
    let mut pending = String::new();
    loop {
        let event = reader.read_event().map_err(|why| why.to_string())?;
        // A character reference and the text around it form one text node.
        match &event {
            Event::Text(part) => {
                pending.push_str(part);
                continue;
            }
            Event::GeneralRef(name) => {
                let whole = format!("&{};", &**name);
                let read = quick_xml::escape::unescape(&whole).map_err(|why| why.to_string())?;
                pending.push_str(&read);
                continue;
            }
            _ => {}
        }
        let text = std::mem::take(&mut pending);
        if !text.trim().is_empty() {
            match open.last_mut() {
                Some(parent) => parent.children.push(Node::Text(text)),
                None => return Err("there is text outside the root element".to_owned()),
            }
        }
        let mut add = |open: &mut Vec<Element>, node: Node| match open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => top.push(node),
        };
        match event {
            Event::Start(start) => {
                if open.len() >= MAX_DEPTH {
                    return Err(format!(
                        "elements are nested more than {MAX_DEPTH} levels deep"
                    ));
                }
                open.push(element(&start)?);
            }
            Event::Empty(start) => add(&mut open, Node::Element(element(&start)?)),
            Event::End(_) => {
                if let Some(done) = open.pop() {
                    add(&mut open, Node::Element(done));
                }
            }
            Event::CData(text) => {
                add(&mut open, Node::CData(text.to_string()));
            }
            Event::Comment(text) => add(&mut open, Node::Other(format!("<!--{}-->", &*text))),
            Event::PI(text) => add(&mut open, Node::Other(format!("<?{}?>", &*text))),
            Event::Decl(text) => add(&mut open, Node::Other(format!("<?{}?>", &*text))),
            Event::DocType(_) => {
                return Err("a document type declaration (<!DOCTYPE>) is not supported".to_owned());
            }
            Event::Eof => break,
            Event::Text(_) | Event::GeneralRef(_) => {}
        }
    }
    if let Some(open) = open.last() {
        return Err(format!("the element <{}> is not closed", open.name));
    }
    let roots = top
        .iter()
        .filter(|node| matches!(node, Node::Element(_)))
        .count();
    match roots {
        1 => Ok(top),
        0 => Err("there is no root element".to_owned()),
        _ => Err("there is more than one root element".to_owned()),
    }
}

pub(crate) fn write(nodes: &[Node], into: &mut String) {
    for node in nodes {
        match node {
            Node::Text(text) => into.push_str(&partial_escape(text.as_str())),
            Node::CData(text) => into.push_str(&format!("<![CDATA[{text}]]>")),
            Node::Other(text) => into.push_str(text),
            Node::Element(element) => {
                into.push_str(&format!("<{}", element.name));
                for (name, value) in &element.attributes {
                    let value = escape(value.as_str()).replace("&apos;", "'");
                    into.push_str(&format!(" {name}=\"{value}\""));
                }
                if element.children.is_empty() {
                    into.push_str(" />");
                } else {
                    into.push('>');
                    write(&element.children, into);
                    into.push_str(&format!("</{}>", element.name));
                }
            }
        }
    }
}

/// Converts a document to JSON.
pub(crate) fn to_json(nodes: &[Node]) -> Value {
    let mut fields = Object::new();
    for node in nodes {
        match node {
            Node::Element(element) => fields.push((element.name.clone(), element_json(element))),
            Node::Other(text) if text.starts_with("<?xml") => {
                let declared = text
                    .trim_start_matches("<?xml")
                    .trim_end_matches("?>")
                    .split_whitespace()
                    .filter_map(|part| part.split_once('='))
                    .map(|(name, value)| {
                        (
                            format!("@{name}"),
                            Value::text(value.trim_matches(['"', '\''])),
                        )
                    })
                    .collect();
                fields.push(("?xml".to_owned(), Value::Object(declared)));
            }
            _ => {}
        }
    }
    Value::Object(fields)
}

fn element_json(element: &Element) -> Value {
    let mut fields: Object = element
        .attributes
        .iter()
        .map(|(name, value)| (format!("@{name}"), Value::text(value.as_str())))
        .collect();
    let mut add =
        |name: &str, value: Value| match fields.iter_mut().find(|(field, _)| field == name) {
            Some((_, Value::Array(items))) => items.push(value),
            Some((_, one)) => *one = Value::Array(vec![std::mem::replace(one, Value::Null), value]),
            None => fields.push((name.to_owned(), value)),
        };
    for child in &element.children {
        match child {
            Node::Element(inner) => add(&inner.name, element_json(inner)),
            Node::Text(text) => add("#text", Value::text(text.as_str())),
            Node::CData(text) => add("#cdata-section", Value::text(text.as_str())),
            Node::Other(_) => {}
        }
    }
    match fields.as_slice() {
        [] if element.children.is_empty() => Value::Null,
        [(name, Value::Text(text))] if name == "#text" => Value::text(text.as_str()),
        _ => Value::Object(fields),
    }
}

/// Converts a JSON object with one field to a document.
///
/// # Errors
/// Returns an error unless the object has exactly one field apart from `?xml`, and that field is not an array. Also returns
/// an error if a name is not a valid element name.
pub(crate) fn from_json(value: &Value) -> Result<Vec<Node>, String> {
    let Value::Object(fields) = value else {
        return Err("only an object can be converted to XML".to_owned());
    };
    let roots: Vec<&(String, Value)> = fields.iter().filter(|(name, _)| name != "?xml").collect();
    match roots.as_slice() {
        [(name, value)] if !matches!(value, Value::Array(_)) => {
            Ok(vec![Node::Element(json_element(name, value)?)])
        }
        _ => Err(
            "an object that is converted to XML must have exactly one field, the root element"
                .to_owned(),
        ),
    }
}

fn json_element(name: &str, value: &Value) -> Result<Element, String> {
    let named = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "_-.:".contains(c));
    if !named {
        return Err(format!("'{name}' is not a valid element name"));
    }
    let mut element = Element {
        name: name.to_owned(),
        attributes: Vec::new(),
        children: Vec::new(),
    };
    let Value::Object(fields) = value else {
        if *value != Value::Null {
            element.children.push(Node::Text(value.to_text(false)));
        }
        return Ok(element);
    };
    for (field, value) in fields {
        if let Some(attribute) = field.strip_prefix('@') {
            element
                .attributes
                .push((attribute.to_owned(), value.to_text(false)));
        } else if field == "#text" {
            element.children.push(Node::Text(value.to_text(false)));
        } else if field == "#cdata-section" {
            element.children.push(Node::CData(value.to_text(false)));
        } else if let Value::Array(items) = value {
            for item in items {
                element
                    .children
                    .push(Node::Element(json_element(field, item)?));
            }
        } else {
            element
                .children
                .push(Node::Element(json_element(field, value)?));
        }
    }
    Ok(element)
}
