"""Writes jinja_cases.json: the results of Jinja2 for texts and conditions that read a state.

    pip install jinja2==3.1.6 && python jinja_cases.py > jinja_cases.json     (CPython 3.11)

The environment and the state are set up as TEA does: strict undefined values, a trailing line break is kept, a text that is
one expression gives its value, and a missing field that is read with a dot is None.
"""

import json

from jinja2 import Environment, StrictUndefined

METHODS = ("get", "keys", "values", "items")


class State(dict):
    def __getattribute__(self, name):
        if name.startswith("_") or (name not in self and name in METHODS):
            return super().__getattribute__(name)
        value = self[name] if name in self else None
        return State(value) if type(value) is dict else value


STATE = {
    "none": None, "yes": True, "no": False, "zero": 0, "n": 7, "half": 0.5, "one": 1.0, "big": 1e20, "small": 1e-05,
    "neg": -7, "text": "hello world", "empty": "", "list": ["a", 1], "nums": [3, 1, 2], "nothing": [], "map": {"k": "v"},
    "quote": "it's", "both": "'\"", "lines": "a\n\nb\n", "wide": "é\u200b\U0001f600", "html": "<a & 'b'>",
    "users": [{"name": "Bo", "age": 2}, {"name": "al", "age": 10, "tags": ["x"]}], "items": [1], "_own": 5,
    "deep": {"a": {"b": [1, {"c": None}]}, "items": [2]}, "json": '{"a": 1}', "huge": 12345678901234567, "dollar": "${x}",
}

