//! What people ask of a run that another program leads, or that nobody leads.

use loopwright_engine::{Answer, journal::JournalError};
use serde::{Deserialize, Serialize};

use crate::store::{PgStore, work};

/// Something asked of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Control {
    /// End it as stopped.
    Stop,
    /// Hold it: what is under way ends, and nothing is started.
    Pause,
    /// Go on, where it rests; with another budget, where one is given.
    Resume {
        usd: Option<f64>,
        tokens: Option<u64>,
    },
    /// An answer for the node at a path, which waits for it.
    Answer { path: String, answer: Answer },
}

impl PgStore {
    /// Asks something of a run. Whoever leads it, or takes it up next, acts on it.
    ///
    /// # Errors
    /// [`JournalError::NoRun`], or when the store does not answer.
    pub fn ask(&self, run_id: &str, control: &Control) -> Result<(), JournalError> {
        let body = serde_json::to_string(control)
            .map_err(|error| JournalError::Write(error.to_string()))?;
        let id = run_id.to_owned();
        let added = self.wait(move |client| {
            let (id, body) = (id.clone(), body.clone());
            work(async move {
                Ok(client
                    .execute(
                        "INSERT INTO loopwright.controls (run, body) SELECT id, $2 FROM loopwright.runs WHERE run_id = $1",
                        &[&id, &body],
                    )
                    .await?)
            })
        })?;
        match added {
            0 => Err(JournalError::NoRun(run_id.to_owned())),
            _ => Ok(()),
        }
    }

    /// What was asked of runs that this program leads, in order, with the number of each. They stay until the run is let go:
    /// a program that dies before it acted on them leaves them to the next one.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn asked(&self) -> Result<Vec<(i64, String, Control)>, JournalError> {
        let runs: Vec<i64> = self.held().values().map(|held| held.run).collect();
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self.wait(move |client| {
            let runs = runs.clone();
            work(async move {
                let statement = client
                    .prepare_cached(
                        "SELECT c.id, r.run_id, c.body FROM loopwright.controls c JOIN loopwright.runs r ON r.id = c.run
                         WHERE c.run = ANY($1) ORDER BY c.id",
                    )
                    .await?;
                let rows = client.query(&statement, &[&runs]).await?;
                Ok(rows
                    .iter()
                    .map(|row| (row.get(0), row.get(1), row.get(2)))
                    .collect::<Vec<(i64, String, String)>>())
            })
        })?;
        Ok(rows
            .into_iter()
            .filter_map(|(id, run_id, body)| Some((id, run_id, serde_json::from_str(&body).ok()?)))
            .collect())
    }
}
