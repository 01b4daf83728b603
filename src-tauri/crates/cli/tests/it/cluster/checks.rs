//! Assertions about the runs of a batch.

use std::{collections::BTreeMap, time::Duration};

use loopwright_cluster::OutputLine;
use loopwright_engine::{
    RunStatus,
    journal::{Entry, Input, Journal as _, Record, Select},
};

use super::world::World;

pub(crate) fn lines(world: &World, name: &str) -> Vec<OutputLine> {
    world.store().batch_lines(name, 0).unwrap()
}

pub(crate) fn records(world: &World, run_id: &str) -> Vec<Record> {
    world.store().read(run_id, Select::All).unwrap()
}

/// Asserts that every run has completed and that its records have no gap. Returns the number of records.
pub(crate) fn every_run_is_whole(world: &World, name: &str, runs: usize) -> usize {
    let lines = lines(world, name);
    assert_eq!(lines.len(), runs);
    let mut count = 0;
    for line in lines {
        assert_eq!(line.state.status, RunStatus::Completed, "{line:?}");
        let records = records(world, &line.run_id);
        assert!(
            records
                .iter()
                .zip(0..)
                .all(|(record, seq)| record.seq == seq)
        );
        count += records.len();
    }
    count
}

/// Returns how often each request was made, starting at call number `first`.
fn calls(world: &World, first: usize) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for prompt in world.server.prompts().split_off(first) {
        *counts.entry(prompt).or_default() += 1;
    }
    counts
}

pub(crate) fn no_call_is_repeated(world: &World, first: usize) {
    let repeated: Vec<_> = calls(world, first)
        .into_iter()
        .filter(|(_, count)| *count > 1)
        .collect();
    assert!(repeated.is_empty(), "{repeated:?}");
}

/// Asserts that a call was repeated only if it was in progress when its worker was lost, and that its run reports the
/// repetition.
pub(crate) fn repeated_calls_are_reported(world: &World, name: &str, first: usize) {
    let mut repeated: BTreeMap<String, usize> = BTreeMap::new();
    for (prompt, count) in calls(world, first) {
        // A prompt such as "Draft 2 of round-0.007.: …".
        let topic = prompt
            .split(" of ")
            .nth(1)
            .unwrap()
            .split(". ")
            .next()
            .unwrap();
        let topic = topic.split(".:").next().unwrap().to_owned();
        *repeated.entry(topic).or_default() += count - 1;
    }
    for line in lines(world, name) {
        let (header, _) = world.store().run(&line.run_id).unwrap();
        let topic = header.inputs["topic"]
            .as_str()
            .unwrap()
            .trim_end_matches('.')
            .to_owned();
        let said = records(world, &line.run_id)
            .iter()
            .filter(|record| {
                matches!(&record.entry, Entry::Input(Input::HostWarned { warning }) if warning.code == "call_repeated")
            })
            .count();
        let made = repeated.get(&topic).copied().unwrap_or_default();
        assert!(
            made <= said,
            "{topic}: {made} calls were made again, and {said} are said"
        );
        assert!(
            made <= 1,
            "{topic}: a run has one call in progress at a time, and {made} were made again"
        );
    }
}

/// Asserts that every run that was taken over continued within `limit` after `killed_at`, in milliseconds since the Unix epoch.
/// Returns the number of such runs.
pub(crate) fn orphans_continue_within(
    world: &World,
    name: &str,
    killed_at: i64,
    limit: Duration,
) -> usize {
    let limit = i64::try_from(limit.as_millis()).unwrap();
    let mut orphans = 0;
    for line in lines(world, name) {
        for record in records(world, &line.run_id) {
            if matches!(record.entry, Entry::Input(Input::RunTakenOver)) {
                orphans += 1;
                let after = record.at - killed_at;
                assert!(after <= limit, "{} went on after {after} ms", line.run_id);
            }
        }
    }
    orphans
}