TEXTS = [
    "Value: {{ state.%s }}" % name for name in STATE
] + [
    "{{ state.%s }}" % name for name in ("none", "yes", "one", "big", "list", "map", "text", "missing", "_missing", "users")
] + [
    "V: " + text for text in (
        "{{ state.missing }}", "{{ state._missing }}", "{{ state.missing.deep }}", "{{ state['map']['no'] }}",
        "{{ state.map.no }}", "{{ state.deep.a.b[1].c }}", "{{ state.deep.a.b[1].d }}", "{{ state.list[5] }}",
        "{{ state.list[-1] }}", "{{ state.text[1:3] }}", "{{ state.nums[::-1] }}", "{{ state.users[0].name }}",
        "{{ state.deep.items }}", "{{ state['items'] }}", "{{ state.get('n') }}", "{{ state.get('nope', [1, None]) }}",
        "{{ state.map.items() | list }}", "{{ state.map.get('k').upper() }}",
        "{{ 'a' ~ 1 ~ none ~ true ~ 2.0 ~ [1, 'x'] }}", "{{ 1 ~ 2 + 3 }}", "{{ 7 / 2 }}", "{{ 6 / 3 }}", "{{ 7 // 2 }}",
        "{{ state.neg // 2 }}", "{{ state.neg % 3 }}", "{{ 7.5 // 2 }}", "{{ 2 ** 3 ** 2 }}", "{{ -2 ** 2 }}", "{{ 2 ** -1 }}",
        "{{ 1 + true }}", "{{ 0.1 + 0.2 }}", "{{ 1 / 0 }}", "{{ state.n + '1' }}", "{{ state.text * 2 }}", "{{ state.none + 1 }}",
        "{{ state.list + [2.0] }}", "{{ '%s-%d' % ('a', 3) }}", "{{ -state.n }}", "{{ -state.neg | abs }}",
        "{{ state.n + state.nums | length }}", "{{ 2 * state.half | round }}", "{{ state.nums | length + 1 }}",
        "{{ state.none | length }}", "{{ state.map | length }}", "{{ state.text | length }}", "{{ state.missing | length }}",
        "{{ state.missing | default('d') }}", "{{ state.missing | default('d', true) }}", "{{ state.empty | default('d') }}",
        "{{ state.empty | default('d', true) }}", "{{ state._missing | default('d') }}", "{{ state._missing | default }}",
        "{{ state.no | default('d') }}", "{{ state.zero | default('d', boolean=true) }}", "{{ state.map.q.r | default('d') }}",
        "{{ state.users[0].nope | default('d') }}", "{{ state.a.b.c.d | default('d') }}",
        "{{ state.none or 'x' }}", "{{ state.zero or state.empty }}", "{{ state.list and 3 }}", "{{ state.nothing and 3 }}",
        "{{ state._missing or 'x' }}", "{{ not state.nothing }}", "{{ true and not state.zero }}",
        "{{ 1 == 1.0 }}", "{{ 1 == true }}", "{{ '1' == 1 }}", "{{ state.none == false }}", "{{ 1 < 2 < 3 }}", "{{ 3 > 2 > 2 }}",
        "{{ 'a' < 'b' }}", "{{ 'a' < 1 }}", "{{ [1, 2] < [1, 3] }}", "{{ state.none < 1 }}", "{{ 1 in [true] }}",
        "{{ 'k' in state.map }}", "{{ 'x' not in state.text }}", "{{ 1 in state.text }}", "{{ none in state.list }}",
        "{{ 'a' if state.empty else 'b' }}", "{{ 'a' if state.yes }}", "{{ 'a' if state.no }}",
        "{{ state.x is defined }}", "{{ state._x is defined }}", "{{ state._x is undefined }}", "{{ state.map.x is none }}",
        "{{ state.yes is number }}", "{{ state.yes is integer }}", "{{ state.one is float }}", "{{ state.text is sequence }}",
        "{{ state.map is mapping }}", "{{ state.n is odd }}", "{{ state.n is iterable }}", "{{ state.none is not none }}",
        "{{ state.yes is true }}", "{{ 1 is true }}", "{{ state.map is sequence }}", "{{ state.no is boolean }}",
        "{{ state.text | upper }}", "{{ state.none | upper }}", "{{ state.yes | lower }}", "{{ \"o'neil (a-b) xX\" | title }}",
        "{{ \"o'neil xX\".title() }}", "{{ 'hELLO' | capitalize }}", "{{ '  a ' | trim }}", "{{ state.list | first }}",
        "{{ state.nothing | first }}", "{{ state.nothing | last | default('none') }}", "{{ state.text | last }}",
        "{{ '3.7' | int }}", "{{ 'x' | int }}", "{{ state.none | int }}", "{{ '1e3' | float }}", "{{ 'x' | float }}",
        "{{ 2.5 | round }}", "{{ 3.5 | round }}", "{{ 3 | round }}", "{{ 2.345 | round(2) }}", "{{ 2.1 | round(0, 'ceil') }}",
        "{{ state.nums | sort }}", "{{ ['b', 'A', 'c'] | sort }}", "{{ state.users | sort(attribute='age', reverse=true) | map(attribute='name') | list }}",
        "{{ state.list | sort }}", "{{ [1, 2, 1.0, 'a', 'A'] | unique | list }}", "{{ state.nums | reverse | list }}",
        "{{ state.text | reverse | join }}", "{{ state.list | join(', ') }}", "{{ [none, true, 1.0] | join('-') }}",
        "{{ state.users | map(attribute='name') | join(',') }}", "{{ state.users | join(';', attribute='age') }}",
        "{{ state.users | map(attribute='tags') | list }}", "{{ ['a', 'b'] | map('upper') | list }}",
        "{{ state.users | selectattr('age', 'gt', 2) | map(attribute='name') | list }}",
        "{{ state.users | selectattr('tags', 'defined') | list }}", "{{ state.users | rejectattr('name', 'eq', 'Bo') | list | length }}",
        "{{ state.map | items | list }}", "{{ state.users | tojson }}", "{{ state.html | tojson }}", "{{ state.map | tojson(indent=2) }}",
        "{{ state.wide | tojson }}", "{{ state.users | json }}", "{{ state.html | e }}", "{{ state.html | safe }}",
        "{{ state.text | truncate(5) }}", "{{ 'hello wide world' | truncate(9) }}", "{{ 'hello wide world' | truncate(9, true) }}",
        "{{ state.lines | indent }}", "{{ state.lines | indent(2, true) }}", "{{ state.lines | indent('> ') }}",
        "{{ state.text | replace('l', 'L') }}", "{{ state.n | replace(7, 8) }}", "{{ state.text | wordcount }}", "{{ state.n | string }}",
        "{{ (1, 2) }}", "{{ (1,) }}", "{{ {'a': none, 'b': [1.5, 'x']} }}", "{{ [] }}{{ {} }}{{ () }}", "{{ 1e3 }}", "{{ 0x1F }}", "{{ 1_000 }}",
        "{{ 'it''s' }}", "{{ 'tab\\t\\\\ \\u00e9' }}", "{{ \"a\" 'b' }}", "{{ range(3) }}", "{{ range(3) | list }}", "{{ state.text.split() }}",
        "{{ state.text.split('o', 1) if false else state.text.split('o') }}", "{{ ','.join(['a', 'b']) }}", "{{ state.text.startswith('he') }}",
        "{{ state.users | map('length') | list }}", "{{ state.map.values() | list }}", "{{ state.huge }}", "{{ state.huge * 10 }}",
        "{{ {'a': {'b': 1}} }}", "{{ loop }}", "{{ unknown }}", "{{ unknown is defined }}",
    )
] + [
    "{% for x in state.list %}[{{ x }}]{% endfor %}", "{% for x in state.map %}{{ x }}{% endfor %}", "{% for x in state.text %}{{ x }}.{% endfor %}",
    "{% for k, v in state.map.items() %}{{ k }}={{ v }}{% endfor %}", "{% for x in state.none %}{{ x }}{% endfor %}",
    "{% for x in state.nothing %}x{% else %}none{% endfor %}", "{% for x in state.nums if x > 1 %}{{ loop.index }}/{{ loop.length }}:{{ x }} {% endfor %}",
    "{% for x in state.nums %}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.revindex }} {% endfor %}",
    "{% for u in state.users %}{{ u.name }} {{ u.nope is defined }};{% endfor %}", "{% for u in state.users %}{{ u.nope }}{% endfor %}",
    "{% for a in state.nums %}{% for b in state.list %}{{ loop.index }}{{ a }}{{ b }} {% endfor %}{{ loop.index }}|{% endfor %}",
    "{% set n = 1 %}{% for x in state.nums %}{% set n = n + x %}{{ n }} {% endfor %}{{ n }}", "{% set a = state.list %}{{ a }}",
    "{% if state.no %}{% set z = 1 %}{% endif %}{{ z }}", "{% if state.yes %}{% set z = 1 %}{% endif %}{{ z }}",
    "{% set u = state.deep %}{{ u.nope }}{{ u.a.b }}", "{% if state.none %}a{% elif state.zero %}b{% elif state.half %}c{% else %}d{% endif %}",
    "{% if state._missing %}a{% else %}b{% endif %}", "{% if state.missing %}a{% else %}b{% endif %}",
    "a\n{%- if state.yes %} b {%- endif %}\n c", "a {{- state.n -}} b", "a {%- set q = 2 -%} b {{ q }}\n", "x {# no {{ z }} #} y{#- z -#} w",
    "{% raw %}{{ state.n }}{% endraw %}{{ state.n }}", "line\r\n{{ state.n }}\rend\n", "{{ state.n }}\n", "  {{ state.yes }}  ", "{{ state.n }} {{ state.n }}",
    "{% for x in state.users | map(attribute='name') %}{{ x }}{% endfor %}", "{% for x in state.nums | reverse %}{{ x }}{% endfor %}",
    "{{ state.nums | reverse }}", "{% if state.users | selectattr('nope') %}a{% endif %}", "{{ state.text | nope }}", "{{ state.n | default(1, 2, 3) }}",
    "{% macro m() %}x{% endmacro %}{{ m() }}", "{% with a = 1 %}{{ a }}{% endwith %}", "{{ state.n",
]

