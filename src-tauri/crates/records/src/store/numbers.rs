//! Checks the numbers of an imported run: times, amounts, counts. A number that is impossible in a run of this program is
//! rejected, and the error names its place in the file. Sums of accepted numbers cannot overflow.

use loopwright_engine::{
    Usage,
    budget::{BudgetState, CallRequest, Limits},
    journal::{
        Completed, Entry, Fact, Failed, Input, Override, Record, Retried, RunHeader, RunState,
    },
};

/// The earliest time that a run can have, in milliseconds since the Unix epoch: the start of the year 1.
const EARLIEST: i64 = -62_135_596_800_000;
/// The latest time that a run can have: the end of the year 9999.
const LATEST: i64 = 253_402_300_799_999;
/// The maximum number of tokens, micro-dollars, milliseconds or calls. It is larger than any real total.
const MAX_NUMBER: u64 = 1_000_000_000_000_000;
/// The maximum number of iterations of a loop and of items of a list.
const MOST_ITERATIONS: u32 = 1_000_000_000;

pub(super) fn check(
    header: &RunHeader,
    state: &RunState,
    records: &[Record],
) -> Result<(), String> {
    let of_header = || {
        time(header.started_at)?;
        if let Some(origin) = &header.setup.origin {
            usage(&origin.kept)?;
            amount("the count of kept records", origin.kept_records)?;
        }
        Ok(())
    };
    of_header().map_err(|why: String| format!("its header has {why}."))?;
    of_state(state).map_err(|why| format!("its state has {why}."))?;
    for record in records {
        time(record.at)
            .and_then(|()| entry(&record.entry))
            .map_err(|why| format!("record {} (`{}`) has {why}.", record.seq, record.path))?;
    }
    Ok(())
}

pub(super) fn time(at: i64) -> Result<(), String> {
    match at {
        EARLIEST..=LATEST => Ok(()),
        _ => Err(format!(
            "the time {at}, which is not between the years 1 and 9999"
        )),
    }
}

fn amount(what: &str, number: u64) -> Result<(), String> {
    match number {
        0..=MAX_NUMBER => Ok(()),
        _ => Err(format!(
            "{number} as {what}, but the maximum is {MAX_NUMBER}"
        )),
    }
}

fn usage(usage: &Usage) -> Result<(), String> {
    amount("calls", usage.calls)?;
    amount("calls without a price", usage.unpriced_calls)?;
    amount("input tokens", usage.input_tokens)?;
    amount("output tokens", usage.output_tokens)?;
    amount("cached tokens", usage.cached_tokens)?;
    amount("reasoning tokens", usage.reasoning_tokens)?;
    amount("cost in micro-dollars", usage.cost_microusd)
}

fn limits(limits: &Limits) -> Result<(), String> {
    amount("a budget in micro-dollars", limits.microusd.unwrap_or(0))?;
    amount("a budget in tokens", limits.tokens.unwrap_or(0))
}

fn budget(budget: &BudgetState) -> Result<(), String> {
    amount("micro-dollars spent", budget.spent_microusd)?;
    amount("tokens spent", budget.spent_tokens)?;
    amount("micro-dollars reserved", budget.reserved_microusd)?;
    amount("tokens reserved", budget.reserved_tokens)?;
    limits(&budget.limits)
}

fn asked(asked: &CallRequest) -> Result<(), String> {
    amount("the number of a call", asked.call)?;
    amount("micro-dollars of a call", asked.microusd.unwrap_or(0))?;
    amount("tokens of a call", asked.tokens.unwrap_or(0))
}

fn iteration(index: u32, total: Option<u32>) -> Result<(), String> {
    let total = total.unwrap_or(MOST_ITERATIONS);
    if index >= MOST_ITERATIONS || total > MOST_ITERATIONS {
        return Err(format!(
            "an iteration number above the maximum of {MOST_ITERATIONS}"
        ));
    }
    if index >= total {
        return Err(format!("iteration {} of {total}", u64::from(index) + 1));
    }
    Ok(())
}

fn duration(millis: u64) -> Result<(), String> {
    amount("a duration in milliseconds", millis)
}

fn of_state(state: &RunState) -> Result<(), String> {
    duration(state.duration_ms.unwrap_or(0))?;
    usage(&state.usage)?;
    if let Some(parked) = &state.parked {
        time(parked.until)?;
    }
    if let Some(at) = state.expires_at {
        time(at)?;
    }
    state.budget.as_ref().map_or(Ok(()), budget)
}

fn entry(entry: &Entry) -> Result<(), String> {
    match entry {
        Entry::Input(Input::ExecutionCompleted(Completed {
            outcome,
            duration_ms,
            ..
        }))
        | Entry::Fact(Fact::NodeCompleted(Completed {
            outcome,
            duration_ms,
            ..
        })) => {
            usage(&outcome.usage)?;
            duration(*duration_ms)
        }
        Entry::Input(Input::ExecutionFailed(Failed {
            error, duration_ms, ..
        }))
        | Entry::Fact(Fact::NodeFailed(Failed {
            error, duration_ms, ..
        })) => {
            usage(&error.usage)?;
            duration(*duration_ms)
        }
        Entry::Input(Input::ExecutionRetried(Retried {
            error, after_ms, ..
        }))
        | Entry::Fact(Fact::NodeRetried(Retried {
            error, after_ms, ..
        })) => {
            usage(&error.usage)?;
            duration(*after_ms)
        }
        Entry::Input(Input::ExecutionParked(parked)) => {
            usage(&parked.error.usage)?;
            time(parked.until)?;
            time(parked.since)
        }
        Entry::Input(Input::NodeWaiting {
            expires: Some(expires),
            ..
        }) => time(expires.at),
        Entry::Input(Input::TimerFired { ticket }) => amount("a timer's number", *ticket),
        Entry::Input(Input::Forked {
            given: Some(Override::Outcome(outcome)),
            ..
        }) => usage(&outcome.usage),
        Entry::Fact(Fact::CallReserved {
            asked: call,
            budget: state,
        })
        | Entry::Input(Input::CallRequested {
            asked: call,
            budget: state,
            ..
        })
        | Entry::Fact(Fact::CallRefused {
            asked: call,
            budget: state,
        }) => {
            asked(call)?;
            budget(state)
        }
        Entry::Input(Input::CallSettled {
            call,
            usage: used,
            budget: state,
            ..
        }) => {
            amount("the number of a call", *call)?;
            usage(used)?;
            budget(state)
        }
        Entry::Input(Input::BudgetSet { limits: new }) => limits(new),
        Entry::Fact(Fact::IterationStarted { index, total, .. }) => iteration(*index, *total),
        Entry::Fact(Fact::ConditionChecked { index, .. }) => iteration(*index, None),
        Entry::Fact(Fact::IterationCompleted {
            index,
            duration_ms,
            usage: used,
            ..
        }) => {
            iteration(*index, None)?;
            duration(*duration_ms)?;
            usage(used)
        }
        Entry::Fact(Fact::RunCompleted {
            duration_ms,
            usage: used,
            ..
        }) => {
            duration(*duration_ms)?;
            usage(used)
        }
        Entry::Fact(Fact::RunFailed {
            error,
            duration_ms,
            usage: used,
            ..
        }) => {
            usage(&error.usage)?;
            duration(*duration_ms)?;
            usage(used)
        }
        _ => Ok(()),
    }
}
