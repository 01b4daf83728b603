//! What a tool prints beside its result, such as a script's logs. It travels with the task of the call, so that tools which
//! print nothing know nothing of it.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::task_local;

task_local! {
    static PRINTED: Arc<Mutex<String>>;
}

/// Runs a call, and gives back what it printed. Work that is spawned as a task of its own prints nothing.
pub async fn collect<F: Future>(call: F) -> (F::Output, String) {
    let printed = Arc::<Mutex<String>>::default();
    let output = PRINTED.scope(printed.clone(), call).await;
    let text = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));
    (output, text)
}

/// Adds to what the call under way printed. Outside of one it is dropped.
pub fn print(text: &str) {
    let _ = PRINTED.try_with(|printed| {
        printed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_str(text);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_has_what_it_printed_itself() {
        print("nowhere");
        let outer = collect(async {
            print("a");
            let inner = collect(async { print("b") }).await;
            print("c");
            inner
        });
        assert_eq!(outer.await, (((), "b".to_owned()), "ac".to_owned()));
    }
}
