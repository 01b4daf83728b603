//! Budgets for a period, shared by all programs that use the file, and the reservations in them.
//!
//! The amount that counts against a budget is the cost of the period in the totals (see [`crate::costs`]) plus the
//! reservations. The transaction that writes records with the cost of an execution also removes the execution's settled
//! reservations. So each cost is counted exactly once.

use loopwright_engine::spending::{CostLimit, Period, Room, RoomRequest};
use rusqlite::{Connection, Row, params};

use crate::{
    error::{StoreError, row_error},
    rows::clip,
};

/// The states of a reservation.
const OPEN: i64 = 0;
const SETTLED: i64 = 1;
const LOST: i64 = 2;

/// SQL that selects the rows to which a budget applies. ?1 is the flow's name, or empty for all flows. ?2 is the path of the
/// flow's file, or empty if the budget is for all flows with this name. ?4 is the name of the schedule, or empty if the budget
/// is for runs with and without a schedule.
const OF_FLOW: &str = "(?1 = '' OR (?2 <> '' AND flow_path = ?2) OR (?2 = '' AND flow = ?1)) AND (?4 = '' OR schedule = ?4)";

/// Returns all budgets, ordered by flow, schedule and period.
pub(crate) fn limits(connection: &Connection) -> Result<Vec<CostLimit>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT period, flow, flow_path, microusd, schedule FROM cost_limits ORDER BY flow, flow_path, schedule, period",
    )?;
    let mut rows = statement.query([])?;
    let mut limits = Vec::new();
    while let Some(row) = rows.next()? {
        limits.push(limit_at(row)?);
    }
    Ok(limits)
}

fn limit_at(row: &Row<'_>) -> Result<CostLimit, StoreError> {
    let text = |index: usize| row.get::<_, String>(index).map_err(row_error);
    let (name, flow, path, schedule) = (text(0)?, text(1)?, text(2)?, text(4)?);
    let period = Period::named(&name)
        .ok_or_else(|| StoreError::Changed(format!("the unknown period \"{name}\"")))?;
    Ok(CostLimit {
        period,
        flow: (!flow.is_empty()).then_some(flow),
        flow_path: (!path.is_empty()).then_some(path),
        schedule: (!schedule.is_empty()).then_some(schedule),
        microusd: row.get::<_, i64>(3).map_err(row_error)?.unsigned_abs(),
    })
}

