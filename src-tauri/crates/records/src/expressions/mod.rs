//! Support for editing templates and expressions: the names that a field can use, and the result of evaluating it with the values
//! of a recorded run. Nothing is executed: a template reads recorded values, within its own limits.

pub(crate) mod dto;
pub(crate) mod recorded;

use loopwright_engine::journal::RunFilter;
use loopwright_model::{
    Flow, Span, file,
    kind::{NameSpans, TemplateMode, TemplateSite},
    validate::{Group, Place, ScopeName, at_field},
    value::{preview, to_text},
};
use loopwright_runs::{ApiError, Env};
use loopwright_template::{
    Expression, LANGUAGE, Reference, Scope, Template, TemplateError, lookup,
};
use serde_json::Value;

use self::{
    dto::*,
    recorded::{Recorded, View},
};

/// The maximum number of characters of a value that is shown next to its name.
const SHOWN: usize = 80;
/// The maximum number of characters of a preview.
const PREVIEWED: usize = 4_000;
/// The maximum number of fields of an object that are offered as names.
const MOST_FIELDS: usize = 24;
/// The maximum nesting depth of such fields.
const DEEPEST: usize = 2;
/// The number of recent runs that are searched for the newest run of a flow.
const LOOKED_AT: usize = 50;

/// Returns the keywords, filters and functions of the template language with their documentation, for completion and help.
pub fn template_language() -> &'static [loopwright_template::Word] {
    LANGUAGE
}

/// Returns the names that the template of a field can read, with their values in a recorded run.
///
/// # Errors
/// Returns an error if the document is not a flow, or if the run cannot be read.
pub fn names_in_scope(
    env: &Env,
    document: Value,
    path: Option<&str>,
    at: &FieldPlace,
) -> Result<NamesInScope, ApiError> {
    let flow = file::read_value(document)?;
    let journal = env.journal();
    let run = recorded(&*journal, &flow, path, at)?;
    let found = at_field(
        &flow,
        env.kinds().specs(),
        &at.node,
        &at.field,
        |place, site| {
            let view = run.as_ref().map(|run| View::new(run, place));
            NamesInScope {
                mode: mode(site.mode),
                names: place
                    .names()
                    .into_iter()
                    .map(|name| named(name, view.as_ref()))
                    .collect(),
                from: recorded_at(run.as_ref(), view.as_ref()),
            }
        },
    );
    Ok(found.unwrap_or_default())
}

/// Renders a field's template with the values of a recorded run. Returns `None` if the field has no template or the flow has
/// never run.
///
/// # Errors
/// Returns an error if the document is not a flow, or if the run cannot be read.
pub fn preview_field(
    env: &Env,
    document: Value,
    path: Option<&str>,
    at: &FieldPlace,
) -> Result<Option<FieldPreview>, ApiError> {
    let flow = file::read_value(document)?;
    let journal = env.journal();
    let Some(run) = recorded(&*journal, &flow, path, at)? else {
        return Ok(None);
    };
    let found = at_field(
        &flow,
        env.kinds().specs(),
        &at.node,
        &at.field,
        |place, site| {
            let view = View::new(&run, place);
            let from = recorded_at(Some(&run), Some(&view))?;
            Some(rendered(place, site, &view, from))
        },
    );
    Ok(found.flatten())
}

/// Opens the chosen run or, if none is chosen, the latest run of this flow. Returns `None` if the flow has no run.
fn recorded<'j>(
    journal: &'j dyn loopwright_engine::journal::Journal,
    flow: &Flow,
    path: Option<&str>,
    at: &FieldPlace,
) -> Result<Option<Recorded<'j>>, ApiError> {
    let id = match &at.run_id {
        Some(id) => Some(id.clone()),
        None => newest(journal, flow, path)?,
    };
    id.map(|id| Recorded::new(journal, &id, &at.inside, at.chosen.clone()))
        .transpose()
}

/// Returns the latest run of the flow's file. For a flow that was never saved, returns the latest run of an unsaved flow
/// with the same name. `None` if there is no such run.
fn newest(
    journal: &dyn loopwright_engine::journal::Journal,
    flow: &Flow,
    path: Option<&str>,
) -> Result<Option<String>, ApiError> {
    let filter = RunFilter {
        flow: if path.is_none() {
            flow.name.clone()
        } else {
            None
        },
        ..RunFilter::default()
    };
    let found = journal
        .find(&filter, LOOKED_AT, 0)?
        .into_iter()
        .find(|(header, _)| header.flow_path.as_deref() == path)
        .map(|(header, _)| header.run_id);
    Ok(found)
}

