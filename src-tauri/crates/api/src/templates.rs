//! The bundled flows.

use loopwright_engine::KindSet;
use loopwright_model::{Flow, file, graph::Graph, regions::regions};
use serde_json::Value;

use crate::{
    analysis,
    dto::TemplateInfo,
    error::{ApiError, Code},
};

struct Bundled {
    id: &'static str,
    category: &'static str,
    text: &'static str,
}

const BUNDLED: &[Bundled] = &[
    Bundled {
        id: "self-refine",
        category: "write",
        text: include_str!("../../../../templates/self-refine.json"),
    },
    Bundled {
        id: "agentic-search",
        category: "research",
        text: include_str!("../../../../templates/agentic-search.json"),
    },
    Bundled {
        id: "code-review-loop",
        category: "code",
        text: include_str!("../../../../templates/code-review-loop.json"),
    },
    Bundled {
        id: "test-and-fix",
        category: "code",
        text: include_str!("../../../../templates/test-and-fix.json"),
    },
    Bundled {
        id: "retry-with-correction",
        category: "data",
        text: include_str!("../../../../templates/retry-with-correction.json"),
    },
    Bundled {
        id: "poll-until-done",
        category: "data",
        text: include_str!("../../../../templates/poll-until-done.json"),
    },
    Bundled {
        id: "summarise-until-stable",
        category: "write",
        text: include_str!("../../../../templates/summarise-until-stable.json"),
    },
    Bundled {
        id: "map-over-a-list",
        category: "data",
        text: include_str!("../../../../templates/map-over-a-list.json"),
    },
];

pub(crate) fn all(kinds: &KindSet) -> Result<Vec<TemplateInfo>, ApiError> {
    BUNDLED.iter().map(|bundled| info(bundled, kinds)).collect()
}

pub(crate) fn one(id: &str, kinds: &KindSet) -> Result<TemplateInfo, ApiError> {
    let bundled = BUNDLED
        .iter()
        .find(|bundled| bundled.id == id)
        .ok_or_else(|| {
            let names: Vec<_> = BUNDLED.iter().map(|bundled| bundled.id).collect();
            ApiError::new(
                Code::NotFound,
                format!(
                    "There is no template `{id}`. There are: {}.",
                    names.join(", ")
                ),
            )
        })?;
    info(bundled, kinds)
}

/// The template's file as it is.
pub(crate) fn text(id: &str) -> Option<&'static str> {
    BUNDLED
        .iter()
        .find(|bundled| bundled.id == id)
        .map(|bundled| bundled.text)
}

fn info(bundled: &Bundled, kinds: &KindSet) -> Result<TemplateInfo, ApiError> {
    let flow = file::read_str(bundled.text)?;
    let document: Value = serde_json::from_str(bundled.text)
        .map_err(|error| ApiError::new(Code::Internal, error.to_string()))?;
    let analysis = analysis::analyze(&flow, None, kinds, |_| Vec::new());
    Ok(TemplateInfo {
        id: bundled.id.to_owned(),
        name: flow.name.clone().unwrap_or_else(|| bundled.id.to_owned()),
        description: flow.description.clone().unwrap_or_default(),
        category: bundled.category.to_owned(),
        document,
        exits: exits(&flow, kinds),
        max_calls: analysis.estimate.note,
    })
}

/// How the first loop of a flow ends, in a few words.
fn exits(flow: &Flow, kinds: &KindSet) -> String {
    let graph = Graph::new(flow, kinds.specs());
    let regions = regions(flow, kinds.specs(), &graph);
    let first = regions.regions.iter().find(|region| region.depth == 0);
    first
        .and_then(|region| {
            let node = &flow.nodes[region.start];
            kinds.specs().of(node)?.ending(&node.data)
        })
        .unwrap_or_else(|| "runs once".to_owned())
}
