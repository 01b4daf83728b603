//! Tests of `files.edit` in real folders: what it changes, that it makes all edits or none, and which files it cannot
//! change.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use loopwright_engine::{
    host::{ToolContext, Tools as _},
    trust::{Consent, Grants},
};
use serde_json::{Value, json};

use crate::{ToolSet, ToolSettings};

/// A folder to which the flow may write, and next to it a file that the flow may not write.
struct World {
    root: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            root: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(world.path("flow/src")).unwrap();
        fs::create_dir_all(world.path("flow/.git/hooks")).unwrap();
        fs::write(world.path("outside.txt"), "outside").unwrap();
        fs::write(world.path("flow/.git/config"), "[core]\n").unwrap();
        world.write("src/a.py", "one = 1\ntwo = 3\n");
        world.write("src/b.py", "b = 1\r\nc = 2\r\n");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.root.path()).unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path("flow").join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path("flow").join(name)).unwrap()
    }

    async fn call(&self, input: Option<Value>, args: Value) -> Result<Value, String> {
        self.call_with(
            Grants::from_iter([format!("write:{}", self.path("flow").display())]),
            input,
            args,
        )
        .await
    }

    async fn call_with(
        &self,
        grants: Grants,
        input: Option<Value>,
        args: Value,
    ) -> Result<Value, String> {
        let settings = ToolSettings {
            flow_folder: Some(self.path("flow")),
            grants,
            ..ToolSettings::default()
        };
        let tool = ToolSet::new(&settings).find("files.edit").unwrap();
        let cx = ToolContext {
            consent: Consent::None,
            ..ToolContext::default()
        };
        tool.call(input, args.as_object().unwrap().clone(), cx)
            .await
            .map_err(|error| format!("{}: {}", error.code, error.message))
    }

    async fn edit(&self, args: Value) -> Result<Value, String> {
        self.call(None, args).await
    }

    /// Returns the names in a folder, so that a test can check that no temporary file is left.
    fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path("flow").join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[tokio::test]
async fn texts_are_replaced_in_several_files_at_once() {
    let world = World::new();
    fs::set_permissions(
        world.path("flow/src/a.py"),
        fs::Permissions::from_mode(0o750),
    )
    .unwrap();
    let done = world
        .edit(json!({ "edits": [
            { "path": "src/a.py", "old": "two = 3", "new": "two = 2" },
            { "path": "src/b.py", "old": "b = 1\nc = 2", "new": "b = 1\nx = 0\nc = 2" },
            { "path": "./src/a.py", "old": "one = 1\n", "new": "" },
            { "path": "new/deep/c.py", "new": "c\n" },
        ] }))
        .await
        .unwrap();
    assert_eq!(world.read("src/a.py"), "two = 2\n");
    assert_eq!(world.read("src/b.py"), "b = 1\r\nx = 0\r\nc = 2\r\n");
    assert_eq!(world.read("new/deep/c.py"), "c\n");
    let mode = fs::metadata(world.path("flow/src/a.py")).unwrap().mode();
    assert_eq!(mode & 0o777, 0o750);
    assert_eq!(
        done["files"][0],
        json!({ "path": "src/a.py", "created": false, "replaced": 2, "line": 1, "size": 8 })
    );
    assert_eq!(done["files"][2]["created"], true);
    assert_eq!(world.names("src"), ["a.py", "b.py"]);
}

#[tokio::test]
async fn edits_may_be_the_input_or_json_in_a_text() {
    let world = World::new();
    let edit = |old: &str, new: &str| json!({ "path": "src/a.py", "old": old, "new": new });
    let inputs = [
        edit("two = 3", "two = 4"),
        json!([edit("two = 4", "two = 5")]),
        json!({ "edits": [edit("two = 5", "two = 6")] }),
        json!(json!([edit("two = 6", "two = 7")]).to_string()),
        json!({ "path": "src/a.py", "edits": [{ "old": "two = 7", "new": "two = 8" }] }),
    ];
    for input in inputs {
        world.call(Some(input), json!({})).await.unwrap();
    }
    assert_eq!(world.read("src/a.py"), "one = 1\ntwo = 8\n");
    // Without edits, nothing changes.
    let none = world.call(Some(json!([])), json!({})).await.unwrap();
    assert_eq!(none, json!({ "files": [] }));
}

#[tokio::test]
async fn all_edits_are_made_or_none() {
    let world = World::new();
    let good = json!({ "path": "src/a.py", "old": "two = 3", "new": "two = 2" });
    for (bad, code) in [
        (
            json!({ "path": "src/b.py", "old": "zzz", "new": "y" }),
            "text_not_found",
        ),
        (
            json!({ "path": "src/b.py", "old": "=", "new": "y" }),
            "text_not_unique",
        ),
        (
            json!({ "path": "src/c.py", "old": "x", "new": "y" }),
            "not_found",
        ),
        (
            json!({ "path": "src/b.py", "old": "", "new": "y" }),
            "exists",
        ),
        (
            json!({ "path": "src", "old": "x", "new": "y" }),
            "file_failed",
        ),
        // The first edit removes this text.
        (
            json!({ "path": "src/a.py", "old": "two = 3", "new": "y" }),
            "text_not_found",
        ),
        (
            json!({ "path": "src/a.py", "old": "one", "new": "x".repeat(8 << 20) }),
            "file_too_large",
        ),
    ] {
        let error = world
            .edit(json!({ "edits": [good, bad] }))
            .await
            .unwrap_err();
        assert!(
            error.starts_with(&format!("{code}: Edit 2 of 2: ")),
            "{bad}: {error}"
        );
        assert!(error.ends_with("No file was changed."), "{error}");
        assert_eq!(world.read("src/a.py"), "one = 1\ntwo = 3\n", "{bad}");
    }
    assert_eq!(world.names("src"), ["a.py", "b.py"]);
    // A new file cannot have the name of a folder that the same call needs.
    let error = world
        .edit(
            json!({ "edits": [good, { "path": "x/y", "new": "1" }, { "path": "x", "new": "2" }] }),
        )
        .await
        .unwrap_err();
    assert!(error.starts_with("exists: "), "{error}");
    assert_eq!(world.read("src/a.py"), "one = 1\ntwo = 3\n");
    assert!(world.names("x").is_empty());
}

