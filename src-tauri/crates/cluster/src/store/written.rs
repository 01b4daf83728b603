//! Records encoded for a statement.

use loopwright_engine::journal::{JournalError, Record};

use super::{
    encode::{Encoded, Row},
    led_runs::LedRun,
};

/// Encoded records, with the large strings that they refer to.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) seqs: Vec<i64>,
    pub(super) ats: Vec<i64>,
    pub(super) paths: Vec<String>,
    pub(super) nodes: Vec<Option<String>>,
    pub(super) kinds: Vec<String>,
    pub(super) payloads: Vec<String>,
    pub(super) texts: Encoded,
}

impl Written {
    pub(super) fn of(records: &[Record]) -> Result<Self, JournalError> {
        let mut all = Self::default();
        for record in records {
            let Row { kind, payload } = all.texts.record(record)?;
            all.seqs.push(i64::try_from(record.seq).unwrap_or(i64::MAX));
            all.ats.push(record.at);
            all.paths.push(record.path.clone());
            all.nodes.push(record.node_id.as_deref().map(str::to_owned));
            all.kinds.push(kind);
            all.payloads.push(payload);
        }
        Ok(all)
    }

    pub(super) fn last(&self) -> i64 {
        self.seqs.last().copied().unwrap_or(-1)
    }
}

/// Encoded records of one run, with the epoch under which this program led it.
#[derive(Debug, Default)]
pub(super) struct Append {
    pub(super) run: i64,
    pub(super) epoch: i64,
    pub(super) written: Written,
}

impl Append {
    pub(super) fn of(led: &LedRun, records: &[Record]) -> Result<Self, JournalError> {
        Ok(Self {
            run: led.run,
            epoch: led.epoch,
            written: Written::of(records)?,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        let payloads = self.written.payloads.iter().map(String::len);
        let texts = self.written.texts.blobs.values().map(|text| text.len());
        payloads.chain(texts).sum()
    }
}
