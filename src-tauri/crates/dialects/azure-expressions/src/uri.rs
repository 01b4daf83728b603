//! Percent-encoding, and the parts of a URI as in .NET's `Uri`.

/// Percent-encodes every byte except letters, digits and `-_.~`.
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Decodes percent-encoding to bytes. A `%` without two hexadecimal digits is unchanged.
pub(crate) fn decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .filter(|code| byte == b'%' && code.iter().all(u8::is_ascii_hexdigit))
            .and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        match code {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    bytes
}

/// The parts of an absolute URI.
#[derive(Debug)]
pub(crate) struct Uri {
    pub(crate) scheme: String,
    pub(crate) host: String,
    /// The port; -1 if the URI names none and its scheme has no default port.
    pub(crate) port: i64,
    pub(crate) path: String,
    /// The query, including the `?` before it; empty for a URI without a query.
    pub(crate) query: String,
}

/// Parses an absolute URI. Returns `None` for any other text.
pub(crate) fn parse(text: &str) -> Option<Uri> {
    let (scheme, rest) = text.trim().split_once(':')?;
    let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if !named {
        return None;
    }
    let scheme = scheme.to_ascii_lowercase();
    let rest = rest.split('#').next().unwrap_or_default();
    let (before, query) = match rest.find('?') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let usual = match scheme.as_str() {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        _ => -1,
    };
    let Some(authority) = before.strip_prefix("//") else {
        return Some(Uri {
            scheme,
            host: String::new(),
            port: usual,
            path: before.to_owned(),
            query: query.to_owned(),
        });
    };
    let (authority, path) = match authority.find('/') {
        Some(at) => authority.split_at(at),
        None => (authority, "/"),
    };
    let server = authority
        .rsplit_once('@')
        .map_or(authority, |(_, server)| server);
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => {
            let port = if port.is_empty() {
                usual
            } else {
                port.parse::<u16>().ok()?.into()
            };
            (host, port)
        }
        _ => (server, usual),
    };
    if host.is_empty() && usual != -1 {
        return None;
    }
    Some(Uri {
        scheme,
        host: host.to_ascii_lowercase(),
        port,
        path: path.to_owned(),
        query: query.to_owned(),
    })
}