#[tokio::test]
async fn no_edit_leaves_its_folder() {
    let world = World::new();
    symlink(world.path("outside.txt"), world.path("flow/link.txt")).unwrap();
    symlink(world.root.path(), world.path("flow/up")).unwrap();
    symlink("nowhere", world.path("flow/dangling")).unwrap();
    symlink(world.path("new.txt"), world.path("flow/dangling-outside")).unwrap();
    symlink(".git", world.path("flow/repo")).unwrap();
    fs::hard_link(world.path("outside.txt"), world.path("flow/hard.txt")).unwrap();
    fs::write(world.path("flow/data.bin"), [0xff, 0xfe]).unwrap();
    let absolute = world.path("outside.txt");
    for (path, code) in [
        ("../outside.txt", "outside_folder"),
        ("src/../../outside.txt", "outside_folder"),
        ("src/../src/a.py", "tool_bad_arguments"),
        (absolute.to_str().unwrap(), "outside_folder"),
        ("link.txt", "outside_folder"),
        ("up/outside.txt", "outside_folder"),
        ("up/new.txt", "outside_folder"),
        ("dangling", "not_found"),
        ("dangling-outside", "outside_folder"),
        (".git/config", "protected_file"),
        (".GIT/hooks/pre-commit", "protected_file"),
        ("repo/config", "protected_file"),
        ("repo/hooks/pre-commit", "protected_file"),
        ("src/.git/config", "protected_file"),
        ("data.bin", "not_text"),
        ("/proc/self/environ", "outside_folder"),
        ("a\0b", "file_failed"),
        ("", "tool_bad_arguments"),
    ] {
        for old in ["outside", ""] {
            let error = world
                .edit(json!({ "path": path, "old": old, "new": "evil" }))
                .await
                .unwrap_err();
            assert!(
                error.starts_with(&format!("{code}: ")),
                "{path:?} {old:?}: {error}"
            );
        }
    }
    assert_eq!(fs::read_to_string(&absolute).unwrap(), "outside");
    assert!(!world.path("new.txt").exists());
    assert_eq!(world.read(".git/config"), "[core]\n");
    // A hard link is replaced by a separate file.
    world
        .edit(json!({ "path": "hard.txt", "old": "outside", "new": "mine" }))
        .await
        .unwrap();
    assert_eq!(world.read("hard.txt"), "mine");
    assert_eq!(fs::read_to_string(&absolute).unwrap(), "outside");
}

#[tokio::test]
async fn a_link_inside_the_folder_stays_a_link() {
    let world = World::new();
    symlink("src/a.py", world.path("flow/current.py")).unwrap();
    world
        .edit(json!({ "edits": [
            { "path": "current.py", "old": "two = 3", "new": "two = 4" },
            { "path": "src/a.py", "old": "two = 4", "new": "two = 2" },
        ] }))
        .await
        .unwrap();
    assert_eq!(world.read("src/a.py"), "one = 1\ntwo = 2\n");
    let link = world.path("flow/current.py");
    assert_eq!(fs::read_link(link).unwrap(), Path::new("src/a.py"));
}

#[tokio::test]
async fn an_edit_needs_the_approval_to_write() {
    let world = World::new();
    let args = json!({ "path": "src/a.py", "old": "two = 3", "new": "two = 2" });
    let read = Grants::from_iter([format!("read:{}", world.path("flow").display())]);
    for grants in [Grants::default(), read] {
        let error = world.call_with(grants, None, args.clone()).await;
        let error = error.unwrap_err();
        assert!(error.starts_with("not_approved: "), "{error}");
        assert!(error.contains("write:"), "{error}");
    }
    assert_eq!(world.read("src/a.py"), "one = 1\ntwo = 3\n");
}

#[tokio::test]
async fn wrong_arguments_are_named() {
    let world = World::new();
    for (args, says) in [
        (json!({}), "There is no edit"),
        (json!({ "path": "a" }), "There is no edit"),
        (json!({ "old": "a", "new": "b" }), "`path` is missing"),
        (json!({ "path": "a", "old": "b" }), "`new` is missing"),
        (
            json!({ "path": "a", "old": 1, "new": "b" }),
            "`old` must be text",
        ),
        (
            json!({ "path": "a", "old": "x", "new": "b", "all": "yes" }),
            "`all` must be",
        ),
        (
            json!({ "edits": vec![json!({ "path": "a", "new": "b" }); 1001] }),
            "Write at most 1000",
        ),
        (json!({ "edits": "[" }), "must be a list of edits"),
        (json!({ "edits": [1] }), "must be a list of edits"),
        (
            json!({ "edits": [{ "path": "a", "new": "b" }, { "old": "x", "new": "y" }] }),
            "Edit 2: `path` is missing",
        ),
        (
            json!({ "edits": [{ "path": "a", "new": "b" }], "old": "x" }),
            "Write either",
        ),
    ] {
        let error = world.edit(args.clone()).await.unwrap_err();
        assert!(
            error.starts_with("tool_bad_arguments: ") && error.contains(says),
            "{args}: {error}"
        );
    }
}
