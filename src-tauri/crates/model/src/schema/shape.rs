//! The shape of a schema, measured before it is compiled: its size, and how many of its parts apply to the same value.
//! Chains of `$ref` multiply these parts: a schema of 5 KB can expand to more parts than any computer can visit.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{
    error::SchemaError,
    value::{Cost, ERROR},
};
use crate::{
    meter::{self, BYTES_PER_UNIT},
    value::{DEEPEST, is_within},
};

/// The maximum length of a schema's JSON text, in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// The maximum total length of the locations of all parts, in bytes. The library stores each location in full, such as
/// `/properties/a/anyOf/0`.
const MAX_PLACES: usize = 16 * 1024 * 1024;
/// The maximum number of different patterns in a schema.
const MAX_PATTERNS: usize = 500;
/// The maximum number of parts that apply to one value. A part counts once for each `$ref` that leads to it.
const MAX_UNFOLDED: u64 = 10_000;
/// The maximum nesting depth of parts that apply to one value.
const MAX_DEPTH: usize = 100;

/// The measures of a schema that are limited.
#[derive(Debug, Default)]
pub(super) struct Shape {
    unfolded: u64,
    depth: usize,
    patterns: usize,
    /// The size of the largest part of which an error stores a copy, in bytes.
    largest: usize,
}

/// The assumed ratio of a value's size in memory to the length of its JSON text.
const IN_MEMORY: usize = 24;

impl Shape {
    pub(super) fn of(schema: &Value) -> Result<Self, SchemaError> {
        let too_large = || {
            SchemaError::limit(format!(
                "it is larger than {} KB. Remove the parts that this node does not need",
                MAX_BYTES / 1024
            ))
        };
        if !is_within(schema, DEEPEST) {
            return Err(SchemaError::limit(format!(
                "it is nested more than {DEEPEST} levels deep"
            )));
        }
        let mut survey = Survey::default();
        survey.look(schema, 0);
        if survey.bytes > MAX_BYTES {
            return Err(too_large());
        }
        if survey.places > MAX_PLACES {
            return Err(SchemaError::limit(
                "its names are too long for how deeply they are nested. Shorten the names, or reduce the nesting",
            ));
        }
        if survey.patterns.len() > MAX_PATTERNS {
            return Err(SchemaError::limit(format!(
                "it has more than {MAX_PATTERNS} different patterns. Remove some of them"
            )));
        }
        // This charges for the compilation, whose main cost is the patterns.
        meter::charge(
            survey.bytes as u64 / 4 + 4_000 * survey.patterns.len() as u64,
            0,
        )?;
        let mut unfold = Unfold {
            root: schema,
            named: &survey.named,
            known: HashMap::new(),
        };
        let mut shape = Self {
            patterns: survey.patterns.len(),
            largest: survey.largest,
            ..Self::default()
        };
        for part in &survey.parts {
            let (unfolded, depth) = unfold.count(part, 0)?;
            shape.unfolded = shape.unfolded.max(unfolded);
            shape.depth = shape.depth.max(depth);
        }
        if shape.unfolded > MAX_UNFOLDED {
            return Err(SchemaError::limit(format!(
                "its `$ref`, `anyOf`, `oneOf` and `allOf` unfold to more than {MAX_UNFOLDED} schemas for one value. Refer to each schema only once"
            )));
        }
        Ok(shape)
    }

    pub(super) fn has_patterns(&self) -> bool {
        self.patterns > 0
    }

    pub(super) fn depth(&self) -> usize {
        self.depth.max(1)
    }

    pub(super) fn cost(&self) -> Cost {
        Cost {
            access: 1 + self.unfolded / 16,
            text: 0,
            per_unit: if self.has_patterns() {
                4
            } else {
                BYTES_PER_UNIT
            },
            error: ERROR + self.largest as u64,
            listing: false,
        }
    }
}

/// The results of a walk through the whole schema.
#[derive(Default)]
struct Survey<'s> {
    bytes: usize,
    /// The total length of the locations of all parts, in bytes.
    places: usize,
    largest: usize,
    patterns: HashSet<&'s str>,
    parts: Vec<&'s Map<String, Value>>,
    /// The parts that have an `$id` or an `$anchor`, keyed by that name.
    named: HashMap<&'s str, &'s Value>,
}

