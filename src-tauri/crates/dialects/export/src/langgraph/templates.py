# The functions that templates and conditions use. They are the same in every exported program, and behave
# like Loopwright's templates: a name without a value is an error (in a condition it is false), values within
# text are compact JSON, and whole numbers have no fraction.


class Missing:
    """The value of a missing name."""

    def __bool__(self) -> bool:
        return False


MISSING = Missing()


class Failed(Exception):
    """A template that cannot be computed."""


class NoValue(Exception):
    """A template that reads a missing value."""


class Stopped(Exception):
    """A template whose result is not JSON."""


SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|infinity|nan)", re.IGNORECASE | re.ASCII)


def kind_of(value: Any) -> str:
    if value is MISSING:
        return "undefined"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_float(value: Any) -> bool:
    return isinstance(value, float)


# ---- values as JSON and as text


def whole(number: float) -> Any:
    return int(number) if number.is_integer() and abs(number) <= 2**53 else number


def normal(value: Any) -> Any:
    """Returns a value as templates see it: whole numbers without a fraction."""
    if isinstance(value, float):
        return whole(value)
    if isinstance(value, list):
        return [normal(item) for item in value]
    if isinstance(value, dict):
        return {name: normal(item) for name, item in value.items()}
    return value


def finish(value: Any) -> Any:
    """Returns the result of a template as JSON."""
    if value is MISSING:
        raise NoValue("the expression has no value here, or something in it has none")
    if isinstance(value, list):
        return [finish(item) for item in value]
    if isinstance(value, dict):
        return {name: finish(item) for name, item in value.items()}
    if is_integer(value) and not -(2**63) <= value < 2**64 or isinstance(value, float) and not math.isfinite(value):
        raise Stopped("the result is not a finite number, or is too large for JSON")
    return whole(value) if isinstance(value, float) else value


def number_text(number: Any) -> str:
    if not isinstance(number, float):
        return str(number)
    sign, written = ("-", repr(-number)) if math.copysign(1, number) < 0 else ("", repr(number))
    mantissa, _, exponent = written.partition("e")
    before, _, after = mantissa.partition(".")
    after = "" if after == "0" else after
    digits = (before + after).lstrip("0")
    point = len(before) + int(exponent or 0) - (len(before + after) - len(digits))
    digits = digits.rstrip("0") or "0"
    if digits == "0":
        return f"{sign}0.0"
    if len(digits) <= point <= 16:
        return f"{sign}{digits}{'0' * (point - len(digits))}.0"
    if 0 < point <= 16:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -5 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


def to_json(value: Any, sort: bool = False, indent: str = "") -> str:
    """Returns compact JSON. With `indent`, it has line breaks, and each level is indented by two more spaces."""
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return json.dumps(value, ensure_ascii=False)
    if is_number(value):
        return number_text(value)
    deeper = f"{indent}  " if indent else ""
    names = sorted(value) if sort and isinstance(value, dict) else value
    colon = ": " if indent else ":"
    if isinstance(value, dict):
        items = [f"{json.dumps(name, ensure_ascii=False)}{colon}{to_json(value[name], sort, deeper)}" for name in names]
    else:
        items = [to_json(item, sort, deeper) for item in value]
    open_, close = "{}" if isinstance(value, dict) else "[]"
    if not indent or not items:
        return f"{open_}{','.join(items)}{close}"
    return open_ + ",".join(indent + item for item in items) + indent[:-2] + close


def to_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else to_json(value)


def text(value: Any) -> str:
    return value if isinstance(value, str) else to_text(finish(value))


