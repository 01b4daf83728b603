//! Applies a result as a branch of the source. Only objects and one ref are written.

use super::ApplyError;
use crate::{
    git::Git,
    make::{self, Author, commit_tree},
    source::{Configuration, Source, SourceRepository},
    tree::Tree,
    workspace::Workspace,
};

/// An iteration that becomes a commit.
#[derive(Debug, Clone)]
pub struct Kept {
    pub tree: Tree,
    pub iteration: u32,
    /// The first line of the commit message.
    pub subject: String,
    /// The text of the commit message below the first line; may be empty.
    pub body: String,
    pub score: Option<String>,
    pub cost: Option<String>,
    /// The time of the commit, in seconds since the Unix epoch.
    pub time: u64,
}

#[derive(Debug, Clone)]
pub struct ApplyBranch<'a> {
    pub name: &'a str,
    /// The iterations to apply, in order. The last commit of the branch has the files of the last iteration.
    pub kept: &'a [Kept],
    /// Whether to create a single commit, with the message of the last iteration, instead of one for each iteration.
    pub squash: bool,
}

/// A branch that was created in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedBranch {
    pub name: String,
    pub commit: String,
    /// The number of commits on the branch that the source does not have.
    pub commits: usize,
}

impl Workspace {
    /// Creates a branch in the source, on the commit that the workspace started from. Changes that were not committed at
    /// that time become the first commit of the branch. Nothing is checked out or pushed.
    ///
    /// # Errors
    /// Returns [`ApplyError`]. After an error, the source has no new ref.
    pub fn apply_branch(&self, apply: &ApplyBranch<'_>) -> Result<AppliedBranch, ApplyError> {
        let source = self.look_at_source()?;
        let Some(repository) = &source.repository else {
            return Err(ApplyError::NoRepository(source.path));
        };
        let git = repository.git(&self.record.git);
        refuse_name(&git, &source, repository, apply.name)?;
        let author = author(&git, repository)?;
        for kept in apply.kept {
            self.must_have(&kept.tree)?;
        }
        let (commit, commits) = self.commits(apply, &author)?;
        self.send(&git, repository, &commit)?;
        make::lfs::give_contents(&self.record.dir, &repository.common_dir)?;
        let name = format!("refs/heads/{}", apply.name);
        // The empty old value makes git refuse if the branch has been created in the meantime.
        let created = git
            .within(
                &repository.top,
                ["update-ref", "--no-deref", &name, &commit],
            )
            .arg("0".repeat(commit.len()))
            .output()?;
        if !created.is_success() {
            return Err(ApplyError::NotWritable {
                source_folder: source.path,
                why: crate::git::said(&created),
            });
        }
        Ok(AppliedBranch {
            name: apply.name.to_owned(),
            commit,
            commits,
        })
    }

    /// Creates the commits in the record. Returns the hash of the last one, and the number of commits.
    fn commits(
        &self,
        apply: &ApplyBranch<'_>,
        author: &Author,
    ) -> Result<(String, usize), ApplyError> {
        let manifest = &self.manifest;
        let mut parent = manifest.pinned.clone();
        if parent.is_none() && !manifest.is_working {
            // Only the objects were copied. The commit itself is that of the source.
            parent = Some(manifest.base.clone());
        }
        let start = self.base_tree().hash().to_owned();
        let mut tree = match &parent {
            Some(parent) => Some(self.tree_of(parent)?),
            None => None,
        };
        let mut commits = 0;
        let mut add = |next: &str, message: &str, author: &Author| -> Result<bool, ApplyError> {
            if tree.as_deref() == Some(next) {
                return Ok(false);
            }
            parent = Some(commit_tree(
                &self.record,
                next,
                parent.as_deref(),
                message,
                author,
            )?);
            tree = Some(next.to_owned());
            commits += 1;
            Ok(true)
        };
        if manifest.is_working {
            add(&start, &format!("{}\n", make::SUBJECT), author)?;
        }
        let last = apply.kept.len().saturating_sub(1);
        let chosen = if apply.squash { last } else { 0 };
        let mut is_changed = false;
        for kept in apply.kept.iter().skip(chosen) {
            let author = Author {
                time: kept.time,
                ..author.clone()
            };
            is_changed |= add(kept.tree.hash(), &self.message(kept), &author)?;
        }
        match parent {
            Some(commit) if is_changed => Ok((commit, commits)),
            _ => Err(ApplyError::Nothing),
        }
    }

    fn tree_of(&self, commit: &str) -> Result<String, ApplyError> {
        let name = format!("{commit}^{{tree}}");
        Ok(self.record.call(["rev-parse", &name]).text()?)
    }

    fn message(&self, kept: &Kept) -> String {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut message = match one_line(&kept.subject) {
            subject if subject.is_empty() => format!("Iteration {}", kept.iteration),
            subject => subject,
        };
        if !kept.body.trim().is_empty() {
            message.push_str("\n\n");
            message.push_str(kept.body.trim());
        }
        message.push_str(&format!(
            "\n\nLoopwright-Run: {}",
            one_line(&self.manifest.run)
        ));
        message.push_str(&format!("\nLoopwright-Iteration: {}", kept.iteration));
        for (name, value) in [("Score", &kept.score), ("Cost", &kept.cost)] {
            if let Some(value) = value {
                message.push_str(&format!("\nLoopwright-{name}: {}", one_line(value)));
            }
        }
        message.push('\n');
        message
    }

    /// Writes the objects of a commit into the source.
    fn send(
        &self,
        git: &Git,
        repository: &SourceRepository,
        commit: &str,
    ) -> Result<(), ApplyError> {
        let known = self.manifest.pinned.as_ref().or_else(|| {
            let is_source_commit = !self.manifest.is_working;
            is_source_commit.then_some(&self.manifest.base)
        });
        let mut revisions = format!("{commit}\n");
        if let Some(known) = known {
            revisions.push_str(&format!("^{known}\n"));
        }
        let pack = self
            .record
            .call(["pack-objects", "-q", "--revs", "--stdout"])
            .input(revisions.into_bytes())
            .bytes()?;
        let unpacked = git
            .within(&repository.top, ["unpack-objects", "-q"])
            .input(pack)
            .output()?;
        if unpacked.is_success() {
            return Ok(());
        }
        Err(ApplyError::NotWritable {
            source_folder: repository.top.clone(),
            why: crate::git::said(&unpacked),
        })
    }
}

fn refuse_name(
    git: &Git,
    source: &Source,
    repository: &SourceRepository,
    name: &str,
) -> Result<(), ApplyError> {
    let reference = format!("refs/heads/{name}");
    let is_valid = !name.starts_with('-')
        && name != "HEAD"
        && git
            .within(&repository.top, ["check-ref-format", &reference])
            .succeeds()?;
    if !is_valid {
        return Err(ApplyError::BadName(name.to_owned()));
    }
    let exists = git
        .within(&repository.top, ["rev-parse", "-q", "--verify", &reference])
        .succeeds()?;
    if exists {
        return Err(ApplyError::BranchExists {
            name: name.to_owned(),
            source_folder: source.path.clone(),
        });
    }
    Ok(())
}

/// Returns the author of the commits: the user that the source's git configuration currently names.
fn author(git: &Git, repository: &SourceRepository) -> Result<Author, ApplyError> {
    let configuration = Configuration::read(git, &repository.top)?;
    match (
        configuration.text("user.name"),
        configuration.text("user.email"),
    ) {
        (Some(name), Some(email)) => Ok(Author {
            name,
            email,
            time: make::now(),
        }),
        _ => Err(ApplyError::NoAuthor(repository.top.clone())),
    }
}
