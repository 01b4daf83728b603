//! Reads error reports of servers. Determines whether a body is an error, and extracts its message and the corresponding
//! status. Gateways send errors with the status 200, in a stream, and in a dozen shapes.

use serde_json::Value;

use super::{
    ends,
    halves::joined,
    loose::{field, says, text, written},
    page::{is_page, plain, start},
};

/// Fields that contain the message of an error, the most informative first.
const WORDS: [&str; 14] = [
    "message",
    "msg",
    "error_msg",
    "error_message",
    "errorMessage",
    "Message",
    "faultstring",
    "detail",
    "status_msg",
    "error_description",
    "description",
    "reason",
    "title",
    "details",
];

/// Fields that contain the status or the name of an error.
const CODES: [&str; 12] = [
    "code",
    "status",
    "status_code",
    "statusCode",
    "http_status",
    "http_code",
    "type",
    "kind",
    "__type",
    "Code",
    "errorcode",
    "error_code",
];

/// Fields in which gateways and clouds wrap an error that has no `error`, for example Apigee, iFlytek Spark, Volcengine and
/// Tencent.
const WRAPPERS: [&str; 7] = [
    "fault",
    "header",
    "ResponseMetadata",
    "Response",
    "response_metadata",
    "status",
    "exception",
];

/// Returns the error in one of the fields of `WRAPPERS`; `None` if none of them contains an error. The error must have a
/// message. It must also have a code that does not mean success. An error in `fault` or `exception`, or in an `error` inside
/// one of the fields, needs no code.
fn wrapped(body: &Value) -> Option<&Value> {
    WRAPPERS.iter().find_map(|name| {
        let holder = &body[*name];
        let inner = field(holder, &["Error", "error"]);
        if inner.is_object() && words(inner, 0).is_some() {
            return Some(inner);
        }
        let failed = matches!(*name, "fault" | "exception")
            || CODES.iter().any(|code| match number(&holder[*code]) {
                Some(code) => code != 0 && code != 200,
                None => false,
            });
        (holder.is_object() && failed && words(holder, 0).is_some()).then_some(holder)
    })
}

/// An error as a server reports it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Reported {
    /// The status of the error, which may differ from that of the response; `None` if the error has none.
    pub(super) status: Option<u16>,
    /// The server's name for the error, such as `overloaded_error`; `None` if the error has none.
    pub(super) kind: Option<String>,
    /// The error message without markup; empty if the error has none.
    pub(super) words: String,
    /// Whether the body is an error page of a gateway.
    pub(super) is_page: bool,
    /// Whether the paid quota is used up. Waiting does not restore it.
    pub(super) is_spent: bool,
    /// Whether the quota of a longer period, such as a day, is used up. It is restored when the period ends.
    pub(super) is_used_up: bool,
    /// Whether a filter withheld the answer or refused the prompt.
    pub(super) is_filtered: bool,
}

/// Returns whether a JSON object is an error report, even if the response has a success status.
pub(crate) fn is_error(body: &Value) -> bool {
    let Value::Object(_) = body else { return false };
    let is = |name: &str| body[name] == "error";
    let choice = &body["choices"][0];
    if says(&body["error"]) || is("object") || is("type") || says(&body["base_resp"]["status_code"])
    {
        return true;
    }
    if says(&choice["error"]) || choice["finish_reason"] == "error" {
        return true;
    }
    let has_answer = [
        "choices",
        "candidates",
        "content",
        "usage",
        "response",
        "done",
    ]
    .iter()
    .any(|name| says(&body[*name]))
        || body["message"].is_object()
        || body["delta"].is_object();
    let code = ["code", "status", "status_code", "statusCode"]
        .iter()
        .find_map(|name| number(&body[*name]));
    !has_answer
        && (wrapped(body).is_some()
            || says(&body["errors"])
            || body["success"] == false
            || code.is_some_and(|code| code >= 400)
            || WORDS[..10].iter().any(|name| {
                let value = &body[*name];
                says(value) && (value.is_string() || value.is_array())
            }))
}

