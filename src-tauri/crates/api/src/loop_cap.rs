//! Sets the cap of a loop to the value that an evaluation recommends.

use loopwright_runs::{ApiError, Env, FieldEdit, apply_edit, files};
use serde_json::Value;

use crate::recent_files::save_flow;

/// Sets the cap of a loop in a flow's file: the maximum number of iterations.
///
/// # Errors
/// [`Code::NotFound`] if the file or the node does not exist; [`Code::ChangedOnDisk`] if another program changes the file in
/// the meantime.
pub fn set_cap(env: &Env, flow_path: &str, node: &str, cap: u32) -> Result<(), ApiError> {
    let opened = files::read_flow(flow_path)?;
    let mut document = opened.document;
    let edit = FieldEdit {
        node: node.to_owned(),
        field: "maxIterations".to_owned(),
        value: Value::from(cap),
    };
    apply_edit(&mut document, &edit)?;
    save_flow(env, &opened.path, &document, Some(&opened.version))?;
    Ok(())
}
