//! `loopwright templates`: the bundled flows.

use loopwright_api as api;
use loopwright_api::App;
use loopwright_engine::trust::for_shell;
use loopwright_runs::ApiError;

use crate::{
    args::TemplatesCommand,
    out::{self, errln},
    render, status,
};

pub(crate) fn perform(
    app: &App,
    command: Option<&TemplatesCommand>,
    json: bool,
) -> Result<u8, ApiError> {
    match command {
        None => render::templates(&api::templates(app.env())?, json),
        Some(TemplatesCommand::Show { name }) => {
            let template = api::template(app.env(), name)?;
            out::text(&format!("{:#}", template.document));
        }
        Some(TemplatesCommand::Copy { name, to }) => {
            if let Some(project) = api::copy_template(name, to)? {
                errln!("Wrote the example project to {}.", project.display());
            }
            errln!("Wrote {to}. Run it with: loopwright run {}", for_shell(to));
        }
    }
    Ok(status::COMPLETED)
}
