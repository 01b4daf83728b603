//! Controls: a person's requests to pause, stop, resume or answer a run that another program leads or that has no leader.

use loopwright_engine::journal::JournalError;
use loopwright_runs::Control;
use serde_json::json;

use crate::{
    claims::reopen,
    queue::Job,
    store::{PgStore, work},
};

impl PgStore {
    /// Stores a control for a run. Its current or next leader acts on it.
    ///
    /// Returns the job for the worker that acts on the control. Only the first answer to a step counts. Returns `None`
    /// if the control is an answer and the step already has one on which no worker has acted yet. A request for a
    /// larger budget makes a run that was stopped at its budget claimable again.
    ///
    /// # Errors
    /// [`JournalError::NoRun`] if no run has this id, or another error if the store does not answer.
    pub fn ask(&self, run_id: &str, control: &Control) -> Result<Option<Job>, JournalError> {
        let body = serde_json::to_string(control)
            .map_err(|error| JournalError::Write(error.to_string()))?;
        let answers = match control {
            // The path is compared as JSON, which can represent every character.
            Control::Answer { path, .. } => Some(json!(path).to_string()),
            _ => None,
        };
        let id = run_id.to_owned();
        let asked = self.wait(move |client| {
            let (id, body, answers) = (id.clone(), body.clone(), answers.clone());
            work(async move {
                let change = client.transaction().await?;
                // Because of the lock, the second of two concurrent requests sees the first.
                let row = change
                    .query_opt(
                        "SELECT id, compat FROM loopwright.runs WHERE run_id = $1 FOR UPDATE",
                        &[&id],
                    )
                    .await?;
                let Some(row) = row else {
                    return Ok(None);
                };
                let (run, compat): (i64, i64) = (row.get(0), row.get(1));
                let added = change
                    .execute(
                        "INSERT INTO loopwright.controls (run, body) SELECT $1, $2 WHERE NOT EXISTS (
                            SELECT 1 FROM loopwright.controls
                            WHERE run = $1 AND body::json ->> 'type' = 'answer' AND (body::json -> 'path')::text = $3
                         )",
                        &[&run, &body, &answers],
                    )
                    .await?;
                reopen(&change, run).await?;
                change.commit().await?;
                Ok(Some((compat, added > 0)))
            })
        })?;
        let (compat, added) = asked.ok_or_else(|| JournalError::NoRun(run_id.to_owned()))?;
        Ok(added.then(|| Job {
            run_id: run_id.to_owned(),
            compat: u32::try_from(compat).unwrap_or(0),
        }))
    }

    /// Postpones requests for a larger budget. `controls` are the ids of such requests for a suspended run that this
    /// program leads.
    ///
    /// The run remains suspended until another request arrives. The next claim of the run restores each request whose
    /// budget the run may then spend.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn postpone(&self, controls: Vec<i64>) -> Result<(), JournalError> {
        if controls.is_empty() {
            return Ok(());
        }
        self.wait(move |client| {
            let controls = controls.clone();
            work(async move {
                client
                    .execute(
                        "UPDATE loopwright.controls SET body = jsonb_set(body::jsonb, '{type}', '\"resume_later\"')::text
                         WHERE id = ANY($1) AND body::json ->> 'type' = 'resume'",
                        &[&controls],
                    )
                    .await?;
                Ok(())
            })
        })
    }

    /// Returns the controls of the runs that this program leads, in order. Each has its id and the id of its run. Controls
    /// stay in the store until the run is released. If this program dies before it acts on them, the run's next leader does.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn controls(&self) -> Result<Vec<(i64, String, Control)>, JournalError> {
        let runs: Vec<i64> = self.led_runs().values().map(|led| led.run).collect();
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