def json_of(source: str) -> Any:
    """Parses JSON as strictly as Loopwright does."""

    def no_number(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    def fraction(written: str) -> float:
        number = float(written)
        return number if math.isfinite(number) else no_number(written)

    def integer(written: str) -> Any:
        number = int(written)
        return (-0.0 if written == "-0" else number) if -(2**63) <= number < 2**64 else fraction(written)

    return json.loads(source, parse_constant=no_number, parse_float=fraction, parse_int=integer)


# ---- names


class Parts:
    """What templates can read from a node: a handle takes precedence over a field of its value, and `output`
    is the value itself."""

    def __init__(self, value: Any, handles: dict[str, Any]):
        self.value, self.handles = value, handles


def step(value: Any, name: Any) -> Any:
    """Returns `value.name`, or `value[name]` if the name is in a list of one."""
    if isinstance(value, Parts):
        field = name[0] if isinstance(name, list) else name
        if isinstance(field, str) and field in value.handles:
            return value.handles[field]
        if field == "output":
            return value.value
        value = value.value
    if value is MISSING or value is None:
        return MISSING
    if isinstance(name, list):
        return item(value, name[0])
    return value.get(name, MISSING) if isinstance(value, dict) else MISSING


def item(value: Any, index: Any) -> Any:
    if value is MISSING or index is MISSING:
        raise Failed("the index in brackets, or the value that it is applied to, is undefined")
    if isinstance(value, dict):
        if isinstance(index, (list, dict, float)) or index is None:
            raise Failed(f"{kind_of(index)} cannot be the name of a field")
        return value.get(index, MISSING) if isinstance(index, str) else MISSING
    if not isinstance(value, (list, str)):
        return MISSING
    if not is_integer(index):
        raise Failed(f"an index of {kind_of(value)} must be a whole number, not {kind_of(index)}")
    return value[index] if -len(value) <= index < len(value) else MISSING


def seen(value: Any, *steps: Any) -> Any:
    """Returns the value of a name that may be missing."""
    for name in steps:
        value = step(value, name)
    return value


def need(written: str, value: Any, *steps: Any) -> Any:
    """Returns the value of a name that must have one."""
    value = seen(value, *steps)
    if value is MISSING:
        raise NoValue(f"`{written}` has no value here")
    return value


def found(value: Any, *steps: str) -> Any:
    """Returns the value of a name that is only tested for existence."""
    for name in steps:
        if isinstance(value, Parts):
            value = step(value, name)
        elif isinstance(value, list):
            value = value[int(name)] if re.fullmatch(r"\+?[0-9]+", name) and int(name) < len(value) else MISSING
        else:
            value = value.get(name, MISSING) if isinstance(value, dict) else MISSING
    return value


# ---- operators


def numbers(one: Any, other: Any) -> tuple[Any, Any]:
    if not is_number(one) or not is_number(other):
        raise Failed(f"arithmetic needs two numbers, not {kind_of(one)} and {kind_of(other)}")
    if isinstance(one, float) or isinstance(other, float):
        return float(one), float(other)
    return one, other


def fits(number: Any) -> Any:
    if isinstance(number, int) and not -(2**127) <= number < 2**127:
        raise Failed("the result is too large")
    return number


def add(one: Any, other: Any) -> Any:
    one, other = numbers(one, other)
    return fits(one + other)


def subtract(one: Any, other: Any) -> Any:
    one, other = numbers(one, other)
    return fits(one - other)


def multiply(one: Any, other: Any) -> Any:
    one, other = numbers(one, other)
    return fits(one * other)


def divisors(one: Any, other: Any) -> tuple[Any, Any]:
    one, other = numbers(one, other)
    if other == 0:
        raise Failed("division by 0")
    return one, other


def divide(one: Any, other: Any) -> float:
    one, other = divisors(one, other)
    return float(one) / float(other)


def remainder(one: Any, other: Any) -> Any:
    one, other = divisors(one, other)
    if isinstance(one, int):
        return one % abs(other)
    if not math.isfinite(one) or math.isnan(other):
        return math.nan
    rest = math.fmod(one, other)
    return rest + abs(other) if rest < 0 else rest


def floor_divide(one: Any, other: Any) -> Any:
    one, other = divisors(one, other)
    if isinstance(one, int):
        return fits((one - one % abs(other)) // other)
    whole_part = one / other
    whole_part = float(math.trunc(whole_part)) if math.isfinite(whole_part) else whole_part
    if math.isfinite(one) and not math.isnan(other) and math.fmod(one, other) < 0:
        return whole_part - 1 if other > 0 else whole_part + 1
    return whole_part


def power(one: Any, other: Any) -> Any:
    one, other = numbers(one, other)
    if isinstance(one, int) and other >= 0:
        if other >= 2**32 or abs(one) > 1 and other > 127:
            raise Failed("the result is too large")
        return fits(one**other)
    base, exponent = float(one), float(other)
    odd = exponent.is_integer() and exponent % 2 == 1
    if base == 0 and exponent < 0:
        return math.copysign(math.inf, base) if odd else math.inf
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and odd else math.inf
    except ValueError:
        return math.nan


def negative(value: Any) -> Any:
    if not is_number(value):
        raise Failed(f"only a number can be negated, not {kind_of(value)}")
    return fits(-value)


def same(one: Any, other: Any) -> bool:
    if is_number(one) and is_number(other):
        return one == other or one != one and other != other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    return kind_of(one) == kind_of(other) and one == other


def compare(one: Any, other: Any) -> Optional[int]:
    """Returns -1, 0 or 1; None if the two values cannot be compared."""
    if is_number(one) and is_number(other):
        if one != one or other != other:
            return (one != one) - (other != other)
        return (one > other) - (one < other)
    if isinstance(one, list) and isinstance(other, list):
        for first, second in zip(one, other):
            order = compare(first, second)
            if order != 0:
                return order
        return (len(one) > len(other)) - (len(one) < len(other))
    if kind_of(one) != kind_of(other) or isinstance(one, dict):
        return None
    if one is None or one is MISSING:
        return 0
    return (one > other) - (one < other)


def ordered(one: Any, other: Any) -> int:
    order = compare(one, other)
    if order is None:
        raise Failed(f"{kind_of(one)} and {kind_of(other)} cannot be compared")
    return order


def less(one: Any, other: Any) -> bool:
    return ordered(one, other) < 0


def at_most(one: Any, other: Any) -> bool:
    return ordered(one, other) <= 0


def greater(one: Any, other: Any) -> bool:
    return ordered(one, other) > 0


def at_least(one: Any, other: Any) -> bool:
    return ordered(one, other) >= 0


def inside(sought: Any, container: Any) -> bool:
    if isinstance(container, list):
        return any(same(one, sought) for one in container)
    if isinstance(container, (str, dict)):
        return isinstance(sought, str) and sought in container
    raise Failed(f"`in` searches a list, a text or an object, not {kind_of(container)}")


def items(value: Any) -> list[Any]:
    return list_of(value, "...")


def fields(value: Any) -> dict[str, Any]:
    return map_of(value, "...")


def merge(*parts: dict[str, Any]) -> dict[str, Any]:
    """Merges objects. Fields of later parts take precedence and come first."""
    made: dict[str, Any] = {}
    for part in reversed(parts):
        for name, value in part.items():
            made.setdefault(name, value)
    return made


# ---- arguments


def text_of(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise Failed(f"`{what}` takes a text, not {kind_of(value)}")
    return value


def list_of(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise Failed(f"`{what}` takes a list, not {kind_of(value)}")
    return value


def map_of(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Failed(f"`{what}` takes an object, not {kind_of(value)}")
    return value


def flag_of(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise Failed(f"`{what}` takes true or false, not {kind_of(value)}")
    return value


def whole_of(value: Any, what: str, least: int, most: int) -> int:
    if is_float(value) and value.is_integer():
        value = int(value)
    if not is_integer(value) or not least <= value <= most:
        raise Failed(f"`{what}` takes a whole number from {least} to {most}, not {kind_of(value)}")
    return value


def count_of(value: Any, what: str) -> int:
    return whole_of(value, what, 0, 2**64 - 1)


# ---- filters


def f_default(of: Any, value: Any, boolean: Any = False) -> Any:
    also_empty = flag_of(boolean, "default")
    return value if of is MISSING or of is None or (also_empty and not of) else of


def f_json(value: Any, pretty: Any = False) -> str:
    value = finish(value)
    return to_json(value, indent="\n  ") if flag_of(pretty, "json") else to_json(value)


def f_length(value: Any) -> int:
    if not isinstance(value, (str, list, dict)):
        raise Failed(f"{kind_of(value)} has no length")
    return len(value)


def f_join(value: Any, sep: Any = "") -> str:
    sep = text_of(sep, "join")
    return sep.join(text(one) for one in list_of(value, "join"))


def trimmed(value: Any, pat: Any, start: bool, end: bool, what: str) -> str:
    value = text_of(value, what)
    if pat is None:
        value = value.lstrip(SPACE) if start else value
        return value.rstrip(SPACE) if end else value
    pat = text_of(pat, what)
    while pat and start and value.startswith(pat):
        value = value[len(pat) :]
    while pat and end and value.endswith(pat):
        value = value[: -len(pat)]
    return value


def f_trim(value: Any, **named: Any) -> str:
    return trimmed(value, pattern_of(named), True, True, "trim")


def f_trim_start(value: Any, **named: Any) -> str:
    return trimmed(value, pattern_of(named), True, False, "trim_start")


def f_trim_end(value: Any, **named: Any) -> str:
    return trimmed(value, pattern_of(named), False, True, "trim_end")


def pattern_of(named: dict[str, Any]) -> Optional[str]:
    return text_of(named["pat"], "trim") if "pat" in named else None


def f_upper(value: Any) -> str:
    return text_of(value, "upper").upper()


def f_lower(value: Any) -> str:
    return text_of(value, "lower").lower()


def f_capitalize(value: Any) -> str:
    value = text_of(value, "capitalize")
    return value[:1].upper() + value[1:].lower()


def f_title(value: Any) -> str:
    made, begins = [], True
    for letter in text_of(value, "title"):
        if letter in SPACE or letter in PUNCTUATION:
            made.append(letter)
            begins = begins or letter != "'"
        else:
            made.append(letter.upper() if begins else letter.lower())
            begins = False
    return "".join(made)


PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def f_truncate(value: Any, length: Any, end: Any = "…") -> str:
    value, end, length = text_of(value, "truncate"), text_of(end, "truncate"), count_of(length, "truncate")
    return value[:length] + end if length < len(value) else value


def f_replace(value: Any, from_: Any, to: Any) -> str:
    return text_of(value, "replace").replace(text_of(from_, "replace"), text_of(to, "replace"))


def f_split(value: Any, pat: Any) -> list[str]:
    value, pat = text_of(value, "split"), text_of(pat, "split")
    return value.split(pat) if pat else ["", *value, ""]


def f_indent(value: Any, width: Any = 4, first: Any = False, blank: Any = False) -> str:
    value, margin = text_of(value, "indent"), " " * min(count_of(width, "indent"), 1000)
    first, blank = flag_of(first, "indent"), flag_of(blank, "indent")
    moved = [margin + line if (at or first) and (blank or line) else line for at, line in enumerate(value.split("\n"))]
    return "\n".join(moved)


def f_wordcount(value: Any) -> int:
    return len([word for word in re.split(f"[{SPACE}]+", text_of(value, "wordcount")) if word])


def f_first(value: Any) -> Any:
    return next(iter(list_of(value, "first")), None)


def f_last(value: Any) -> Any:
    value = list_of(value, "last")
    return value[-1] if value else None


def f_nth(value: Any, n: Any) -> Any:
    value, n = list_of(value, "nth"), count_of(n, "nth")
    return value[n] if n < len(value) else None


def f_reverse(value: Any) -> Any:
    if not isinstance(value, (str, list)):
        raise Failed(f"{kind_of(value)} cannot be reversed")
    return value[::-1]


def at_path(value: Any, path: str) -> Any:
    """Returns the value at a path such as `a.b.0`; MISSING if there is none."""
    if value is MISSING or value is None:
        return value
    for name in path.split("."):
        if re.fullmatch(r"\+?[0-9]+", name):
            value = value[int(name)] if isinstance(value, list) and int(name) < len(value) else MISSING
        else:
            value = value.get(name, MISSING) if isinstance(value, dict) else MISSING
        if value is MISSING:
            break
    return value


RANKS = ("a boolean", "a number", "a text", "a list", "an object", "null", "undefined")


def f_sort(value: Any, **named: Any) -> list[Any]:
    value = list_of(value, "sort")
    keys = value
    if "attribute" in named:
        path = text_of(named["attribute"], "sort")
        keys = [at_path(one, path) for one in value]
        if any(key is MISSING for key in keys):
            raise Failed(f"an item of the list has no value at `{path}`")

    def order(one: Any, other: Any) -> int:
        known = compare(one, other)
        return RANKS.index(kind_of(one)) - RANKS.index(kind_of(other)) if known is None else known

    def by_key(one: int, other: int) -> int:
        return order(keys[one], keys[other])

    places = merge_sort(list(range(len(value))), by_key)
    for before, behind in zip(places, places[1:]):
        one, other = keys[before], keys[behind]
        if one is not None and other is not None and compare(one, other) is None:
            raise Failed(f"{kind_of(one)} and {kind_of(other)} cannot be sorted")
    return [value[place] for place in places]


def merge_sort(places: list[int], order: Callable[[int, int], int]) -> list[int]:
    """A stable sort that makes the same comparisons as Loopwright, so that results agree even without a consistent order."""
    width = 1
    while width < len(places):
        merged: list[int] = []
        for begin in range(0, len(places), 2 * width):
            left, right = places[begin : begin + width], places[begin + width : begin + 2 * width]
            while left and right:
                merged.append(right.pop(0) if order(left[0], right[0]) > 0 else left.pop(0))
            merged += left + right
        places, width = merged, width * 2
    return places


def f_unique(value: Any) -> list[Any]:
    kept: list[Any] = []
    for one in list_of(value, "unique"):
        if not any(same(known, one) for known in kept):
            kept.append(one)
    return kept


def f_get(value: Any, key: Any, **named: Any) -> Any:
    value, key = map_of(value, "get"), text_of(key, "get")
    if key in value:
        return value[key]
    if "default" in named:
        return named["default"]
    raise Failed(f"there is no field `{key}`, and no default")


def f_keys(value: Any) -> list[str]:
    return list(map_of(value, "keys"))


def f_values(value: Any) -> list[Any]:
    return list(map_of(value, "values").values())


def f_pairs(value: Any) -> list[Any]:
    return [[name, one] for name, one in map_of(value, "pairs").items()]


def whole_float(value: float) -> int:
    if not math.isfinite(value) or not value.is_integer() or not -(2**127) <= value < 2**127:
        raise Failed(f"{value} is not a whole number")
    return int(value)


def f_int(value: Any, base: Any = 10) -> int:
    base = whole_of(base, "int", 0, 2**32 - 1)
    if not 2 <= base <= 36:
        raise Failed("`base` of `int` must be from 2 to 36")
    if is_integer(value):
        return value
    if isinstance(value, float):
        return whole_float(value)
    written = text_of(value, "int").strip(SPACE)
    prefix = {2: "0b", 8: "0o", 16: "0x"}.get(base)
    while prefix and written.startswith(prefix):
        written = written[len(prefix) :]
    if re.fullmatch(r"[+-]?[0-9A-Za-z]+", written, re.ASCII):
        try:
            number = int(written, base) if base != 16 or "x" not in written.lower() else None
        except ValueError:
            number = None
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[:base]
        if number is not None and all(one in digits for one in written.lstrip("+-").lower()) and -(2**127) <= number < 2**127:
            return number
    if "." in written and FLOAT.fullmatch(written):
        return whole_float(float(written))
    raise Failed(f"the text `{written}` is not a whole number")


def f_float(value: Any) -> float:
    if isinstance(value, str):
        written = value.strip(SPACE)
        if FLOAT.fullmatch(written):
            return float(written)
        raise Failed(f"the text `{written}` is not a number")
    if not is_number(value):
        raise Failed(f"{kind_of(value)} is not a number")
    return float(value)


def f_str(value: Any) -> str:
    return text(value)


def f_round(value: Any, precision: Any = 0, **named: Any) -> float:
    if not is_number(value):
        raise Failed(f"`round` takes a number, not {kind_of(value)}")
    precision = whole_of(precision, "round", -(2**31), 2**31 - 1)
    method = text_of(named["method"], "round") if "method" in named else None
    try:
        factor = 1.0 if precision == 0 else 10.0**precision if precision > 0 else 1 / 10.0**-precision
    except OverflowError:
        factor = math.inf if precision > 0 else 0.0
    large = factor * float(value)
    if not math.isfinite(large):
        rounded = large
    elif method == "ceil":
        rounded = math.copysign(float(math.ceil(large)), large)
    elif method == "floor":
        rounded = math.copysign(float(math.floor(large)), large)
    elif method is None:
        down = float(math.floor(abs(large)))
        rounded = math.copysign(down + (abs(large) - down >= 0.5), large)
    else:
        raise Failed(f"`round` has no method `{method}`")
    return rounded / factor if factor else math.nan if rounded == 0 else math.copysign(math.inf, rounded)


def f_abs(value: Any) -> Any:
    if not is_number(value):
        raise Failed(f"`abs` takes a number, not {kind_of(value)}")
    return abs(value)


def f_pluralize(value: Any, singular: Any = "", plural: Any = "s") -> str:
    singular, plural = text_of(singular, "pluralize"), text_of(plural, "pluralize")
    if not is_integer(value):
        raise Failed(f"`pluralize` takes a whole number, not {kind_of(value)}")
    return singular if abs(value) == 1 else plural


def f_escape_html(value: Any) -> str:
    value = text_of(value, "escape")
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        value = value.replace(sign, written)
    return value


f_escape = f_escape_html


def f_escape_xml(value: Any) -> str:
    return f_escape_html(value).replace("&#39;", "&apos;")


def f_newlines_to_br(value: Any) -> str:
    return text_of(value, "newlines_to_br").replace("\r\n", "<br>").replace("\n", "<br>").replace("\r", "<br>")


# ---- tests and functions


def is_defined(value: Any) -> bool:
    return value is not MISSING


def is_undefined(value: Any) -> bool:
    return value is MISSING


def is_none(value: Any) -> bool:
    return value is None


def is_string(value: Any) -> bool:
    return isinstance(value, str)


def is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def is_array(value: Any) -> bool:
    return isinstance(value, list)


def is_map(value: Any) -> bool:
    return isinstance(value, dict)


def is_iterable(value: Any) -> bool:
    return isinstance(value, (str, list, dict))


def is_containing(value: Any, pat: Any) -> bool:
    if isinstance(value, str):
        return text_of(pat, "containing") in value
    if isinstance(value, dict):
        return isinstance(pat, str) and pat in value
    if not isinstance(value, list):
        raise Failed(f"`containing` searches a list, a text or an object, not {kind_of(value)}")
    return any(same(one, pat) for one in value)


def is_starting_with(value: Any, pat: Any) -> bool:
    return text_of(value, "starting_with").startswith(text_of(pat, "starting_with"))


def is_ending_with(value: Any, pat: Any) -> bool:
    return text_of(value, "ending_with").endswith(text_of(pat, "ending_with"))


def is_matching(value: Any, pat: str) -> bool:
    return re.search(pat, text_of(value, "matching")) is not None


def integer_of(value: Any, what: str) -> int:
    if not is_integer(value):
        raise Failed(f"`{what}` takes a whole number, not {kind_of(value)}")
    return value


def is_odd(value: Any) -> bool:
    return integer_of(value, "odd") % 2 != 0


def is_even(value: Any) -> bool:
    return integer_of(value, "even") % 2 == 0


def is_divisible_by(value: Any, divisor: Any) -> bool:
    if not is_number(value):
        raise Failed(f"`divisible_by` takes a number, not {kind_of(value)}")
    divisor = whole_of(divisor, "divisible_by", -(2**127), 2**127 - 1)
    return divisor != 0 and integer_of(value, "divisible_by") % divisor == 0


def range_(end: Any, start: Any = 0, step_by: Any = 1) -> list[int]:
    start, end, by = (whole_of(one, "range", -(2**63), 2**63 - 1) for one in (start, end, step_by))
    if by == 0:
        raise Failed("`step_by` of `range` must not be 0")
    if len(range(start, end, by)) > 100_000:
        raise Failed("`range` returns at most 100000 numbers. Use a smaller range")
    return list(range(start, end, by))


def throw_(message: Any) -> bool:
    raise Failed(text_of(message, "throw"))


# ---- names and blocks of one template


@dataclass
class Turns:
    """The state of a `for` that is being executed."""

    key: Optional[str]
    name: str
    left: list[tuple[Any, Any]]
    length: int
    now: Optional[tuple[Any, Any]] = None
    index: int = 0
    comprehension: bool = False
    set: dict[str, Any] = field(default_factory=dict)


class Blocks:
    """The output, variables and `for` blocks of one template."""

    def __init__(self) -> None:
        self._written: list[list[str]] = []
        self._turns: list[Turns] = []
        self._set: dict[str, Any] = {}

    def open(self) -> None:
        self._written.append([])

    def write(self, part: str) -> None:
        self._written[-1].append(part)

    def close(self) -> str:
        return "".join(self._written.pop())

    def set(self, name: str, value: Any) -> None:
        (self._turns[-1].set if self._turns else self._set)[name] = value

    def set_global(self, name: str, value: Any) -> None:
        self._set[name] = value

    def local(self, name: str) -> Any:
        for turns in reversed(self._turns):
            if name in turns.set:
                return turns.set[name]
            if turns.now is not None and name == turns.name:
                return turns.now[1]
            if turns.now is not None and name == turns.key:
                return turns.now[0]
        return self._set.get(name, MISSING)

    def begin_for(self, key: Optional[str], name: str, value: Any) -> None:
        if not isinstance(value, (str, list, dict)):
            raise Failed(f"`for` can loop over lists, texts and objects, but not over {kind_of(value)}")
        if key is not None and not isinstance(value, dict):
            raise Failed(f"`for` with two names can loop over objects, but not over {kind_of(value)}")
        pairs = list(value.items()) if isinstance(value, dict) else [(None, one) for one in value]
        self._turns.append(Turns(key, name, pairs, len(pairs)))

    def turn(self) -> bool:
        turns = self._turns[-1]
        if not turns.left:
            return False
        turns.now, turns.set, turns.index = turns.left.pop(0), {}, turns.index + 1
        return True

    def end_for(self) -> bool:
        """Returns whether the `for` had no items."""
        return self._turns.pop().index == 0

    def count(self, what: str) -> Any:
        turns = next(turns for turns in reversed(self._turns) if not turns.comprehension)
        known = {
            "index": turns.index,
            "index0": turns.index - 1,
            "first": turns.index == 1,
            "last": turns.index == turns.length,
            "length": turns.length,
        }
        return known[what]

    def collect(
        self, key: Optional[str], name: str, value: Any, condition: Callable[[], Any], element: Callable[[], Any]
    ) -> list[Any]:
        self.begin_for(key, name, value)
        self._turns[-1].comprehension = True
        made = []
        while self.turn():
            if condition():
                made.append(element())
        self.end_for()
        return made
