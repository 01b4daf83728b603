//! Budgets for a day, a week or a month, which all programs on a data folder share. Before each call, a run reserves the most
//! that the call can cost. After the call, the cost replaces the reservation.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use futures::future::BoxFuture;
use jiff::tz::TimeZone;
use loopwright_engine::{
    NodeError,
    budget::{dollars, microusd},
    host::{ModelContext, ModelReply, ModelRequest, Models, Quote},
    journal::{Journal, JournalError},
    quota::{Quota, SharedQuotas},
    spending::{
        CostLimit, NoRoom, Period, Reservation, Reserving, Room, RoomRequest, SpendingStore,
    },
};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{
    clock::now,
    env::Env,
    error::{ApiError, Code},
    local_days::{day_of, next_first_day, period_starts},
    run_lock::RunLock,
    shared_quotas::FolderQuotas,
    subflows::canonical,
};

/// The pause before a call requests its reservation again. The call waits because the reservations of other calls leave too
/// little of the budget.
const PAUSE: Duration = Duration::from_millis(100);

/// The number of pauses between searches for the reservations of killed programs.
const PAUSES_A_LOOK: u32 = 20;

/// A budget for a period, as the window and the command line show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SpendingLimit {
    pub period: Period,
    /// The name of the flow; `None` for all flows.
    pub flow: Option<String>,
    /// The path of the flow's file; `None` for all flows with this name.
    pub flow_path: Option<String>,
    pub usd: f64,
}

/// Returns the budgets for a period that apply to all flows or to one flow. Budgets of schedules are left out, because they
/// belong to their schedules.
///
/// # Errors
/// [`Code::Unsupported`] if the store does not support such budgets; another error if it cannot be read.
pub fn spending_limits(env: &Env) -> Result<Vec<SpendingLimit>, ApiError> {
    let journal = env.journal();
    let limits = store(&*journal)?.limits()?;
    let limits = limits.into_iter();
    Ok(limits
        .filter(|limit| limit.schedule.is_none())
        .map(|limit| SpendingLimit {
            period: limit.period,
            flow: limit.flow,
            flow_path: limit.flow_path,
            usd: limit.microusd as f64 / 1e6,
        })
        .collect())
}

/// Sets a budget for a period, or removes it if `usd` is `None`. `flow` is a flow's name or file; `None` for all flows. The
/// budget applies to the next call of every run.
///
/// # Errors
/// [`Code::InvalidArgument`] if the amount is not a number of dollars above 0; [`Code::Unsupported`] if the store does not
/// support such budgets.
pub fn set_spending_limit(
    env: &Env,
    period: Period,
    flow: Option<&str>,
    usd: Option<f64>,
) -> Result<(), ApiError> {
    let microusd = checked_amount(usd)?;
    let path = flow.map(canonical).filter(|path| path.is_file());
    let flow = match (&path, flow) {
        (Some(path), _) => Some(flow_name(path)?),
        (None, flow) => flow.map(str::to_owned),
    };
    let limit = CostLimit {
        period,
        flow,
        flow_path: path.map(|path| path.display().to_string()),
        schedule: None,
        microusd: 0,
    };
    let journal = env.journal();
    Ok(store(&*journal)?.set_limit(&limit, microusd)?)
}

/// Converts the dollars of a budget to micro-dollars. Returns `None` if `usd` is `None`.
///
/// # Errors
/// [`Code::InvalidArgument`] if the amount is not from 0.000001 to 1,000,000,000 dollars.
pub(crate) fn checked_amount(usd: Option<f64>) -> Result<Option<u64>, ApiError> {
    match usd {
        Some(usd) if !(usd.is_finite() && (0.000_001..=1e9).contains(&usd)) => Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "A budget of {usd} dollars is invalid. Give an amount from 0.000001 to 1000000000, or `none`."
            ),
        )),
        usd => Ok(usd.map(microusd)),
    }
}

/// Sets the budget that the runs of a schedule may spend in a day, or removes it if `usd` is `None`.
///
/// # Errors
/// See [`set_spending_limit`].
pub(crate) fn set_schedule_limit(
    env: &Env,
    schedule: &str,
    usd: Option<f64>,
) -> Result<(), ApiError> {
    let microusd = checked_amount(usd)?;
    let limit = CostLimit {
        period: Period::Day,
        flow: None,
        flow_path: None,
        schedule: Some(schedule.to_owned()),
        microusd: 0,
    };
    let journal = env.journal();
    Ok(store(&*journal)?.set_limit(&limit, microusd)?)
}

