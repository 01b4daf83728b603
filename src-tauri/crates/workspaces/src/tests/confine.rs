//! Tests that confined programs can write only in the workspace. If the kernel cannot confine programs, the tests report
//! this and end.

use std::{
    fs,
    process::{Command, Stdio},
};

use crate::{Base, Confinement, SpawnWithin as _, Workspace, Writable, environment};

use super::support::{Place, assert_unchanged, state, write};

/// Creates a workspace and its confinement. Returns `None` if the kernel cannot confine programs.
pub(crate) fn confined(place: &Place, also: &[Writable]) -> Option<(Workspace, Confinement)> {
    let (workspace, _) = place.make(Base::Head);
    let confinement = workspace.confine(&place.data(), also).unwrap();
    if let Confinement::NotConfined(why) = &confinement {
        eprintln!("not confined on this computer: {why}");
        return None;
    }
    Some((workspace, confinement))
}

/// Runs a script in a confinement, and returns its output.
pub(crate) fn run(
    place: &Place,
    workspace: &Workspace,
    confinement: &Confinement,
    script: &str,
) -> String {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", script])
        .current_dir(workspace.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", place.root.join("home"))
        .env("SOURCE", place.source())
        .env("PLACE", workspace.place())
        .env("DATA", place.data())
        .envs(environment(&workspace.temporary()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let output = command
        .spawn_within(confinement)
        .unwrap()
        .wait_with_output()
        .unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn a_program_writes_in_its_workspace_and_nowhere_else() {
    let place = Place::new();
    let source = place.repository();
    write(&place.data().join("other/secret"), "secret");
    let also = place.root.join("home/.agent/state");
    let Some((workspace, confinement)) = confined(&place, &[Writable::Folder(also.clone())]) else {
        return;
    };
    let (before, mut home) = (state(&source), state(&place.root.join("home")));
    let record = state(&workspace.place().join("record.git"));
    let said = run(
        &place,
        &workspace,
        &confinement,
        "echo in > in.txt && mkdir d && mv in.txt d/ && ln d/in.txt hard && echo t > \"$TMPDIR/t\" && echo n > /dev/null && echo state > ~/.agent/state/s && echo all-well
         git stash list && git commit -q --allow-empty -m inside && echo committed
         echo x > \"$SOURCE/evil\"; rm -f \"$SOURCE/a.txt\"; true > \"$SOURCE/a.txt\"; truncate -s 0 \"$SOURCE/a.txt\"
         mv d/in.txt \"$SOURCE/moved\"; ln \"$SOURCE/a.txt\" stolen-link; mkdir \"$SOURCE/dir\"; ln -s x \"$SOURCE/l\"
         git -C \"$SOURCE\" branch evil; git -C \"$SOURCE\" config evil.x y; echo h > \"$SOURCE/.git/hooks/pre-commit\"
         echo x > ~/evil; rm -rf ..; rm -rf \"$PLACE/record.git\"; echo x > \"$PLACE/workspace.json\"
         cat \"$DATA/other/secret\" && echo was-read; ls \"$DATA\" && echo was-listed
         cat \"$PLACE/record.git/config\" && echo record-was-read
         cat \"$SOURCE/a.txt\" > /dev/null && echo source-may-be-read",
    );
    assert!(
        said.contains("all-well") && said.contains("committed"),
        "{said}"
    );
    assert!(said.contains("source-may-be-read"), "{said}");
    for leak in ["was-read\n", "was-listed", "record-was-read"] {
        assert!(!said.lines().any(|line| line == leak.trim()), "{said}");
    }
    assert!(said.contains("Permission denied"), "{said}");
    assert_unchanged(&before, &state(&source), "source");
    let mut now = state(&place.root.join("home"));
    now.retain(|path, _| !path.starts_with(".agent"));
    home.retain(|path, _| !path.starts_with(".agent"));
    assert_unchanged(&home, &now, "home");
    assert!(also.join("s").is_file());
    assert_unchanged(
        &record,
        &state(&workspace.place().join("record.git")),
        "record",
    );
    // The thread of the test is not confined.
    fs::write(place.root.join("free"), "free").unwrap();
    // `rm -rf ..` has emptied the workspace. The record restores it.
    workspace.restore(workspace.base_tree()).unwrap();
    assert!(workspace.path().join("a.txt").is_file());
}