impl Reported {
    /// Reads a body or an event that is an error. `status` is the status of the response if that is an error status.
    pub(super) fn of(body: &Value, status: Option<u16>) -> Self {
        // Some servers answer with a list that contains only the error.
        let body = body.get(0).unwrap_or(body);
        let error = [
            &body["error"],
            &body["errors"][0],
            &body["base_resp"],
            &body["choices"][0]["error"],
        ]
        .into_iter()
        .find(|error| says(error) && !error.is_boolean())
        .or_else(|| wrapped(body))
        .unwrap_or(body);
        let words = words(error, 0)
            .or_else(|| words(body, 0))
            .unwrap_or_else(|| match body {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => written(other),
            });
        let words = joined(&words).unwrap_or(words);
        // Apigee puts the name of the fault into its detail.
        let names: Vec<&str> = [error, body, &error["detail"]]
            .iter()
            .flat_map(|holder| CODES.iter().filter_map(|name| holder[*name].as_str()))
            .collect();
        let own = [error, body]
            .iter()
            .find_map(|holder| CODES.iter().find_map(|name| number(&holder[*name])))
            .and_then(of_number)
            .or_else(|| match spark(body, error)? {
                Spark::Status(status) => Some(status),
                Spark::Filtered => None,
            })
            .or_else(|| names.iter().find_map(|name| of_name(name)))
            .or_else(|| ends::failure(body["choices"][0]["finish_reason"].as_str()?));
        let status = match (status, own) {
            // The status that a gateway passes on is more informative than the gateway's own.
            (Some(status), _) if status >= 400 => Some(status),
            (_, own) => own,
        };
        let lower = words.to_lowercase();
        let squeezed: Vec<String> = names.iter().map(|name| squeezed(name)).collect();
        let is_spent = is_spent(&squeezed, &lower, status);
        let is_filtered = squeezed.iter().any(|name| {
            matches!(
                name.as_str(),
                "contentfilter"
                    | "contentpolicyviolation"
                    | "responsibleaipolicyviolation"
                    | "datainspectionfailed"
            )
        }) || spark(body, error) == Some(Spark::Filtered);
        let kind = names
            .iter()
            .find(|name| **name != "error" && name.parse::<u16>().is_err());
        Self {
            status,
            kind: kind.map(|kind| (*kind).to_owned()),
            is_page: is_page(&words),
            words: plain(&words),
            is_spent,
            is_used_up: !is_spent && status == Some(429) && is_used_up(&squeezed, &lower, error),
            is_filtered,
        }
    }

    /// Reads the body of a response that is not an answer: as JSON if possible, otherwise as text.
    pub(super) fn of_text(body: &str, status: Option<u16>) -> Self {
        let body = body.trim_start_matches('\u{feff}').trim();
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::of(&value, status),
            Err(_) => Self {
                status,
                is_page: is_page(body),
                words: plain(body),
                is_spent: is_spent(&[], &start(body).to_lowercase(), status),
                is_used_up: status == Some(429)
                    && is_used_up(&[], &start(body).to_lowercase(), &Value::Null),
                ..Self::default()
            },
        }
    }
}

/// The meaning of an iFlytek Spark error.
#[derive(Debug, PartialEq, Eq)]
enum Spark {
    Status(u16),
    Filtered,
}

/// Returns the meaning of an iFlytek Spark code, as listed in `SparkResponseErrorCode` of langchain4j; `None` for other
/// errors. A Spark error has a `header` or a `sid`. Errors of other services, which use the same numbers with other
/// meanings, have neither.
fn spark(body: &Value, error: &Value) -> Option<Spark> {
    if !body["header"].is_object() && !body["sid"].is_string() {
        return None;
    }
    Some(match number(&error["code"])? {
        10013 | 10014 | 10019 => Spark::Filtered,
        10006 | 10007 | 11201..=11203 => Spark::Status(429),
        10008 | 10110 => Spark::Status(503),
        10009..=10012 | 10222 => Spark::Status(500),
        10003..=10005 | 10163 | 10907 | 11501 => Spark::Status(400),
        10015 | 10016 | 11200 => Spark::Status(403),
        11500 => Spark::Status(401),
        _ => return None,
    })
}

/// Returns a numeric status, which may be written as text; `None` for other values.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        number => number
            .as_u64()
            .or_else(|| number.as_f64().map(|number| number as u64)),
    }
}

