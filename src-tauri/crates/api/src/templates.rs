//! The bundled flows.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use loopwright_engine::KindSet;
use loopwright_model::{Flow, file, graph::Graph, regions::regions};
use loopwright_runs::{ApiError, BUNDLED, Bundled, Code, Env, PROJECT, bundled, write_new};

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

/// Writes a bundled template to `path`, which must not exist. If the template has an example project, it is written to
/// the folder [`PROJECT`] next to the file, and that folder is returned, otherwise `None`.
///
/// # Errors
/// [`Code::InvalidArgument`] if the file or the folder exists; [`Code::Io`] if one of them cannot be written.
pub fn copy_template(id: &str, path: &str) -> Result<Option<PathBuf>, ApiError> {
    let bundled = bundled(id)?;
    if bundled.project.is_empty() {
        write_new(path, bundled.text, "Choose another name.")?;
        return Ok(None);
    }
    let project = Path::new(path).with_file_name(PROJECT);
    if project.symlink_metadata().is_ok() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "The template has an example project, but the folder {} already exists. Copy the template to another folder.",
                project.display()
            ),
        ));
    }
    write_new(path, bundled.text, "Choose another name.")?;
    let failed = |path: &Path, error: &io::Error| {
        ApiError::new(
            Code::Io,
            format!(
                "{} cannot be written: {error}. Copy the template to another folder.",
                path.display()
            ),
        )
    };
    for (name, text) in bundled.project {
        let file = project.join(name);
        let folder = file.parent().unwrap_or(&project);
        fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        fs::write(&file, text).map_err(|error| failed(&file, &error))?;
    }
    Ok(Some(project))
}

/// Copies a bundled template and its example project to a new folder inside `folder`. Returns the path of the flow.
///
/// # Errors
/// [`Code::Io`] if the folder cannot be written.
pub fn copy_template_into(id: &str, folder: &str) -> Result<String, ApiError> {
    /// The maximum number of copies of a template in one folder.
    const MOST: u32 = 1_000;
    let bundled = bundled(id)?;
    for number in 1..=MOST {
        let name = match number {
            1 => bundled.id.to_owned(),
            number => format!("{}-{number}", bundled.id),
        };
        let place = Path::new(folder).join(name);
        match fs::create_dir(&place) {
            Ok(()) => {
                let flow = place.join(format!("{}.flow.json", bundled.id));
                let flow = flow.to_string_lossy().into_owned();
                copy_template(id, &flow)?;
                return Ok(flow);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(ApiError::new(
                    Code::Io,
                    format!(
                        "The folder {} cannot be created: {error}. Choose another folder.",
                        place.display()
                    ),
                ));
            }
        }
    }
    Err(ApiError::new(
        Code::InvalidArgument,
        format!("{folder} already has {MOST} copies of this template. Choose another folder."),
    ))
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
        has_project: !bundled.project.is_empty(),
    })
}

/// Returns a short phrase that says how the first loop of a flow ends, such as `exits on evaluator`.
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
