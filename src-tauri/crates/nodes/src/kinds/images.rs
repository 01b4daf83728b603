//! Images in the context of a prompt: strings of the form `data:image/png;base64,…` (RFC 2397).

use loopwright_engine::host::Image;
use serde_json::Value;

/// The image types that every provider's models accept.
const TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/// Separates images from the rest of a context. An image is the whole context or, if the context is a list, an item.
/// Returns the context without its images (`None` if nothing is left), and the images.
///
/// # Errors
/// Returns a message about an image that cannot be sent.
pub(crate) fn split(context: &Value) -> Result<(Option<Value>, Vec<Image>), String> {
    match context {
        Value::String(text) if is_picture(text) => Ok((None, vec![picture(text)?])),
        Value::Array(items) if items.iter().any(is_picture_value) => {
            let (mut rest, mut images) = (Vec::new(), Vec::new());
            for item in items {
                match item.as_str().filter(|text| is_picture(text)) {
                    Some(text) => images.push(picture(text)?),
                    None => rest.push(item.clone()),
                }
            }
            let rest = (!rest.is_empty()).then_some(Value::Array(rest));
            Ok((rest, images))
        }
        other => Ok((Some(other.clone()), Vec::new())),
    }
}

fn is_picture_value(value: &Value) -> bool {
    value.as_str().is_some_and(is_picture)
}

fn is_picture(text: &str) -> bool {
    text.starts_with("data:image/")
}

fn picture(text: &str) -> Result<Image, String> {
    let rest = text.strip_prefix("data:").unwrap_or(text);
    let Some((head, data)) = rest.split_once(',') else {
        return Err(
            "an image in `context` has no comma, so it has no data. Write data:image/png;base64,…"
                .to_owned(),
        );
    };
    let Some(media_type) = head.strip_suffix(";base64") else {
        return Err(format!(
            "an image in `context` is not in base64 (`{head}`). Write data:image/png;base64,…"
        ));
    };
    if !TYPES.contains(&media_type) {
        return Err(format!(
            "models do not accept images of the type {media_type}. Send one of {}.",
            TYPES.join(", ")
        ));
    }
    let data: String = data.split_whitespace().collect();
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if data.is_empty() || !data.bytes().all(is_base64) {
        return Err(
            "the data of an image in `context` is not valid base64. Encode the image again."
                .to_owned(),
        );
    }
    Ok(Image {
        media_type: media_type.to_owned(),
        data,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pictures_are_parted_from_the_rest() {
        let (rest, images) = split(&json!("data:image/png;base64,aGk=")).unwrap();
        assert_eq!((rest, images.len()), (None, 1));
        let (rest, images) = split(&json!(["a", "data:image/jpeg;base64,aGk=", 2])).unwrap();
        assert_eq!(rest, Some(json!(["a", 2])));
        assert_eq!(images[0].media_type, "image/jpeg");
        let (rest, images) = split(&json!({ "a": 1 })).unwrap();
        assert_eq!((rest, images.len()), (Some(json!({ "a": 1 })), 0));
        for wrong in [
            "data:image/png,raw",
            "data:image/tiff;base64,aGk=",
            "data:image/png;base64,ä",
            "data:image/png;base64",
        ] {
            assert!(split(&json!(wrong)).is_err(), "{wrong}");
        }
    }
}
