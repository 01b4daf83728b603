//! The bundled flows.

use loopwright_engine::KindSet;
use loopwright_model::{Flow, file, graph::Graph, regions::regions};
use loopwright_runs::{ApiError, BUNDLED, Bundled, Env, bundled, write_new};

use crate::{analysis::analyze_flow, dto::TemplateInfo};

pub fn templates(env: &Env) -> Result<Vec<TemplateInfo>, ApiError> {
    BUNDLED
        .iter()
        .map(|bundled| info(bundled, env.kinds()))
        .collect()
}

pub fn template(env: &Env, id: &str) -> Result<TemplateInfo, ApiError> {
    info(bundled(id)?, env.kinds())
}

/// Writes a bundled template to `path`, which must not exist.
pub fn copy_template(id: &str, path: &str) -> Result<(), ApiError> {
    write_new(path, bundled(id)?.text, "Choose another name.")
}

fn info(bundled: &Bundled, kinds: &KindSet) -> Result<TemplateInfo, ApiError> {
    let flow = file::read_str(bundled.text)?;
    let analysis = analyze_flow(&flow, None, kinds, |_| Vec::new());
    Ok(TemplateInfo {
        id: bundled.id.to_owned(),
        name: flow.name.clone().unwrap_or_else(|| bundled.id.to_owned()),
        description: flow.description.clone().unwrap_or_default(),
        category: bundled.category.to_owned(),
        document: bundled.document()?,
        exits: exits(&flow, kinds),
        max_calls: analysis.estimate.note,
    })
}

/// Describes in a few words how the first loop of a flow ends, such as `exits on evaluator`.
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