fn mode(mode: TemplateMode) -> SiteMode {
    match mode {
        TemplateMode::Template => SiteMode::Template,
        TemplateMode::Condition => SiteMode::Condition,
        TemplateMode::Expression => SiteMode::Expression,
        TemplateMode::Script => SiteMode::Script,
    }
}

fn recorded_at(run: Option<&Recorded<'_>>, view: Option<&View<'_>>) -> Option<RecordedAt> {
    Some(RecordedAt {
        run_id: run?.run_id.clone(),
        path: view?.path()?,
    })
}

fn named(name: ScopeName, view: Option<&View<'_>>) -> NameInScope {
    let reference = &name.reference;
    let value = view.and_then(|view| {
        let names = view.names(std::slice::from_ref(reference));
        lookup(reference, &names).cloned()
    });
    let mut fields = Vec::new();
    if let Some(value) = &value {
        collect_fields(reference, value, 0, &mut fields);
    }
    NameInScope {
        written: reference.written(),
        group: match name.group {
            Group::Input => NameGroup::Input,
            Group::Variable => NameGroup::Variable,
            Group::Node => NameGroup::Node,
            Group::Previous => NameGroup::Previous,
            Group::Loop => NameGroup::Loop,
            Group::Run => NameGroup::Run,
        },
        value_type: name.value_type,
        description: name.description,
        node: name.node,
        may_be_missing: name.may_be_missing,
        last: value.as_ref().map(shown),
        fields,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        other => preview(other, SHOWN),
    }
}

/// Adds the fields of an object and of the objects in it as separate names.
fn collect_fields(of: &Reference, value: &Value, depth: usize, into: &mut Vec<FieldOfName>) {
    let Value::Object(fields) = value else { return };
    for (name, value) in fields {
        if into.len() >= MOST_FIELDS {
            return;
        }
        let mut reference = of.clone();
        reference.path.push(name.clone());
        into.push(FieldOfName {
            written: reference.written(),
            last: shown(value),
        });
        if depth + 1 < DEEPEST {
            collect_fields(&reference, value, depth + 1, into);
        }
    }
}

/// Renders the source of a template, and lists the names that it reads.
fn rendered(
    place: &Place<'_>,
    site: &TemplateSite,
    view: &View<'_>,
    from: RecordedAt,
) -> FieldPreview {
    let references = site.references().unwrap_or_default();
    let names = view.names(&references);
    let result = match site.mode {
        TemplateMode::Template => {
            Template::parse(&site.source).and_then(|template| template.render(&names))
        }
        TemplateMode::Condition => Expression::parse(&site.source)
            .and_then(|expression| expression.test(&names))
            .map(Value::Bool),
        TemplateMode::Expression => {
            Expression::parse(&site.source).and_then(|expression| expression.evaluate(&names))
        }
        TemplateMode::Script => Ok(Value::Null),
    };
    let spans = site.spans();
    let reads = references
        .iter()
        .map(|reference| read(&spans, reference, &names))
        .collect();
    let (value, error) = match result {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(problem(site, &error))),
    };
    let text = value.as_ref().map(|value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "null".to_owned(),
        Value::Object(_) | Value::Array(_) => format!("{value:#}"),
        other => to_text(other),
    });
    let cut = text
        .as_ref()
        .is_some_and(|text| text.chars().nth(PREVIEWED).is_some());
    FieldPreview {
        mode: mode(place.mode()),
        text: text.map(|text| text.chars().take(PREVIEWED).collect()),
        value_kind: value.as_ref().map(value_kind),
        cut,
        error,
        reads,
        from,
    }
}

fn read(spans: &NameSpans, reference: &Reference, names: &Scope) -> NameRead {
    let value = lookup(reference, names);
    NameRead {
        name: reference.written(),
        value: value.map(shown),
        has_default: reference.has_default,
        span: spans
            .get(&(reference.root.clone(), reference.path.clone()))
            .copied(),
    }
}

fn problem(site: &TemplateSite, error: &TemplateError) -> PreviewError {
    PreviewError {
        code: error.code.to_owned(),
        message: error.message.clone(),
        span: error
            .place(&site.source)
            .map(|at| Span::of(&site.source, &at)),
    }
}

fn value_kind(value: &Value) -> ValueKind {
    match value {
        Value::Null => ValueKind::Null,
        Value::Bool(_) => ValueKind::Boolean,
        Value::Number(_) => ValueKind::Number,
        Value::String(_) => ValueKind::Text,
        Value::Array(_) => ValueKind::List,
        Value::Object(_) => ValueKind::Object,
    }
}