fn of_number(code: u64) -> Option<u16> {
    match code {
        400..=599 => u16::try_from(code).ok(),
        // MiniMax (`base_resp.status_code`) and Zhipu.
        1000 | 1013 | 1024 | 1033 => Some(500),
        1001 => Some(504),
        1002 | 1039 | 1041 | 1302 | 1303 | 1305 | 2045 => Some(429),
        1004 | 2049 => Some(401),
        1008 | 1113 => Some(402),
        1026 | 1027 | 2013 => Some(400),
        _ => None,
    }
}

/// Returns only the letters and digits of `text`, in lower case, so that `RateLimitError` and `rate_limit_error` are equal.
pub(super) fn squeezed(text: &str) -> String {
    text.chars()
        .filter(|letter| letter.is_ascii_alphanumeric())
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// Returns the HTTP status that corresponds to the name of an error; `None` for an unknown name.
fn of_name(name: &str) -> Option<u16> {
    let name = squeezed(name);
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    Some(match name.as_str() {
        "overloadederror" | "overloaded" => 529,
        "requests" | "tokens" | "resourceexhausted" => 429,
        "apierror" | "internal" | "unknown" | "servererror" => 500,
        "unavailable" | "slowdown" => 503,
        "deadlineexceeded" | "timeouterror" | "gatewaytimeout" => 504,
        "timeout" | "requesttimeout" => 408,
        _ if has(&[
            "ratelimit",
            "toomanyrequests",
            "throttl",
            "capacityexceeded",
            "quotaexceeded",
            "insufficientquota",
            "currentquota",
        ]) =>
        {
            429
        }
        _ if has(&[
            "overload",
            "serviceunavailable",
            "unavailableerror",
            "nocapacity",
        ]) =>
        {
            503
        }
        _ if has(&["badgateway"]) => 502,
        _ if has(&["internalerror", "internalserver"]) => 500,
        _ if has(&[
            "authentication",
            "unauthenticated",
            "unauthorized",
            "invalidapikey",
            "invalidauthentication",
        ]) =>
        {
            401
        }
        _ if has(&[
            "billing",
            "insufficientbalance",
            "insufficientcredit",
            "paymentrequired",
            "arrearage",
        ]) =>
        {
            402
        }
        _ if has(&["permission", "forbidden", "accessdenied"]) => 403,
        _ if has(&["notfound"]) => 404,
        _ if has(&["toolarge"]) => 413,
        _ if has(&[
            "invalidrequest",
            "badrequest",
            "invalidargument",
            "invalidparameter",
            "validationerror",
            "exceedcontextsize",
        ]) =>
        {
            400
        }
        _ => return None,
    })
}

/// Returns whether the paid quota is used up, which waiting does not restore.
fn is_spent(names: &[String], lower: &str, status: Option<u16>) -> bool {
    let named = names.iter().any(|name| {
        [
            "insufficientquota",
            "insufficientbalance",
            "insufficientcredit",
            "insufficientfunds",
            "exceededcurrentquota",
            "billing",
            "paymentrequired",
            "arrearage",
            "creditsexhausted",
        ]
        .iter()
        .any(|word| name.contains(word))
    });
    let said = [
        "insufficient_quota",
        "insufficient balance",
        "insufficient credit",
        "insufficient fund",
        "credit balance is too low",
        "out of credits",
        "no credits",
        "not enough credits",
        "requires more credits",
        "billing hard limit",
        "余额不足",
    ];
    // Google uses the same wording for a limit per minute.
    let is_google = names.iter().any(|name| name == "resourceexhausted");
    let plan = !is_google && lower.contains("current quota") && lower.contains("billing");
    let may_be = status.is_none_or(|status| matches!(status, 400 | 401 | 402 | 403 | 429));
    may_be
        && (named || status == Some(402) || plan || said.iter().any(|words| lower.contains(words)))
}

/// Returns whether a refusal with the status 429 is about the quota of a longer period, rather than too many requests at
/// once.
fn is_used_up(names: &[String], lower: &str, error: &Value) -> bool {
    let named = names.iter().any(|name| {
        ["quotaexceeded", "usagelimit", "dailylimit"]
            .iter()
            .any(|word| name.contains(word))
    });
    let said = [
        "quota exceeded",
        "exceeded your quota",
        "quota has been exceeded",
        "quota reached",
        "daily limit",
        "daily quota",
        "per day",
        "weekly limit",
        "monthly limit",
        "per month",
        "usage limit",
    ];
    if ["per minute", "per second", "perminute"]
        .iter()
        .any(|words| lower.contains(words))
    {
        return false;
    }
    // Google names the period of the quota only in the details.
    let details = error["details"].as_array().into_iter().flatten();
    let mut violations = details.filter_map(|detail| detail["violations"].as_array());
    let google = violations.any(|all| {
        let id = |violation: &Value| violation["quotaId"].as_str().unwrap_or_default().to_owned();
        all.iter().any(|violation| id(violation).contains("PerDay"))
    });
    named || google || said.iter().any(|words| lower.contains(words))
}

/// Returns the message of an error in one of the shapes that servers use, or `None` if it has none.
fn words(value: &Value, depth: usize) -> Option<String> {
    if depth > 6 {
        return None;
    }
    match value {
        Value::String(said) if said.trim().is_empty() => None,
        Value::String(said) => {
            // Gateways put the whole body of another server into a string.
            let inner = said.trim_start().starts_with(['{', '[']);
            let inner = inner.then(|| serde_json::from_str::<Value>(said).ok());
            let inner = inner.flatten().and_then(|inner| words(&inner, depth + 1));
            Some(inner.unwrap_or_else(|| said.clone()))
        }
        Value::Array(items) => {
            let said: Vec<_> = items
                .iter()
                .filter_map(|item| words(item, depth + 1))
                .take(3)
                .collect();
            (!said.is_empty()).then(|| said.join("; "))
        }
        Value::Object(_) => {
            let said = WORDS
                .iter()
                .find_map(|name| words(&value[*name], depth + 1))
                .or_else(|| words(&value["error"], depth + 1))
                .or_else(|| words(&value["errors"], depth + 1));
            // The location that a validator reports.
            let place = value["loc"].as_array().map(|place| {
                let parts: Vec<_> = place
                    .iter()
                    .map(|part| {
                        part.as_str()
                            .map_or_else(|| part.to_string(), str::to_owned)
                    })
                    .collect();
                parts.join(".")
            });
            // The message of the upstream server.
            let behind = words(field(&value["metadata"], &["raw"]), depth + 1);
            Some(match (place, said?, behind) {
                (Some(place), said, _) => format!("{place}: {said}"),
                (None, said, Some(behind)) if !said.contains(&behind) => {
                    let by = text(&value["metadata"], &["provider_name"]);
                    let by = by.map_or_else(String::new, |by| format!("{by}: "));
                    format!("{said} ({by}{behind})")
                }
                (None, said, _) => said,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_told_from_answers() {
        for error in [
            json!({ "error": { "message": "x" } }),
            json!({ "error": "x" }),
            json!({ "error": true, "message": "x" }),
            json!({ "errors": [{ "message": "x" }] }),
            json!({ "object": "error", "message": "x" }),
            json!({ "type": "error", "error": null, "message": "x" }),
            json!({ "detail": "x" }),
            json!({ "detail": [{ "loc": ["body"], "msg": "x" }] }),
            json!({ "message": "x" }),
            json!({ "msg": "x", "code": 500 }),
            json!({ "code": "429" }),
            json!({ "success": false, "errors": [] }),
            json!({ "id": "x", "choices": null, "base_resp": { "status_code": 1008, "status_msg": "x" } }),
            json!({ "choices": [{ "index": 0, "error": { "code": 502, "message": "x" }, "finish_reason": "error" }] }),
            json!({ "fault": { "faultstring": "x", "detail": { "errorcode": "y" } } }),
            json!({ "header": { "code": 10013, "message": "x", "sid": "y", "status": 2 } }),
            json!({ "ResponseMetadata": { "RequestId": "x", "Error": { "Code": "y", "Message": "z" } } }),
            json!({ "Response": { "RequestId": "x", "Error": { "Code": "y", "Message": "z" } } }),
            json!({ "status": { "code": 8, "message": "x" } }),
        ] {
            assert!(is_error(&error), "{error}");
        }
        for answer in [
            json!({ "choices": [{ "delta": { "content": "a" } }], "error": null }),
            json!({ "choices": [], "usage": { "prompt_tokens": 1 } }),
            json!({ "choices": [], "error": {}, "prompt_filter_results": [] }),
            json!({ "candidates": [{}], "error": "" }),
            json!({ "type": "message_start", "message": {} }),
            json!({ "type": "ping" }),
            json!({ "choices": [{ "delta": {} }], "base_resp": { "status_code": 0, "status_msg": "" } }),
            json!({ "message": { "content": "a" }, "done": false }),
            json!({ "header": { "code": 0, "message": "Success" }, "payload": {} }),
            json!({ "header": { "code": 1, "message": "x" }, "choices": [{ "delta": {} }] }),
            json!({ "status": { "code": 200, "message": "OK" } }),
            json!({ "ResponseMetadata": { "RequestId": "x" } }),
            json!({}),
            json!([]),
        ] {
            assert!(!is_error(&answer), "{answer}");
        }
    }

    #[test]
    fn a_status_and_words_are_found_wherever_they_are() {
        let read = |body: Value| {
            let read = Reported::of(&body, None);
            (read.status, read.words)
        };
        for (body, status, says) in [
            (
                json!({ "error": { "message": "slow", "code": 429 } }),
                Some(429),
                "slow",
            ),
            (
                json!({ "error": { "message": "down", "code": "502" } }),
                Some(502),
                "down",
            ),
            (
                json!({ "error": { "type": "overloaded_error", "message": "Overloaded" } }),
                Some(529),
                "Overloaded",
            ),
            (
                json!({ "error": { "type": "rate_limit_error", "message": "x" } }),
                Some(429),
                "x",
            ),
            (
                json!({ "object": "error", "message": "bad", "type": "BadRequestError", "param": null, "code": 400 }),
                Some(400),
                "bad",
            ),
            (
                json!({ "base_resp": { "status_code": 1002, "status_msg": "rate limit" } }),
                Some(429),
                "rate limit",
            ),
            (
                json!({ "error": { "code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE" } }),
                Some(503),
                "overloaded",
            ),
            (
                json!({ "error": { "status": "RESOURCE_EXHAUSTED", "message": "x" } }),
                Some(429),
                "x",
            ),
            (
                json!({ "detail": [{ "loc": ["body", "stream"], "msg": "no" }] }),
                None,
                "body.stream: no",
            ),
            (json!({ "detail": "Not here" }), None, "Not here"),
            (
                json!({ "errors": [{ "code": 7003, "message": "a" }, { "message": "b" }] }),
                None,
                "a",
            ),
            (
                json!({ "error": { "message": "Provider returned error", "code": 429, "metadata": { "raw": "{\"error\":{\"message\":\"upstream is busy\"}}", "provider_name": "P" } } }),
                Some(429),
                "P: upstream is busy",
            ),
            (
                json!({ "choices": [{ "error": { "code": 502, "message": "gone" }, "finish_reason": "error" }] }),
                Some(502),
                "gone",
            ),
            (
                json!([{ "error": { "code": 400, "message": "in a list" } }]),
                Some(400),
                "in a list",
            ),
            (
                json!({ "fault": { "faultstring": "Rate limit quota violation", "detail": { "errorcode": "policies.ratelimit.QuotaViolation" } } }),
                Some(429),
                "Rate limit quota violation",
            ),
            (
                json!({ "fault": { "faultstring": "Invalid ApiKey", "detail": { "errorcode": "oauth.v2.InvalidApiKey" } } }),
                Some(401),
                "Invalid ApiKey",
            ),
            (
                json!({ "header": { "code": 11202, "message": "licc limit", "sid": "x" } }),
                Some(429),
                "licc limit",
            ),
            (
                json!({ "Response": { "Error": { "Code": "RequestLimitExceeded.TooManyRequests", "Message": "too fast" } } }),
                Some(429),
                "too fast",
            ),
            // Cloudflare uses a number that iFlytek Spark also uses.
            (
                json!({ "success": false, "errors": [{ "code": 10013, "message": "unknown" }] }),
                None,
                "unknown",
            ),
            (json!({ "error": "plain words" }), None, "plain words"),
            (
                json!({ "error": { "message": "<html><head><title>502 Bad &amp; Gateway</title></head></html>" } }),
                None,
                "502 Bad & Gateway",
            ),
        ] {
            let (found, words) = read(body.clone());
            assert_eq!(found, status, "{body}");
            assert!(
                words.contains(says) && !words.contains("<html"),
                "{body}: {words}"
            );
        }
    }

    #[test]
    fn what_is_spent_is_told_from_what_passes() {
        let spent = |body: Value, status| Reported::of(&body, status).is_spent;
        assert!(spent(
            json!({ "error": { "message": "x", "code": "insufficient_quota" } }),
            Some(429)
        ));
        assert!(spent(
            json!({ "error": { "message": "You exceeded your current quota, please check your plan and billing details." } }),
            Some(429)
        ));
        assert!(spent(
            json!({ "error": { "type": "invalid_request_error", "message": "Your credit balance is too low to access the API." } }),
            Some(400)
        ));
        assert!(spent(
            json!({ "base_resp": { "status_code": 1008, "status_msg": "insufficient balance" } }),
            None
        ));
        assert!(spent(json!({ "error": { "message": "x" } }), Some(402)));
        assert!(!spent(
            json!({ "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota, please check your plan and billing details." } }),
            Some(429)
        ));
        assert!(!spent(
            json!({ "error": { "message": "Rate limit reached for requests" } }),
            Some(429)
        ));
    }

    #[test]
    fn a_used_up_quota_is_told_from_too_many_requests() {
        let used_up = |body: Value| {
            let reported = Reported::of(&body, Some(429));
            (reported.is_used_up, reported.is_spent)
        };
        for body in [
            json!({ "error": { "message": "You have reached your daily limit." } }),
            json!({ "error": { "message": "Rate limit reached on requests per day (RPD)" } }),
            json!({ "error": { "type": "usage_limit_reached", "message": "The usage limit has been reached" } }),
            json!({ "error": { "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota, please check your plan and billing details.", "details": [{ "violations": [{ "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] }] } }),
            json!("Quota exceeded for this key."),
        ] {
            assert_eq!(used_up(body.clone()), (true, false), "{body}");
        }
        for body in [
            json!({ "error": { "message": "Rate limit reached for requests" } }),
            json!({ "error": { "type": "rate_limit_error", "message": "Too many requests, try again later" } }),
            json!({ "error": { "status": "RESOURCE_EXHAUSTED", "message": "Resource has been exhausted (e.g. check quota)." } }),
            json!({ "error": { "message": "Quota exceeded for requests per minute" } }),
        ] {
            assert_eq!(used_up(body.clone()), (false, false), "{body}");
        }
        // Waiting does not restore what must be paid.
        let unpaid = json!({ "error": { "code": "insufficient_quota", "message": "You exceeded your current quota, please check your plan and billing details." } });
        assert_eq!(used_up(unpaid), (false, true));
    }

    #[test]
    fn what_a_filter_of_spark_found_is_filtered() {
        let filtered = |body: Value| Reported::of(&body, None).is_filtered;
        assert!(filtered(
            json!({ "header": { "code": 10013, "message": "input audit failed", "sid": "x" } })
        ));
        assert!(filtered(
            json!({ "code": 10014, "message": "x", "sid": "y" })
        ));
        assert!(!filtered(
            json!({ "success": false, "errors": [{ "code": 10013, "message": "x" }] })
        ));
    }

    #[test]
    fn a_page_is_its_title() {
        let page = "\u{feff}<!DOCTYPE html><html><head><title>\n Just a moment...</title><style>body{}</style></head><body><h1>Checking</h1></body></html>";
        let read = Reported::of_text(page, Some(403));
        assert_eq!(
            (read.words.as_str(), read.is_page),
            ("Just a moment...", true)
        );
        assert_eq!(
            Reported::of_text("<html><body><h1>502</h1></body></html>", None).words,
            "502"
        );
        assert_eq!(
            Reported::of_text("upstream error", None).words,
            "upstream error"
        );
    }
}
