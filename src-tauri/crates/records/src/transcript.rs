//! The transcript of an agent in a recorded run, which may still be in progress.

use loopwright_engine::{
    journal::{EffectiveRecords, Entry, Fact, Input, Record, Select},
    transcript::{AgentProgress, TranscriptPart},
};
use loopwright_runs::{ApiError, Env};

use crate::dto::{TranscriptTurn, TranscriptView};

/// Returns the transcript of the step at `path`. The transcript has no turns if the step is not an agent, or if an earlier
/// version recorded the run.
///
/// # Errors
/// Returns an error if the run does not exist or cannot be read.
pub fn transcript(env: &Env, run_id: &str, path: &str) -> Result<TranscriptView, ApiError> {
    let mut turns: Vec<TranscriptTurn> = Vec::new();
    let mut take = |record: Record| {
        if record.path != path {
            return;
        }
        match record.entry {
            // A subflow that is retried executes its steps again. As with its values, only the last execution counts.
            Entry::Fact(Fact::NodeStarted { .. }) => turns.clear(),
            Entry::Input(Input::AgentWorked(part)) => add(&mut turns, &part),
            _ => {}
        }
    };
    let mut effective = EffectiveRecords::default();
    env.journal()
        .read_each(run_id, Select::Path(path), &mut |record| {
            effective.take(record, &mut take);
        })?;
    effective.end(&mut take);
    Ok(TranscriptView { turns })
}

/// Adds a part to the last turn, or to a new one if the part is the first of its turn.
fn add(turns: &mut Vec<TranscriptTurn>, part: &TranscriptPart) {
    let recorded = |turn: &TranscriptTurn| {
        let entries = u32::try_from(turn.entries.len()).unwrap_or(u32::MAX);
        entries.saturating_add(turn.left_out)
    };
    // The first entry of each attempt has the number 0. If the last turn is still empty, the part is added to that turn.
    let begins = part.first == 0;
    let turn = match turns.last_mut() {
        Some(turn) if !begins || recorded(turn) == 0 => turn,
        _ => {
            turns.push(TranscriptTurn::default());
            let last = turns.len() - 1;
            &mut turns[last]
        }
    };
    let so_far = recorded(turn);
    if part.first > so_far {
        turn.left_out_after = u32::try_from(turn.entries.len()).ok();
        turn.left_out = turn.left_out.saturating_add(part.first - so_far);
    }
    turn.entries.extend(part.activities());
    let AgentProgress {
        line,
        count,
        input_tokens,
        output_tokens,
    } = &part.progress;
    let tokens =
        |tokens: Option<u64>| tokens.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX));
    turn.line.clone_from(line);
    turn.all = *count;
    turn.input_tokens = tokens(*input_tokens);
    turn.output_tokens = tokens(*output_tokens);
}