/// Sets the amount of the budget with this period, flow and schedule. `None` removes the budget.
pub(crate) fn set_limit(
    connection: &Connection,
    limit: &CostLimit,
    microusd: Option<u64>,
) -> Result<(), StoreError> {
    let key = (
        limit.period.name(),
        limit.flow.as_deref().unwrap_or_default(),
        limit.flow_path.as_deref().unwrap_or_default(),
        limit.schedule.as_deref().unwrap_or_default(),
    );
    connection
        .prepare_cached(
            "DELETE FROM cost_limits WHERE period = ?1 AND flow_path = ?3 AND (flow = ?2 OR ?3 <> '') AND schedule = ?4",
        )?
        .execute(key)?;
    if let Some(microusd) = microusd {
        connection
            .prepare_cached(
                "INSERT INTO cost_limits (period, flow, flow_path, schedule, microusd) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![key.0, key.1, key.2, key.3, clip(microusd)])?;
    }
    Ok(())
}

/// Reserves an amount in every budget that applies to a call of the run with the key `run`. If a budget cannot cover the
/// amount, reserves nothing and returns whether to wait or which budget is full.
pub(crate) fn reserve(
    connection: &Connection,
    run: i64,
    request: &RoomRequest,
) -> Result<Room, StoreError> {
    forget_old(connection, request)?;
    match look(connection, request)? {
        Looked::Full(limit, spent) => return Ok(Room::None { limit, spent }),
        Looked::Later => return Ok(Room::Later),
        Looked::Room => {}
    }
    connection
        .prepare_cached(
            "INSERT INTO cost_reservations (run, path, at, flow, flow_path, schedule, microusd, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)",
        )?
        .execute(params![
            run,
            request.path,
            request.at,
            request.flow,
            request.flow_path.as_deref().unwrap_or_default(),
            request.schedule.as_deref().unwrap_or_default(),
            clip(request.microusd)
        ])?;
    Ok(Room::Reserved(connection.last_insert_rowid()))
}

/// Returns the first budget that cannot cover a call even after other calls have ended, and the amount already spent from
/// it; `None` if there is no such budget.
pub(crate) fn full(
    connection: &Connection,
    request: &RoomRequest,
) -> Result<Option<(CostLimit, u64)>, StoreError> {
    Ok(match look(connection, request)? {
        Looked::Full(limit, spent) => Some((limit, spent)),
        Looked::Later | Looked::Room => None,
    })
}

/// The result of checking the budgets for a call.
enum Looked {
    Room,
    /// The call may fit after other calls have ended.
    Later,
    /// The call does not fit into this budget. The number is the amount already spent from it.
    Full(CostLimit, u64),
}

fn look(connection: &Connection, request: &RoomRequest) -> Result<Looked, StoreError> {
    let (path, schedule) = (request.flow_path.as_deref(), request.schedule.as_deref());
    let mut later = false;
    for limit in limits(connection)? {
        if !limit.is_for(&request.flow, path, schedule) {
            continue;
        }
        let (spent, open) = counted(connection, &limit, request)?;
        let needed = spent.saturating_add(request.microusd);
        if needed > limit.microusd {
            return Ok(Looked::Full(limit, spent));
        }
        later |= needed.saturating_add(open) > limit.microusd;
    }
    Ok(if later { Looked::Later } else { Looked::Room })
}

/// Returns two amounts in micro-dollars for the current period of a budget: the amount that counts as spent, and the amount
/// reserved for calls that may be in progress. A call that has not ended, or is not in the totals yet, counts in the current
/// period even if it began earlier.
fn counted(
    connection: &Connection,
    limit: &CostLimit,
    request: &RoomRequest,
) -> Result<(u64, u64), StoreError> {
    let [day, week, month] = request.starts;
    let since = match limit.period {
        Period::Day => day,
        Period::Week => week,
        Period::Month => month,
    };
    let flow = limit.flow.as_deref().unwrap_or_default();
    let path = limit.flow_path.as_deref().unwrap_or_default();
    let schedule = limit.schedule.as_deref().unwrap_or_default();
    let amount = |sql: &str| -> Result<u64, StoreError> {
        // The total is a floating-point number. It is exact up to nine billion dollars and never overflows.
        let total: f64 = connection
            .prepare_cached(sql)?
            .query_row(params![flow, path, since, schedule], |row| row.get(0))
            .map_err(row_error)?;
        Ok(total.max(0.0) as u64)
    };
    let in_sums = amount(&format!(
        "SELECT total(cost_microusd) FROM costs WHERE slot >= ?3 AND {OF_FLOW}"
    ))?;
    let beyond = amount(&format!(
        "SELECT total(microusd) FROM cost_reservations
         WHERE (state = {SETTLED} OR (state = {LOST} AND at >= ?3)) AND {OF_FLOW}"
    ))?;
    let open = amount(&format!(
        "SELECT total(microusd) FROM cost_reservations WHERE state = {OPEN} AND ?3 = ?3 AND {OF_FLOW}"
    ))?;
    Ok((in_sums.saturating_add(beyond), open))
}

/// Removes the reservations of cut-off calls from before the current periods.
fn forget_old(connection: &Connection, request: &RoomRequest) -> Result<(), StoreError> {
    let first = request.starts.iter().min().copied().unwrap_or(i64::MIN);
    connection
        .prepare_cached(&format!(
            "DELETE FROM cost_reservations WHERE state = {LOST} AND at < ?1"
        ))?
        .execute([first])?;
    Ok(())
}

/// Replaces a reservation with the cost of its call. If the cost is unknown (`None`), the whole reservation counts as spent.
pub(crate) fn settle(
    connection: &Connection,
    id: i64,
    microusd: Option<u64>,
) -> Result<(), StoreError> {
    match microusd {
        Some(0) => connection
            .prepare_cached("DELETE FROM cost_reservations WHERE id = ?1")?
            .execute([id])?,
        Some(cost) => connection
            .prepare_cached(&format!(
                "UPDATE cost_reservations SET state = {SETTLED}, microusd = ?2 WHERE id = ?1"
            ))?
            .execute([id, clip(cost)])?,
        None => connection
            .prepare_cached(&format!(
                "UPDATE cost_reservations SET state = {LOST} WHERE id = ?1"
            ))?
            .execute([id])?,
    };
    Ok(())
}

/// Removes the settled reservations of an execution whose cost is now in the totals.
pub(crate) fn recorded(connection: &Connection, run: i64, path: &str) -> Result<(), StoreError> {
    connection
        .prepare_cached(&format!(
            "DELETE FROM cost_reservations WHERE run = ?1 AND path = ?2 AND state = {SETTLED}"
        ))?
        .execute(params![run, path])?;
    Ok(())
}

/// Returns the ids of the runs with reservations that may still be in use.
pub(crate) fn runs_with_room(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT DISTINCT run_id FROM cost_reservations JOIN runs ON runs.id = run WHERE cost_reservations.state <> {LOST}"
    ))?;
    let runs = statement.query_map([], |row| row.get(0))?;
    Ok(runs.collect::<rusqlite::Result<_>>()?)
}

/// Treats the reservations of a run as spent.
pub(crate) fn lose(connection: &Connection, run: i64) -> Result<(), StoreError> {
    connection
        .prepare_cached(&format!(
            "UPDATE cost_reservations SET state = {LOST} WHERE run = ?1"
        ))?
        .execute([run])?;
    Ok(())
}

/// Keeps the reservations of a run that is about to be deleted, and treats them as spent.
pub(crate) fn keep_lost(connection: &Connection, run: i64) -> Result<(), StoreError> {
    lose(connection, run)?;
    connection
        .prepare_cached("UPDATE cost_reservations SET run = 0 WHERE run = ?1")?
        .execute([run])?;
    Ok(())
}
