//! Tests of the crate that builds the HTTP clients, which has no test program of its own.

use loopwright_http_client::builder;

#[test]
fn a_client_can_be_built_more_than_once() {
    for _ in 0..2 {
        builder().build().unwrap();
    }
}
