def jinja_attr(value, name):
    if isinstance(value, dict):
        if name in ("clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"):
            raise TypeError("`" + name + "` is a method of an object here, and not its field: write [\"" + name + "\"]")
        return value[name] if name in value else ...
    if value is None:
        return ...
    raise TypeError("`" + name + "` is read from a value that is not an object: " + type(value).__name__)


def jinja_dot(value, name):
    if not isinstance(value, dict):
        return jinja_attr(value, name)
    if name in value:
        return value[name]
    if name in ("get", "pop", "update", "copy", "clear", "setdefault", "keys", "values", "items"):
        raise TypeError("there is no field `" + name + "`, so it is read as a method")
    return None


def jinja_item(value, key, read=jinja_attr):
    try:
        return value[key]
    except (TypeError, KeyError, IndexError):
        return read(value, key) if isinstance(key, str) and isinstance(value, dict) else ...


def jinja_have(value):
    if value is ...:
        raise NameError("the template uses a missing value")
    return value


def jinja_own(value, name):
    if isinstance(value, dict) and name in value:
        raise TypeError("`" + name + "` is a field of the object, and is called")
    return value


def jinja_default(value, other, boolean=False):
    return other if value is ... or (boolean and not value) else value


def jinja_filled(value):
    return "" if value is None else value


def jinja_title(value):
    import re
    parts = re.split(r"([-\s({\[<]+)", str(value))
    return "".join([part[0].upper() + part[1:].lower() for part in parts if part])


def jinja_first(value):
    for one in value:
        return one
    return ...


def jinja_int(value):
    try:
        return int(value)
    except (TypeError, ValueError):
        try:
            return int(float(value))
        except (TypeError, ValueError, OverflowError):
            return 0


def jinja_float(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


def jinja_reverse(value):
    return value[::-1] if isinstance(value, str) else list(reversed(value))


def jinja_fold(value):
    return value.lower() if isinstance(value, str) else value


def jinja_unique(value):
    seen = set()
    found = []
    for one in value:
        if jinja_fold(one) not in seen:
            seen.add(jinja_fold(one))
            found.append(one)
    return found


def jinja_words(value):
    import re
    return len(re.findall(r"\w+", str(value)))


def jinja_tojson(value, indent=None):
    import json
    text = json.dumps(value, indent=indent, sort_keys=True)
    for sign, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("'", "\\u0027")):
        text = text.replace(sign, code)
    return text


def jinja_json(value):
    import json
    return json.dumps(value)


def jinja_escape(value):
    text = str(value)
    for sign, code in (("&", "&amp;"), (">", "&gt;"), ("<", "&lt;"), ("'", "&#39;"), ("\"", "&#34;")):
        text = text.replace(sign, code)
    return text


def jinja_items(value):
    if isinstance(value, dict):
        return list(value.items())
    raise TypeError("Can only get item pairs from a mapping.")


def jinja_round(value, precision=0, method="common"):
    import math
    if method == "common":
        return round(value, precision)
    if method not in ("ceil", "floor"):
        raise ValueError("method must be common, ceil or floor")
    whole = math.ceil if method == "ceil" else math.floor
    return whole(value * (10**precision)) / (10**precision)


def jinja_indent(value, width=4, first=False):
    space = width if isinstance(width, str) else " " * width
    lines = (value + "\n").splitlines()
    text = lines[0]
    if len(lines) > 1:
        text += "\n" + "\n".join([space + line if line else line for line in lines[1:]])
    return space + text if first else text


def jinja_truncate(value, length=255, killwords=False, end="..."):
    if len(value) <= length + 5:
        return value
    kept = value[: length - len(end)]
    return (kept if killwords else kept.rsplit(" ", 1)[0]) + end


def jinja_replace(value, old, new):
    return str(value).replace(str(old), str(new))


def jinja_split(value, sep=" "):
    return value.split(sep)


def jinja_join(value, mark="", names=()):
    for name in names:
        value = [jinja_have(jinja_item(one, name)) for one in value]
    return str(mark).join([str(one) for one in value])


def jinja_sort(value, reverse=False, names=()):
    def key(one):
        for name in names:
            one = jinja_have(jinja_item(one, name))
        return jinja_fold(one)
    return sorted(value, key=key, reverse=reverse)


def jinja_iterable(value):
    try:
        for one in value:
            break
        return True
    except TypeError:
        return False


def jinja_message(value):
    if not isinstance(value, str):
        raise TypeError("a message of a model must be text, and is " + type(value).__name__)
    return value


def jinja_expand(text, variables):
    import re
    done, at = "", 0
    for found in re.finditer(r"\$\{([^}]+)\}", text):
        done += text[at : found.start()] + str(variables.get(found.group(1), found.group(0)))
        at = found.end()
    return done + text[at:]