/// If a budget is used up, so that a new run of this schedule and flow could make no call, returns a sentence about
/// that budget. Otherwise returns `None`.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub(crate) fn no_room_to_start(
    env: &Env,
    schedule: &str,
    flow: &str,
    flow_path: Option<&str>,
) -> Result<Option<String>, ApiError> {
    let journal = env.journal();
    let Some(store) = journal.spending() else {
        return Ok(None);
    };
    let at = env.now();
    let request = RoomRequest {
        run_id: String::new(),
        path: String::new(),
        flow: flow.to_owned(),
        flow_path: flow_path.map(str::to_owned),
        schedule: Some(schedule.to_owned()),
        // The smallest amount: any call needs at least this.
        microusd: 1,
        at,
        starts: period_starts(&TimeZone::system(), at),
    };
    let full = store.full(&request)?;
    Ok(full.map(|(limit, spent)| no_room_words(&limit, spent, 0, at)))
}

/// Returns the name of the flow in a file.
fn flow_name(path: &Path) -> Result<String, ApiError> {
    let opened = crate::files::read_flow(&path.display().to_string())?;
    let name = opened.document.get("name").and_then(|name| name.as_str());
    let stem = || {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    Ok(name.map_or_else(stem, str::to_owned))
}

fn store(journal: &dyn Journal) -> Result<&dyn SpendingStore, ApiError> {
    journal.spending().ok_or_else(|| {
        ApiError::new(
            Code::Unsupported,
            "Shared stores do not support budgets for a day, a week or a month. Set a budget for each batch instead: `loopwright submit --budget-usd`.",
        )
    })
}

/// Treats a run's whole reservation as spent, because the program that led the run may have been killed during a call.
pub(crate) fn lose_room(env: &Env, run_id: &str) {
    if let Some(store) = env.journal().spending()
        // If nothing can be written now, a later search for killed runs does the same.
        && let Err(error) = store.lose(run_id)
    {
        tracing::debug!("{error}");
    }
}

/// The models of a run, with calls limited by the budgets for a period and by the quotas that other runs found used up.
pub(crate) struct LimitedModels {
    models: Arc<dyn Models>,
    quotas: Arc<dyn SharedQuotas>,
    run: Arc<LimitedRun>,
}

struct LimitedRun {
    journal: Arc<dyn Journal>,
    data_dir: PathBuf,
    run_id: String,
    /// Determined on first use.
    payer: OnceLock<Payer>,
}

/// The properties of a run that determine which budgets apply to it.
#[derive(Clone)]
struct Payer {
    /// The name of the run's flow.
    flow: String,
    /// The path of the flow's file; `None` if the flow has none.
    flow_path: Option<String>,
    /// The name of the schedule that started the run; `None` if no schedule did.
    schedule: Option<String>,
}

impl LimitedModels {
    pub(crate) fn new(env: &Env, run_id: &str, models: Arc<dyn Models>) -> Self {
        Self {
            models,
            quotas: Arc::new(FolderQuotas::new(env.data_dir(), run_id)),
            run: Arc::new(LimitedRun {
                journal: env.journal(),
                data_dir: env.data_dir().to_owned(),
                run_id: run_id.to_owned(),
                payer: OnceLock::new(),
            }),
        }
    }
}

impl Models for LimitedModels {
    fn quote(&self, request: &ModelRequest) -> Quote {
        self.models.quote(request)
    }

    fn quota(&self, request: &ModelRequest) -> Quota {
        self.models.quota(request)
    }

    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        self.models.call(request, cx)
    }

    fn shared_quotas(&self) -> Option<Arc<dyn SharedQuotas>> {
        Some(Arc::clone(&self.quotas))
    }

    fn has_spending_limit(&self) -> bool {
        // If the budgets cannot be read, a call requests a reservation, which reports the error.
        self.run.limits().map_or(true, |limits| !limits.is_empty())
    }

    fn reserve(&self, path: &str, microusd: u64) -> Reserving {
        let (run, path) = (Arc::clone(&self.run), path.to_owned());
        Box::pin(run.reserve(path, microusd))
    }
}

impl LimitedRun {
    /// Returns the budgets that apply to the run.
    fn limits(&self) -> Result<Vec<CostLimit>, JournalError> {
        let Some(store) = self.journal.spending() else {
            return Ok(Vec::new());
        };
        let mut limits = store.limits()?;
        if limits.is_empty() {
            return Ok(limits);
        }
        let payer = self.payer()?;
        let (path, schedule) = (payer.flow_path.as_deref(), payer.schedule.as_deref());
        limits.retain(|limit| limit.is_for(&payer.flow, path, schedule));
        Ok(limits)
    }

    fn payer(&self) -> Result<Payer, JournalError> {
        if let Some(known) = self.payer.get() {
            return Ok(known.clone());
        }
        let (header, _) = self.journal.run(&self.run_id)?;
        let payer = Payer {
            flow: header.flow,
            flow_path: header.flow_path,
            schedule: header.setup.schedule,
        };
        Ok(self.payer.get_or_init(|| payer).clone())
    }

