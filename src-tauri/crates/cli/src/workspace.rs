//! `loopwright workspace`: lists, compares, applies and removes the private copies in which runs worked.

use loopwright_api::App;
use loopwright_records as records;
use loopwright_records::{
    ApplyAs, FileChange, FileChanges, GivenBack, TestChanges, WorkspaceState, WorkspaceStates,
};
use loopwright_runs::{ApiError, Code, now};
use loopwright_workspaces::{Change, FileMode};
use serde_json::json;

use crate::{
    named::find_run,
    out::{errln, outln, text},
    render::{counted, print_json},
    status,
    test_words::test_words,
};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum WorkspaceCommand {
    /// List the workspaces of all runs, the oldest first
    List,
    /// Print what changed in the workspace of a run as a unified diff
    Diff {
        /// A run, or a prefix of its id
        run: String,
        /// The path of the loop, if the run has several workspaces
        #[arg(long = "loop", value_name = "PATH")]
        path: Option<String>,
        /// The iteration to compare from; 0 is the start
        #[arg(long, value_name = "K", default_value_t = 0)]
        from: u32,
        /// The iteration to compare with [default: the result]
        #[arg(long, value_name = "L")]
        to: Option<u32>,
        /// Print the changed files with their line counts instead
        #[arg(long)]
        stat: bool,
    },
    /// Print the folder of a run's workspace
    Open {
        /// A run, or a prefix of its id
        run: String,
        /// The path of the loop, if the run has several workspaces
        #[arg(long = "loop", value_name = "PATH")]
        path: Option<String>,
    },
    /// Apply the result of a run to the project, as a branch or to its files
    Apply {
        /// A run, or a prefix of its id
        run: String,
        /// The path of the loop, if the run has several workspaces
        #[arg(long = "loop", value_name = "PATH")]
        path: Option<String>,
        /// The iteration to apply [default: the result]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        iteration: Option<u32>,
        /// `branch NAME` creates a branch with a commit for each iteration; `working` merges into the files
        #[arg(long = "as", num_args = 1..=2, value_names = ["branch|working", "NAME"])]
        way: Vec<String>,
        /// Create one commit instead of one for each iteration
        #[arg(long)]
        squash: bool,
        /// With `working`: only print what would change
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove workspaces whose result was applied or that changed nothing
    Clean {
        /// Only workspaces that are older than this, such as 7d or 12h
        #[arg(long, value_name = "AGE")]
        older: Option<String>,
        /// Also workspaces whose changes were not applied. These changes are lost
        #[arg(long)]
        unapplied: bool,
    },
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::InvalidArgument, message)
}

pub(crate) fn perform(app: &App, command: &WorkspaceCommand, json: bool) -> Result<u8, ApiError> {
    match command {
        WorkspaceCommand::List => list(app, json),
        WorkspaceCommand::Diff {
            run,
            path,
            from,
            to,
            stat,
        } => {
            let run = find_run(app, run)?;
            let states = WorkspaceStates::find(app.env(), &run, path.as_deref())?;
            if *stat || json {
                let changes = states.changes(*from, *to)?;
                if !json {
                    say_tests(changes.tests.as_ref());
                }
                print_changes(&changes, json);
                return Ok(status::COMPLETED);
            }
            say_tests(states.test_changes(*from, *to)?.as_ref());
            let diff = states.diff(*from, *to)?;
            text(&diff.text);
            if diff.is_cut {
                errln!(
                    "The diff was truncated, because it is larger than 16 MB. `--stat` lists all files."
                );
            }
            Ok(status::COMPLETED)
        }
        WorkspaceCommand::Open { run, path } => {
            let run = find_run(app, run)?;
            let listed = records::find_workspace(app.env(), &run, path.as_deref())?;
            let folder = &listed.path;
            match json {
                true => print_json(&json!({ "path": folder })),
                false => outln!("{}", folder.display()),
            }
            Ok(status::COMPLETED)
        }
        WorkspaceCommand::Apply {
            run,
            path,
            iteration,
            way,
            squash,
            dry_run,
        } => {
            let run = find_run(app, run)?;
            let way = read_way(way, &run, *squash)?;
            let open = records::open_workspace(app.env(), &run, path.as_deref())?;
            if *dry_run {
                if way != ApplyAs::Working {
                    return Err(invalid(
                        "--dry-run needs --as working, because a branch changes no files.",
                    ));
                }
                print_changes(&FileChanges::from(&open.plan(*iteration)?.changes), json);
                return Ok(status::COMPLETED);
            }
            let given = open.apply(*iteration, &way)?;
            match &given {
                GivenBack::Branch(branch) if json => print_json(&json!({
                    "branch": branch.name, "commit": branch.commit, "commits": branch.commits,
                })),
                GivenBack::Branch(branch) => {
                    let commits = if branch.commits == 1 {
                        "commit"
                    } else {
                        "commits"
                    };
                    outln!(
                        "Created the branch {} with {} {commits}.",
                        branch.name,
                        branch.commits
                    );
                }
                GivenBack::Working(plan) => {
                    print_changes(&FileChanges::from(&plan.changes), json);
                    let is_file = |change: &Change| {
                        let version = change.after.as_ref().or(change.before.as_ref());
                        version.is_none_or(|version| version.mode != FileMode::Repository)
                    };
                    if !json && plan.changes.files.iter().any(is_file) {
                        outln!("The files were changed. Nothing is staged.");
                    }
                }
            }
            let submodules = open.changed_submodules(*iteration)?;
            for submodule in &submodules {
                errln!(
                    "The submodule {} was not changed: its new commit exists only in the private copy. Until you have taken the commit over, \
                     keep the workspace.",
                    submodule.path.display()
                );
            }
            if !json {
                for (title, command) in open.next_commands(&given, &submodules) {
                    outln!("  {:13} {command}", format!("{title}:"));
                }
            }
            Ok(status::COMPLETED)
        }
        WorkspaceCommand::Clean { older, unapplied } => {
            clean(app, older.as_deref(), *unapplied, json)
        }
    }
}

