//! Writes the generated files, or checks that they are what would be written.

use std::{fs, path::Path};

use crate::{
    reference,
    report::{Complaints, Trouble, at},
};

/// # Errors
/// When a file's text cannot be made, or a file not be written.
pub(crate) fn codegen(root: &Path, check: bool) -> Result<Complaints, Trouble> {
    let bindings =
        loopwright_desktop::typescript().map_err(|error| Trouble(format!("bindings: {error}")))?;
    let files = [
        ("ui/src/ipc/generated/bindings.ts", bindings),
        ("docs/reference/kinds.md", reference::kinds()),
        ("docs/reference/tools.md", reference::tools()),
        (
            "docs/reference/evaluation.schema.json",
            reference::evaluation_schema(),
        ),
    ];

    let mut complaints = Complaints::default();
    for (name, text) in files {
        let path = root.join(name);
        if fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        if check {
            complaints.add(name, "is not what the sources give; run `npm run codegen`");
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
        }
        fs::write(&path, text).map_err(|error| at(&path, &error))?;
        println!("wrote {name}");
    }
    Ok(complaints)
}
