//! Templates that only insert values into text. Most templates are of this kind; they are rendered without Tera.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use serde_json::Value;

use crate::{
    bounds::MAX_OUTPUT,
    convert,
    error::TemplateError,
    lookup::lookup,
    meter,
    names::Scope,
    reference::Reference,
    rewrite::rewriter::MAX_PATH,
    scan::{Kind, Piece, Token, constant},
    value::to_text,
};

/// A template that consists of literal text and names without filters or operators.
#[derive(Debug)]
pub(crate) struct Plain {
    parts: Vec<Part>,
    pub(crate) references: Vec<Reference>,
}

#[derive(Debug)]
enum Part {
    Text(String),
    /// A name, given by its index in `references`.
    Name(usize),
}

impl Plain {
    /// Converts a template to its plain form. Returns `None` if only Tera can render it.
    pub(crate) fn new(pieces: &[Piece<'_>]) -> Option<Self> {
        let mut plain = Self {
            parts: Vec::with_capacity(pieces.len()),
            references: Vec::new(),
        };
        let mut known = HashMap::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => plain.parts.push(Part::Text((*text).to_owned())),
                Piece::Output(block) if !block.trims_before && !block.trims_after => {
                    plain.name(name(&block.tokens)?, &mut known);
                }
                _ => return None,
            }
        }
        Some(plain)
    }

    /// Converts an expression to its plain form. Returns `None` if only Tera can evaluate it.
    pub(crate) fn expression(tokens: &[Token<'_>]) -> Option<Self> {
        let mut plain = Self {
            parts: Vec::new(),
            references: Vec::new(),
        };
        plain.name(name(tokens)?, &mut HashMap::new());
        Some(plain)
    }

    /// Appends a name to the parts. `known` maps each reference to its index in `references`.
    fn name(&mut self, reference: Reference, known: &mut HashMap<Reference, usize>) {
        let index = *known.entry(reference).or_insert_with_key(|reference| {
            self.references.push(reference.clone());
            self.references.len() - 1
        });
        self.parts.push(Part::Name(index));
    }

    /// Returns the value of a template that consists of a single name. The outer `None` means that the template is not a single
    /// name, the inner `None` that the value is missing.
    pub(crate) fn single<'v>(&self, scope: &'v Scope) -> Option<Option<&'v Value>> {
        match self.parts.as_slice() {
            [Part::Name(index)] => Some(lookup(&self.references[*index], scope)),
            _ => None,
        }
    }

    /// Returns the value of a template that consists of a single name, if the template can share the value with the scope.
    /// Otherwise, returns `None`.
    pub(crate) fn shared(&self, scope: &Scope) -> Option<Arc<Value>> {
        let [Part::Name(index)] = self.parts.as_slice() else {
            return None;
        };
        let reference = &self.references[*index];
        if !reference.path.is_empty() {
            return None;
        }
        let value = scope.whole(&reference.root)?;
        convert::is_normal(value).then(|| Arc::clone(value))
    }

    /// Returns an estimate of the length of the rendered text in bytes, assuming that each name's value is a number or a word.
    /// Usually this lets the text be allocated once.
    fn usual_length(&self) -> usize {
        let length = |part: &Part| match part {
            Part::Text(literal) => literal.len(),
            Part::Name(_) => 12,
        };
        self.parts.iter().map(length).sum()
    }

    /// Renders the template. The time is proportional to the values and the text, so only the length of the text is limited.
    pub(crate) fn render(&self, scope: &Scope) -> Result<Value, TemplateError> {
        if let Some(value) = self.single(scope) {
            return match value {
                Some(value) => {
                    meter::charge_value(value).map_err(TemplateError::stopped)?;
                    Ok(convert::normal(value))
                }
                None => Err(TemplateError::undefined(&self.references[0], scope)),
            };
        }
        let mut text = String::with_capacity(self.usual_length());
        // The value of a name that occurs several times is found and converted once.
        let mut known: Vec<Option<(&Value, Cow<'_, str>)>> = vec![None; self.references.len()];
        for part in &self.parts {
            match part {
                Part::Text(literal) => text.push_str(literal),
                Part::Name(index) => {
                    let reference = &self.references[*index];
                    let known = &mut known[*index];
                    let value = match known {
                        Some((value, _)) => Some(*value),
                        None => lookup(reference, scope),
                    };
                    let Some(value) = value else {
                        return Err(TemplateError::undefined(reference, scope));
                    };
                    meter::charge_value(value).map_err(TemplateError::stopped)?;
                    let (_, written) = known.get_or_insert_with(|| (value, written(value)));
                    text.push_str(written);
                }
            }
            if text.len() > MAX_OUTPUT {
                return Err(TemplateError::limit("its output is larger than 8 MB"));
            }
        }
        Ok(Value::String(text))
    }
}

fn written(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        other => to_text(&convert::normal(other)).into(),
    }
}

/// Returns the reference if the tokens are only a name with fields and constant keys. Otherwise, returns `None`.
pub(crate) fn name(tokens: &[Token<'_>]) -> Option<Reference> {
    let (root, mut rest) = tokens.split_first()?;
    let reserved = [
        "true", "True", "false", "False", "none", "None", "null", "not",
    ];
    if root.kind != Kind::Name || reserved.contains(&root.text) || root.text.starts_with("__") {
        return None;
    }
    let mut path = Vec::new();
    while let Some(token) = rest.first() {
        if token.is(".") {
            let field = rest.get(1).filter(|field| field.kind == Kind::Name)?;
            path.push(field.text.to_owned());
            rest = &rest[2..];
        } else if token.is("[") {
            let key = rest.get(1).filter(|key| key.kind == Kind::Quoted)?;
            rest.get(2).filter(|close| close.is("]"))?;
            path.push(constant(key)?);
            rest = &rest[3..];
        } else {
            return None;
        }
    }
    if path.len() > MAX_PATH {
        return None;
    }
    Some(Reference {
        root: root.text.to_owned(),
        path,
        has_default: false,
    })
}