CONDITIONS = [
    "state.%s" % name for name in STATE
] + [
    "state.missing", "not state.missing", "state.get('x', False)", "state.get(\"n\", 0) < 8", "state.n > 5 and state.half", "state.n == 7.0",
    "state.one == 1", "state.yes == 1", "state.text == 'hello world'", "state.none == none", "state.nothing or state.empty", "'a' in state.list",
    "{{ state.n > 5 }}", "{{ state.nothing }}", "{{ state.zero }} ", "{% if state.no %}x{% endif %}", "{{ state.no }}!", "state.list | length > 1",
    "state.n is defined and state.n is number", "state.missing.deep", "state.missing < 3", "state.users[0].age >= 2 or unknown", "state.n % 2",
    "state.map", "state._missing", "not state._missing", "state.half > 0.25 if state.yes else false", "state.none is none", "state.text.endswith('ld')",
]


def compute(environment, text):
    stripped = text.strip()
    inner = stripped[2:-2]
    is_one = stripped.startswith("{{") and stripped.endswith("}}") and not inner.endswith("}")
    if is_one and not any(sign in inner for sign in ("{{", "}}", "{%")):
        return environment.compile_expression(inner.strip())(state=State(STATE))
    return environment.from_string(text).render(state=State(STATE))


def main():
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters["json"] = json.dumps
    found = {"state": STATE, "texts": [], "conditions": []}
    for kind, texts in (("texts", TEXTS), ("conditions", CONDITIONS)):
        for text in texts:
            source = text if kind == "texts" or "{" in text else "{{ " + text + " }}"
            try:
                value = compute(environment, source)
                value = bool(value) if kind == "conditions" else value
                json.dumps(value)
                is_own = isinstance(value, str) and " object at 0x" in value
                row = {"text": text} if is_own else {"text": text, "gives": value}
            except Exception as error:
                row = {"text": text, "fails": type(error).__name__}
            found[kind].append(row)
    print("{\n\"state\": " + json.dumps(STATE) + ",")
    for kind in ("texts", "conditions"):
        rows = ",\n".join(json.dumps(row) for row in found[kind])
        print(json.dumps(kind) + ": [\n" + rows + "\n]" + ("," if kind == "texts" else ""))
    print("}")


main()
