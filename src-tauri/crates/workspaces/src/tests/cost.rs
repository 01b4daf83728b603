//! What a workspace of 50,000 files costs, compared with the bare commands of git in the same run. With a load on the machine
//! the ratio varies, so it is checked with `LOOPWRIGHT_TORTURE=all` only; a smaller one always runs, for what it does.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use crate::{Base, Workspace};

use super::support::{Place, is_torture, write};

const ROUNDS: usize = 3;

#[test]
fn making_and_recording_cost_little_more_than_git() {
    let count = if is_torture() { 50_000 } else { 1_000 };
    let place = Place::new();
    let source = place.repository();
    for at in 0..count {
        write(
            &source.join(format!("d{}/e{}/f{at}.txt", at % 250, at % 7)),
            format!("file {at}\n"),
        );
    }
    place.git(&source, &["add", "-A"]);
    place.git(&source, &["commit", "-qm", "many"]);
    place.git(&source, &["repack", "-adq"]);
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    let (mut bare_record, mut ours_record) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let clone = place.root.join("clone");
        let (from, to) = (source.to_str().unwrap(), clone.to_str().unwrap());
        let making = timed(|| {
            place.git(&place.root, &["clone", "-q", "--shared", from, to]);
        });
        let recording = best(|at| {
            change(&clone, at);
            timed(|| bare_recording(&place, &clone))
        });
        let mut made = None;
        let our_making = timed(|| made = Some(place.make(Base::Head).0));
        let workspace = made.unwrap();
        workspace.record().unwrap();
        let our_recording = best(|at| {
            change(&workspace.path(), at);
            timed(|| {
                workspace.record().unwrap();
            })
        });
        // The first round warms the caches.
        if round > 0 {
            bare.push(making);
            ours.push(our_making);
            bare_record.push(recording);
            ours_record.push(our_recording);
        }
        drop(workspace);
        Workspace::remove(&place.workspace_place(), &place.person).unwrap();
        fs::remove_dir_all(clone).unwrap();
    }
    let ratio = |ours: &[Duration], bare: &[Duration]| {
        let least = |of: &[Duration]| of.iter().min().unwrap().as_secs_f64();
        eprintln!(
            "{count} files: {:.3} s, git alone {:.3} s",
            least(ours),
            least(bare)
        );
        least(ours) / least(bare)
    };
    let (make, record) = (ratio(&ours, &bare), ratio(&ours_record, &bare_record));
    eprintln!("make {make:.2}, record {record:.2}");
    if is_torture() {
        assert!(make <= 1.3, "making costs {make:.2} times git");
        assert!(record <= 1.3, "recording costs {record:.2} times git");
    }
}

/// The commands that write the state of the files as a tree.
fn bare_recording(place: &Place, clone: &Path) {
    let script = "git ls-files -z -m -d -o --exclude-standard > ../list && \
        git update-index -z --add --remove --stdin < ../list && git write-tree";
    let output = place
        .program("sh", clone)
        .args(["-c", script])
        .output()
        .unwrap();
    assert!(output.status.success());
}

fn change(files: &Path, round: usize) {
    for at in 0..3 {
        let at = at * 100 + round;
        write(
            &files.join(format!("d{}/e{}/f{at}.txt", at % 250, at % 7)),
            format!("changed {round}\n"),
        );
    }
}

fn best(mut run: impl FnMut(usize) -> Duration) -> Duration {
    (1..=5).map(&mut run).min().unwrap()
}

fn timed(run: impl FnOnce()) -> Duration {
    let began = Instant::now();
    run();
    began.elapsed()
}