impl<'s> Survey<'s> {
    /// Surveys `value`. `place` is the length of its location, in bytes.
    fn look(&mut self, value: &'s Value, place: usize) {
        self.places = self.places.saturating_add(place);
        match value {
            Value::String(text) => self.bytes += text.len() + 2,
            Value::Array(items) => {
                self.bytes += 2 + items.len();
                items.iter().for_each(|item| self.look(item, place + 4));
            }
            Value::Object(fields) => {
                // Within a part that has its own `$id`, the library also stores each location as a URI.
                let id = |name: &str| fields.get(name).and_then(Value::as_str).map_or(0, str::len);
                let place = place + 3 * (id("$id") + id("id"));
                self.parts.push(fields);
                self.bytes += 2;
                for (name, field) in fields {
                    let before = self.bytes;
                    self.bytes += name.len() + 4;
                    match (name.as_str(), field) {
                        ("pattern", Value::String(pattern)) => drop(self.patterns.insert(pattern)),
                        ("patternProperties", Value::Object(by_pattern)) => {
                            self.patterns.extend(by_pattern.keys().map(String::as_str));
                        }
                        ("$id" | "id" | "$anchor" | "$dynamicAnchor", Value::String(id)) => {
                            self.named.insert(id, value);
                        }
                        _ => {}
                    }
                    // In a JSON pointer, `/` and `~` are each written as two characters.
                    let escaped = name.matches(['/', '~']).count();
                    self.look(field, place + 1 + name.len() + escaped);
                    let bytes = self.bytes - before;
                    let kept = match name.as_str() {
                        "required" | "properties" | "pattern" | "patternProperties" | "format"
                        | "contentEncoding" | "contentMediaType" => bytes,
                        "not" => bytes * IN_MEMORY,
                        _ => 0,
                    };
                    self.largest = self.largest.max(kept);
                }
            }
            _ => self.bytes += 5,
        }
    }
}

/// Counts the parts of a schema that apply to the same value.
struct Unfold<'s, 'n> {
    root: &'s Value,
    named: &'n HashMap<&'s str, &'s Value>,
    /// The count and depth for each part, keyed by the part's address in memory. `None` while the part is being counted.
    known: HashMap<usize, Option<(u64, usize)>>,
}

impl<'s> Unfold<'s, '_> {
    fn count(
        &mut self,
        part: &'s Map<String, Value>,
        above: usize,
    ) -> Result<(u64, usize), SchemaError> {
        let too_deep = || {
            SchemaError::limit(format!(
                "more than {MAX_DEPTH} nested subschemas or references apply to one value"
            ))
        };
        let address = std::ptr::from_ref(part) as usize;
        let counted = match self.known.get(&address) {
            // When a schema refers to itself, the library does not follow the reference again, so the part counts once.
            Some(None) => return Ok((1, 1)),
            Some(Some(counted)) => *counted,
            None if above > MAX_DEPTH => return Err(too_deep()),
            None => {
                self.known.insert(address, None);
                let mut counted = (1u64, 0usize);
                for inner in self.applied(part) {
                    let (unfolded, depth) = match inner {
                        Value::Object(inner) => self.count(inner, above + 1)?,
                        _ => (1, 1),
                    };
                    counted.0 = counted.0.saturating_add(unfolded);
                    counted.1 = counted.1.max(depth);
                }
                counted.1 += 1;
                self.known.insert(address, Some(counted));
                counted
            }
        };
        if above + counted.1 > MAX_DEPTH {
            return Err(too_deep());
        }
        Ok(counted)
    }

    /// Returns the direct subschemas of `part` that apply to the same value as `part`.
    fn applied(&self, part: &'s Map<String, Value>) -> Vec<&'s Value> {
        let mut applied = Vec::new();
        for (name, value) in part {
            match (name.as_str(), value) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(items)) => applied.extend(items),
                ("not" | "if" | "then" | "else", value) => applied.push(value),
                ("dependentSchemas" | "dependencies", Value::Object(by_name)) => {
                    applied.extend(by_name.values());
                }
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                    applied.extend(self.find(reference));
                }
                _ => {}
            }
        }
        applied
    }

    /// Returns the part to which a reference leads, or `None` if the reference leads outside the schema.
    fn find(&self, reference: &str) -> Option<&'s Value> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let root = match document {
            "" => self.root,
            id => self.by_name(id)?,
        };
        if fragment.is_empty() || fragment.starts_with('/') {
            root.pointer(&unescaped(fragment))
        } else {
            self.by_name(fragment)
        }
    }

    fn by_name(&self, name: &str) -> Option<&'s Value> {
        self.named.get(name).copied().or_else(|| {
            // An `$id` may be absolute, while a reference may consist of only its last part.
            let found = self.named.iter().find(|(id, _)| id.ends_with(name))?;
            Some(*found.1)
        })
    }
}

/// Decodes percent-encoding, which URIs use in JSON pointers.
fn unescaped(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|_| byte == b'%');
        let code = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