    async fn reserve(
        self: Arc<Self>,
        path: String,
        microusd: u64,
    ) -> Result<Option<Box<dyn Reservation>>, NoRoom> {
        let mut pauses = 0_u32;
        let mut has_looked = false;
        loop {
            let (run, at) = (Arc::clone(&self), path.clone());
            let asked = tokio::task::spawn_blocking(move || run.ask(at, microusd)).await;
            let room = asked
                .map_err(|error| NoRoom(format!("The budgets could not be checked: {error}.")))?
                .map_err(|error| NoRoom(format!("The budgets could not be checked. {error}")))?;
            match room {
                None => return Ok(None),
                Some(Room::Reserved(number)) => {
                    return Ok(Some(Box::new(HeldRoom {
                        run: self,
                        number: Some(number),
                        has_begun: false,
                    })));
                }
                Some(Room::None { limit, spent }) => {
                    if has_looked {
                        let words = no_room_words(&limit, spent, microusd, now());
                        return Err(NoRoom(format!("{words} Then resume the run.")));
                    }
                    // If a program was killed yesterday, its reservations do not count towards today's spending.
                    has_looked = true;
                    self.look_for_killed().await;
                }
                Some(Room::Later) => {
                    tokio::time::sleep(PAUSE).await;
                    pauses += 1;
                    if pauses.is_multiple_of(PAUSES_A_LOOK) {
                        self.look_for_killed().await;
                    }
                }
            }
        }
    }

    /// Tries to reserve an amount for a call. Returns the result, or `None` if no budget applies to the run.
    fn ask(&self, path: String, microusd: u64) -> Result<Option<Room>, JournalError> {
        let Some(store) = self.journal.spending() else {
            return Ok(None);
        };
        if self.limits()?.is_empty() {
            return Ok(None);
        }
        let payer = self.payer()?;
        let at = now();
        let request = RoomRequest {
            run_id: self.run_id.clone(),
            path,
            flow: payer.flow,
            flow_path: payer.flow_path,
            schedule: payer.schedule,
            microusd,
            at,
            starts: period_starts(&TimeZone::system(), at),
        };
        store.reserve(&request).map(Some)
    }

    /// Treats the reservations of runs that no program executes as spent.
    async fn look_for_killed(self: &Arc<Self>) {
        let run = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || -> Result<(), JournalError> {
            let Some(store) = run.journal.spending() else {
                return Ok(());
            };
            for id in store.runs_with_room()? {
                if id != run.run_id && !RunLock::is_held(&run.data_dir, &id) {
                    store.lose(&id)?;
                }
            }
            Ok(())
        });
        // If nothing can be changed now, the reservations stay, and the next search tries again.
        if let Ok(Err(error)) = looked.await {
            tracing::debug!("{error}");
        }
    }
}

/// Returns the message that a budget has too little left for a call of up to `microusd`. It says when the budget resets and
/// how to continue earlier. `at` is the current time.
fn no_room_words(limit: &CostLimit, spent: u64, microusd: u64, at: i64) -> String {
    let period = limit.period.name();
    let (whose, command) = match (&limit.schedule, &limit.flow, &limit.flow_path) {
        (Some(schedule), _, _) => (
            format!(" for the schedule \"{schedule}\""),
            format!("loopwright schedule budget {schedule} USD"),
        ),
        (None, None, _) => (
            String::new(),
            format!("loopwright costs limit {period} USD"),
        ),
        (None, Some(flow), path) => (
            format!(" for \"{flow}\""),
            format!(
                "loopwright costs limit {period} USD --flow \"{}\"",
                path.as_ref().unwrap_or(flow)
            ),
        ),
    };
    let today = day_of(&TimeZone::system(), at);
    let next = next_first_day(limit.period, today);
    let needs = match microusd {
        // For an agent's turn, only the smallest amount is requested, which is not worth showing.
        0 | 1 => String::new(),
        needs => format!(", and the next call can cost up to {}", dollars(needs)),
    };
    format!(
        "The budget of {} a {period}{whose} has too little left: {} is spent{needs}. It resets on {next}. To continue earlier, \
         raise it with `{command}`.",
        dollars(limit.microusd),
        dollars(spent),
    )
}

/// An amount that is reserved in the store for a call.
struct HeldRoom {
    run: Arc<LimitedRun>,
    /// The number of the reservation; `None` once it is settled.
    number: Option<i64>,
    has_begun: bool,
}

impl fmt::Debug for HeldRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HeldRoom").field(&self.number).finish()
    }
}

impl HeldRoom {
    fn end(&mut self, microusd: Option<u64>) {
        if let Some(number) = self.number.take()
            && let Some(store) = self.run.journal.spending()
            // A reservation that cannot be settled remains, and counts as the greatest possible cost of its call.
            && let Err(error) = store.settle(number, microusd)
        {
            tracing::warn!("{error}");
        }
    }
}

impl Reservation for HeldRoom {
    fn begin(&mut self) {
        self.has_begun = true;
    }

    fn settle(&mut self, microusd: Option<u64>) {
        self.end(microusd);
    }
}

impl Drop for HeldRoom {
    fn drop(&mut self) {
        self.end((!self.has_begun).then_some(0));
    }
}
