//! Files to which an imported file refers. They are read only in the folder of the imported file and in its subfolders.

use std::{fs, path::Path};

use loopwright_api as api;
use loopwright_api::{App, ImportOptions};
use serde_json::json;

/// Imports a workflow in `folder` whose component refers to the file `named`. Returns the kind of the node, the message in the
/// report, and the whole flow.
fn component(app: &App, folder: &Path, named: &str) -> (String, String, String) {
    let workflow = json!({ "version": 2, "metadata": { "name": "t" }, "edges": [], "nodes": [
        { "id": "c", "type": "component", "data": { "nodeType": "component", "workflowPath": named } }] });
    let file = folder.join("main.yaml");
    fs::write(&file, workflow.to_string()).unwrap();
    let imported =
        api::import_flow(app.env(), file.to_str().unwrap(), ImportOptions::default()).unwrap();
    let kind = imported.document["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|node| node["id"] == "c")
        .unwrap()["type"]
        .as_str()
        .unwrap()
        .to_owned();
    let said: Vec<String> = imported
        .report
        .entries
        .iter()
        .map(|entry| format!("{}: {}", entry.place, entry.message))
        .collect();
    (kind, said.join("\n"), imported.document.to_string())
}

#[tokio::test]
async fn a_path_that_leaves_the_files_folder_is_not_read() {
    let whole = tempfile::tempdir().unwrap();
    let app = App::open(
        &whole.path().join("data"),
        tokio::runtime::Handle::current(),
    )
    .unwrap();
    let folder = whole.path().join("flows");
    fs::create_dir_all(folder.join("parts")).unwrap();
    let inner = |words: &str| {
        json!({ "version": 2, "metadata": { "name": "inner" }, "edges": [], "nodes": [
            { "id": "s", "type": "shell", "data": { "nodeType": "shell", "script": format!("echo {words}") } }] })
        .to_string()
    };
    let outside = whole.path().join("outside.yaml");
    fs::write(&outside, inner("SECRET")).unwrap();
    fs::write(folder.join("parts/near.yaml"), inner("NEAR")).unwrap();
    let (kind, said, document) = component(&app, &folder, "parts/near.yaml");
    assert!(kind == "subflow" && document.contains("NEAR"), "{said}");
    let mut leaving = vec![
        "../outside.yaml".to_owned(),
        "parts/../../outside.yaml".to_owned(),
        outside.to_str().unwrap().to_owned(),
        "parts".to_owned(),
        "../../../../etc/hostname".to_owned(),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, folder.join("link.yaml")).unwrap();
        leaving.push("link.yaml".to_owned());
    }
    for named in leaving {
        let (kind, said, document) = component(&app, &folder, &named);
        assert_eq!(kind, "placeholder", "{named}: {said}");
        assert!(!document.contains("SECRET"), "{named}");
        let clear = said.contains(&named) && said.contains("not in this file's folder");
        assert!(clear, "{named}: {said}");
    }
}