/// Parses `--as`. By default, the result becomes a branch that is named after the run.
fn read_way(way: &[String], run: &str, squash: bool) -> Result<ApplyAs, ApiError> {
    let branch = |name: String| ApplyAs::Branch { name, squash };
    match way {
        [] => Ok(branch(records::branch_name(run))),
        [kind] if kind == "branch" => Ok(branch(records::branch_name(run))),
        [kind, name] if kind == "branch" => Ok(branch(name.clone())),
        [kind] if kind == "working" && !squash => Ok(ApplyAs::Working),
        [kind] if kind == "working" => Err(invalid("--squash needs --as branch.")),
        _ => Err(invalid(
            "--as has an invalid value. Write `--as branch NAME` or `--as working`.",
        )),
    }
}

/// Reports changes to tests on standard error, so that a diff on standard output can still be piped.
fn say_tests(tests: Option<&TestChanges>) {
    if let Some(tests) = tests {
        errln!("Tests: {}.", test_words(tests));
    }
}

fn print_changes(changes: &FileChanges, json: bool) {
    if json {
        let files: Vec<_> = changes
            .files
            .iter()
            .map(|file| {
                json!({
                    "path": file.name, "from": file.old_name, "change": kind(file.change),
                    "insertions": file.insertions, "deletions": file.deletions,
                })
            })
            .collect();
        print_json(&json!({
            "files": files, "total": changes.total, "insertions": changes.insertions, "deletions": changes.deletions,
            "tests": changes.tests,
        }));
        return;
    }
    for file in &changes.files {
        let lines = match file.insertions.zip(file.deletions) {
            Some((insertions, deletions)) => format!("+{insertions} −{deletions}"),
            None => "not text".to_owned(),
        };
        let from = file.old_name.as_deref();
        let from = from.map_or_else(String::new, |from| format!(" (was {from})"));
        outln!("{:9} {:12} {}{from}", kind(file.change), lines, file.name);
    }
    let left_out = changes.total - changes.files.len() as u64;
    if left_out > 0 {
        outln!("… and {}", counted(left_out, "more file", "more files"));
    }
    outln!(
        "{}, +{} −{} lines",
        counted(changes.total, "file", "files"),
        changes.insertions,
        changes.deletions
    );
}

fn kind(kind: FileChange) -> &'static str {
    match kind {
        FileChange::Added => "added",
        FileChange::Edited => "modified",
        FileChange::Deleted => "deleted",
        FileChange::Renamed => "renamed",
        FileChange::Retyped => "retyped",
    }
}

/// Returns the age of a workspace in seconds.
fn age(made_at: u64) -> u64 {
    let now = u64::try_from(now() / 1000).unwrap_or_default();
    now.saturating_sub(made_at)
}

fn age_words(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

fn size_words(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes / 1000),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

fn list(app: &App, json: bool) -> Result<u8, ApiError> {
    let all = records::workspaces(app.env());
    if json {
        let rows: Vec<_> = all
            .iter()
            .map(|listed| {
                json!({
                    "runId": listed.run, "loop": listed.loop_path, "source": listed.source, "madeAt": listed.made_at,
                    "bytes": records::workspace_size(listed).total(), "closed": listed.is_closed,
                    "appliedAt": listed.applied_at, "path": listed.path,
                })
            })
            .collect();
        print_json(&rows);
        return Ok(status::COMPLETED);
    }
    if all.is_empty() {
        outln!("There are no workspaces.");
    }
    for listed in &all {
        let state = match records::workspace_state(app.env(), listed)? {
            WorkspaceState::Open => "open",
            WorkspaceState::Applied => "applied",
            WorkspaceState::PartlyApplied => "partly applied",
            WorkspaceState::Unchanged => "unchanged",
            WorkspaceState::NotApplied => "not applied",
        };
        outln!(
            "{}  {:12} {:>6} {:>9}  {:14} {}",
            listed.run,
            listed.loop_path,
            age_words(age(listed.made_at)),
            size_words(records::workspace_size(listed).total()),
            state,
            listed.source.display()
        );
    }
    Ok(status::COMPLETED)
}

fn clean(app: &App, older: Option<&str>, unapplied: bool, json: bool) -> Result<u8, ApiError> {
    let before = older
        .map(|text| {
            records::time(text, now()).ok_or_else(|| {
                invalid(format!(
                    "--older {text} is not valid. Write an age (7d, 12h, 30m) or a day (2026-01-31)."
                ))
            })
        })
        .transpose()?;
    let cleaned = records::clean_workspaces(app.env(), before, unapplied)?;
    for (listed, error) in &cleaned.failed {
        errln!("{}: {error}", listed.run);
    }
    let (removed, kept) = (cleaned.removed, cleaned.kept);
    if json {
        let ids = |list: &[loopwright_workspaces::Listed]| {
            list.iter().map(|one| one.run.clone()).collect::<Vec<_>>()
        };
        print_json(&json!({ "removed": ids(&removed), "kept": ids(&kept) }));
        return Ok(status::COMPLETED);
    }
    outln!("{} removed.", removed.len());
    for listed in &kept {
        outln!(
            "Kept, because its changes were not applied: {} ({})",
            listed.run,
            listed.source.display()
        );
    }
    if !kept.is_empty() {
        outln!("`--unapplied` removes these too.");
    }
    Ok(status::COMPLETED)
}
