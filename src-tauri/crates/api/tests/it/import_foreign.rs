//! Files of known products whose workflows cannot be imported. Every function that reads files names the product in its
//! error. Files of supported products are still read.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use loopwright_api as api;
use loopwright_api::{App, ImportOptions};
use loopwright_import::{ImportError, Options, foreign, import};
use loopwright_runs::{Code, read_flow_text};
use serde_json::Value;
use support::case::root;

use crate::support;

const PRODUCTS: &[(&str, &str)] = &[
    (
        "n8n.json",
        "This is an n8n workflow. Loopwright does not read n8n workflows yet; it reads ",
    ),
    (
        "dify.yml",
        "This is a Dify app. Loopwright does not read Dify apps yet; it reads ",
    ),
    (
        "flowise.json",
        "This is a Flowise flow. Loopwright does not read Flowise flows yet; it reads ",
    ),
    (
        "langflow.json",
        "This is a Langflow flow. Loopwright does not read Langflow flows yet; it reads ",
    ),
    (
        "node-red.json",
        "This is a Node-RED flow. Loopwright does not read Node-RED flows yet; it reads ",
    ),
    (
        "comfyui.json",
        "This is a ComfyUI workflow. Loopwright does not read ComfyUI workflows yet; it reads ",
    ),
    (
        "comfyui-api.json",
        "This is a ComfyUI workflow. Loopwright does not read ComfyUI workflows yet; it reads ",
    ),
    (
        "make.json",
        "This is a Make blueprint. Loopwright does not read Make blueprints yet; it reads ",
    ),
    (
        "zapier.json",
        "This is an export of Zapier. Loopwright does not read exports of Zapier yet; it reads ",
    ),
];

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports/foreign");
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn a_workflow_of_another_product_is_named() {
    for (name, says) in PRODUCTS {
        let text = fixture(name);
        let error = import(&text, &Options::default()).unwrap_err();
        assert!(
            matches!(error, ImportError::Foreign { .. }),
            "{name}: {error}"
        );
        let words = error.to_string();
        assert!(words.starts_with(says), "{name}: {words}");
        assert!(
            words.contains("TEA agents") && words.contains("AI Studio flows"),
            "{words}"
        );
        // Opening the file as a flow of this program fails with the same message.
        if *name == "flowise.json" {
            let error = read_flow_text(&text, name).unwrap_err();
            assert!(error.message.contains(says), "{name}: {}", error.message);
        }
    }
}

#[test]
fn ai_studio_s_form_takes_no_file_of_another_product() {
    let options = Options {
        from: Some("aistudio".to_owned()),
        ..Options::default()
    };
    let error = import(&fixture("flowise.json"), &options).unwrap_err();
    assert!(matches!(error, ImportError::Foreign { .. }), "{error}");
}

/// The folders of cases of products that are recognised but cannot be imported.
const FOREIGN: [&str; 3] = ["dify", "flowise", "n8n"];

/// No supported file is mistaken for an unsupported one.
#[test]
fn files_that_are_read_are_no_other_product_s() {
    let mut looked_at = 0;
    let mut folders = vec![
        root().join("templates"),
        root().join("../shared/cases"),
        loopwright_testing::case::cases(),
    ];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                if !FOREIGN.iter().any(|name| path.ends_with(name)) {
                    folders.push(path);
                }
                continue;
            }
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                looked_at += 1;
                let product = foreign(&value).map(|product| product.one);
                assert_eq!(product, None, "{}", path.display());
            }
        }
    }
    assert!(looked_at > 50, "{looked_at}");
}

/// The error code tells the window to ask which format or dialect is meant.
#[tokio::test]
async fn what_is_to_be_asked_about_has_a_code_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(folder.path(), tokio::runtime::Handle::current()).unwrap();
    let both = r#"{ "actions": {
        "u": { "type": "Until", "expression": "@true", "actions": {} },
        "w": { "type": "until", "condition": "true", "actions": {} } } }"#;
    for (text, code) in [
        ("just words", Code::UnknownFormat),
        (both, Code::AmbiguousDialect),
        ("{\"nodes\": [", Code::InvalidFlow),
    ] {
        let error =
            api::import_flow_text(app.env(), text, "x", ImportOptions::default()).unwrap_err();
        assert_eq!(error.code, code, "{}", error.message);
    }
}
