//! Support for tests that plant a key: every form in which it could leak, and every file in which it could be found.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

use std::{fs, path::Path};

/// Returns every form in which a key could appear.
pub fn forms(key: &str) -> Vec<String> {
    let mut base64 = String::new();
    let letters: Vec<char> = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(['+', '/'])
        .collect();
    for group in key.as_bytes().chunks(3) {
        let bits = group
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        for place in 0..=group.len() {
            base64.push(letters[(bits >> (18 - 6 * place)) as usize & 63]);
        }
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let percent = |hex: fn(u8) -> String| -> String {
        key.bytes()
            .map(|byte| {
                if plain(byte) {
                    char::from(byte).to_string()
                } else {
                    hex(byte)
                }
            })
            .collect()
    };
    let url = base64.replace('+', "-").replace('/', "_");
    vec![
        key.to_owned(),
        base64,
        url,
        percent(|byte| format!("%{byte:02X}")),
        percent(|byte| format!("%{byte:02x}")),
    ]
}

pub fn holds(bytes: &[u8], form: &str) -> bool {
    bytes
        .windows(form.len())
        .any(|window| window == form.as_bytes())
}

/// Returns every file in a folder and its subfolders, with its content.
pub fn files_in(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_in(&path));
        } else {
            files.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
    files
}
