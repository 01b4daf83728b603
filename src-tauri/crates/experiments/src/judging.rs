//! Runs judges. A judge scores the results of an experiment, or compares them with those of the baseline.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, PoisonError},
};

use loopwright_evaluation::{
    file::Scoring,
    result::{Cell, CellResult, CellStatus, Score, Spent},
};
use loopwright_model::{
    Shape, file,
    value::{canonical_text, to_text},
};
use loopwright_runs::{ApiError, Code, new_id};
use serde_json::{Map, Value};

use super::{
    budget::Amount,
    collect::spent,
    experiment::{Begin, Experiment, Went},
    judgement::{JUDGED, Judgement, NO_ROOM, judged_score},
    scoring::{self, Compiled, Seen, unscored},
    spending::{own_limits, used_of},
};

impl Experiment {
    /// Returns the inputs for a judge's flow, taken from the values that the scorer can read. Fails if the judge's document
    /// is not a flow.
    pub(super) fn judge_inputs(
        &self,
        index: usize,
        seen: &Seen,
    ) -> Result<Map<String, Value>, ApiError> {
        let scorer = &self.content.evaluation.scorers[index];
        let Some(flow) = self.judges.get(&scorer.name) else {
            return Ok(Map::new());
        };
        let mut given = seen.inputs();
        if matches!(scorer.how, Scoring::Flow { .. })
            && let Value::Object(row) = &seen.case
        {
            for (name, value) in row {
                given.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        let parsed = file::read_value(flow.document.clone())?;
        let specs = self.experiments.env().kinds().specs();
        let mut inputs = Map::new();
        for node in &parsed.nodes {
            if specs.shape(node) != Shape::Input {
                continue;
            }
            let name = node.boundary_name();
            if let Some(value) = given.get(name).filter(|value| !value.is_null()) {
                // A text input accepts only text.
                let is_text = matches!(node.text("dataType"), None | Some("text"));
                let value = match value {
                    Value::String(_) => value.clone(),
                    other if is_text => Value::String(to_text(other)),
                    other => other.clone(),
                };
                inputs.insert(name.to_owned(), value);
            }
        }
        Ok(inputs)
    }

    /// Runs a judge's flow and returns its score. Equal inputs are judged once. Returns `None` if the experiment was
    /// stopped. Fails if the store cannot be used.
    pub(super) async fn judge(
        self: &Arc<Self>,
        index: usize,
        inputs: Map<String, Value>,
    ) -> Result<Option<Score>, ApiError> {
        let scorer = &self.content.evaluation.scorers[index];
        let key = judgement_key(&scorer.name, &inputs);
        let slot = Arc::clone(
            self.judged
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(key.clone())
                .or_default(),
        );
        let made = slot
            .get_or_try_init(|| async {
                match self.judge_once(index, &key, inputs).await {
                    Ok(Some(score)) => Ok(score),
                    Ok(None) => Err(None),
                    Err(error) => Err(Some(error)),
                }
            })
            .await;
        match made {
            Ok(score) => Ok(Some(score.clone())),
            Err(None) => Ok(None),
            Err(Some(error)) => Err(error),
        }
    }

    async fn judge_once(
        self: &Arc<Self>,
        index: usize,
        key: &str,
        inputs: Map<String, Value>,
    ) -> Result<Option<Score>, ApiError> {
        let scorer = &self.content.evaluation.scorers[index];
        let note = format!("{JUDGED}{key}");
        let known: Option<Judgement> = self
            .store
            .note(&self.id, &note)?
            .and_then(|text| serde_json::from_str(&text).ok());
        if let Some(score) = known.as_ref().and_then(|known| known.score.clone()) {
            return Ok(Some(score));
        }
        let Some(flow) = self.judges.get(&scorer.name) else {
            return Ok(Some(unscored("The scorer has no flow to run.")));
        };
        let own = own_limits(&flow.document);
        let stand = match &known {
            Some(known) => self.stand(&known.run_id, own)?,
            None => None,
        };
        let run_id = known.map_or_else(new_id, |known| known.run_id);
        let mut judgement = Judgement {
            run_id: run_id.clone(),
            score: None,
            spent: Spent::default(),
        };
        let state = match stand {
            Some(stand) if stand.is_done => stand.state,
            stand => {
                let before = stand.map_or_else(Amount::default, |stand| stand.used);
                let Some(share) = self.share(flow, &inputs).await? else {
                    return Ok(Some(unscored(NO_ROOM)));
                };
                self.put_judgement(&note, &judgement)?;
                let begin = Begin::Start(flow, inputs);
                match self.run(&run_id, begin, share.limits).await? {
                    Went::Left => {
                        self.settle_left(&run_id, share, before)?;
                        return Ok(None);
                    }
                    Went::Refused(error) => {
                        self.pool.settle(share, Amount::default());
                        if error.code == Code::NotApproved || error.code == Code::Busy {
                            return Err(error);
                        }
                        let score = unscored(error.message);
                        judgement.score = Some(score.clone());
                        self.put_judgement(&note, &judgement)?;
                        return Ok(Some(score));
                    }
                    Went::Ended(state) => {
                        let used = used_of(&state, &state.usage);
                        self.pool.settle(share, used.less(before));
                        state
                    }
                }
            }
        };
        if self.is_out_of_room(&state, own) {
            // No note is stored, so the judge runs again when the experiment continues with a larger budget.
            return Ok(Some(unscored(NO_ROOM)));
        }
        judgement.spent = spent(&state.usage);

        let score = judged_score(state, &scorer.how);
        judgement.score = Some(score.clone());
        self.put_judgement(&note, &judgement)?;
        Ok(Some(score))
    }

    fn put_judgement(&self, note: &str, judgement: &Judgement) -> Result<(), ApiError> {
        let text = serde_json::to_string(judgement).unwrap_or_default();
        Ok(self.store.put_note(&self.id, note, &text)?)
    }

    /// Runs the judges that compare the results of each variant with those of the baseline, in both orders. Returns `false`
    /// if the experiment was stopped. Fails if the store cannot be used.
    pub(super) async fn compare_pairs(
        self: &Arc<Self>,
        baseline: u32,
        results: &mut HashMap<u64, CellResult>,
    ) -> Result<bool, ApiError> {
        let pairwise: Vec<usize> = (0..self.scorers.len())
            .filter(|&index| matches!(self.scorers[index], Compiled::Pairwise))
            .collect();
        if pairwise.is_empty() {
            return Ok(true);
        }
        let numbers: HashSet<u64> = results.keys().copied().collect();
        for number in numbers {
            let Some(of) = results.get(&number).map(|result| result.cell) else {
                continue;
            };
            let base = self.content.number(Cell {
                variant: baseline,
                ..of
            });
            for &index in &pairwise {
                let score = if of.variant == baseline {
                    scoring::number(0.5)
                } else {
                    match (completed(results, base), completed(results, number)) {
                        (Some(a), Some(b)) => match self.prefer(index, of, a, b).await? {
                            Some(score) => score,
                            None => return Ok(false),
                        },
                        _ => unscored("One of the two runs has no result."),
                    }
                };
                if let Some(result) = results.get_mut(&number)
                    && let Some(place) = result.scores.get_mut(index)
                    && *place != score
                {
                    *place = score;
                    let result = result.clone();
                    self.put(number, &result)?;
                }
            }
        }
        Ok(true)
    }

    /// Asks a judge twice, with the results in both orders, unless they are equal. Returns 1 if the judge prefers `b` both
    /// times, 0 if it prefers `a` both times, otherwise 0.5. Returns `None` if the experiment was stopped.
    async fn prefer(
        self: &Arc<Self>,
        index: usize,
        cell: Cell,
        a: Value,
        b: Value,
    ) -> Result<Option<Score>, ApiError> {
        if a == b {
            return Ok(Some(Score {
                value: Some(0.5),
                is_boolean: false,
                reason: Some("The results are the same.".to_owned()),
            }));
        }
        let case = &self.cases[cell.case as usize];
        let mut sum = 0.0;
        let mut reasons = Vec::new();
        for swapped in [false, true] {
            let (first, second) = if swapped { (&b, &a) } else { (&a, &b) };
            let mut inputs = Map::new();
            inputs.insert("a".to_owned(), first.clone());
            inputs.insert("b".to_owned(), second.clone());
            if let Some(expected) = &case.expected {
                inputs.insert("expected".to_owned(), expected.clone());
            }
            inputs.insert("case".to_owned(), Value::Object(case.row.clone()));
            let Some(score) = self.judge(index, inputs).await? else {
                return Ok(None);
            };
            // A value of 1 means that the judge prefers the result that was shown second.
            let Some(value) = score.value else {
                return Ok(Some(score));
            };
            sum += if swapped { 1.0 - value } else { value };
            reasons.extend(score.reason);
        }
        Ok(Some(Score {
            value: Some(sum / 2.0),
            is_boolean: false,
            reason: Some(reasons.join(" / ")).filter(|reason| !reason.is_empty()),
        }))
    }
}

fn completed(results: &HashMap<u64, CellResult>, number: u64) -> Option<Value> {
    results
        .get(&number)
        .filter(|result| result.status == CellStatus::Completed)
        .map(|result| result.output.clone())
}

/// Returns the key of a judgement: a hash of the scorer and of the judge's inputs.
fn judgement_key(scorer: &str, inputs: &Map<String, Value>) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(scorer.as_bytes());
    hash.update(&[0]);
    hash.update(canonical_text(&Value::Object(inputs.clone())).as_bytes());
    hash.finalize().to_hex().to_string()
}
