//! The bundled flows.

use loopwright_engine::KindSet;
use loopwright_model::{Flow, file, graph::Graph, regions::regions};
use serde_json::Value;

use crate::{
    analysis,
    app::App,
    dto::TemplateInfo,
    error::{ApiError, Code},
    files::write_new,
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

impl App {
    pub fn templates(&self) -> Result<Vec<TemplateInfo>, ApiError> {
        BUNDLED
            .iter()
            .map(|bundled| info(bundled, self.kinds()))
            .collect()
    }

    pub fn template(&self, id: &str) -> Result<TemplateInfo, ApiError> {
        info(bundled(id)?, self.kinds())
    }

    /// Writes a bundled template to `path`, which must not exist.
    pub fn copy_template(&self, id: &str, path: &str) -> Result<(), ApiError> {
        write_new(path, bundled(id)?.text, "Choose a name that is free.")
    }
}

fn bundled(id: &str) -> Result<&'static Bundled, ApiError> {
    BUNDLED
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
        })
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
