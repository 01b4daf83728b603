// Defines what a script can use besides the language, and removes what it must not use. `write(text)` appends to the
// logs; `now` and `seed` are inputs of the script, or undefined; `noted(text)` tells the user once that a fixed value
// was used.
(function (write, noted, now, seed) {
    "use strict";
    const global = globalThis;
    const { String: S, TypeError: T, Date: D, Object: O, Reflect: R, JSON: J, Error: E, Array: A, Map: M, Set: W } = global;
    const refuse = (why) => function () { throw new T(why); };
    const hide = (object, name, value) => O.defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });

    // A script cannot create code.
    const noCode = "a script cannot create code. To run generated code, wire it to `source` of another script";
    for (const made of [function () {}, function* () {}, async function () {}, async function* () {}]) {
        const prototype = O.getPrototypeOf(made);
        const maker = refuse(noCode);
        maker.prototype = prototype;
        O.defineProperty(prototype, "constructor", { value: maker, writable: false, enumerable: false, configurable: false });
        if (O.getPrototypeOf(prototype) === O.prototype) hide(global, "Function", maker);
    }
    hide(global, "eval", refuse(noCode));
    for (const name of ["performance", "queueMicrotask", "navigator", "gc", "print", "bjson"]) delete global[name];

    // The clock is fixed, and random numbers have a seed.
    const instant = now === undefined ? 1735689600000 : typeof now === "number" ? now : D.parse(now);
    const time = () => {
        if (now === undefined) noted("The clock of a script is fixed at 2025-01-01T00:00:00Z. Pass the time as the input `now`.");
        return instant;
    };
    const Clock = function Date(...given) {
        if (!new.target) return new D(time()).toString();
        return R.construct(D, given.length === 0 ? [time()] : given, new.target === Clock ? D : new.target);
    };
    O.defineProperty(Clock, "length", { value: 7, configurable: true });
    O.defineProperty(Clock, "prototype", { value: D.prototype, writable: false });
    hide(D.prototype, "constructor", Clock);
    hide(Clock, "now", () => time());
    hide(Clock, "parse", D.parse);
    hide(Clock, "UTC", D.UTC);
    hide(global, "Date", Clock);
    let state = 0x9e3779b9;
    if (seed !== undefined) for (const c of S(seed)) state = (Math.imul(state ^ c.codePointAt(0), 0x85ebca6b) ^ (state >>> 13)) | 0;
    hide(Math, "random", () => {
        if (seed === undefined) noted("Math.random() gives the same numbers in each run of a script. Pass others as the input `seed`.");
        state = (state + 0x6d2b79f5) | 0;
        let t = Math.imul(state ^ (state >>> 15), state | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    });

    // Methods that every engine has, but elsewhere with tables for many languages. Here they are in English
    // and UTC.
    const text = (object, name, value) => hide(object.prototype, name, value);
    const ranks = (one) => {
        const plain = S.prototype.normalize.call(one, "NFD");
        return A.from(plain.replace(/\p{M}/gu, "").toLowerCase(), (c) => [/\s/u.test(c) ? 0 : /\p{N}/u.test(c) ? 2 : /\p{L}/u.test(c) ? 3 : 1, c.codePointAt(0)]);
    };
    const numbers = (one) => A.from(S(one).matchAll(/\d+|\D+/g), ([part]) => part);
    const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
    const collate = (one, other, sensitivity) => {
        const [a, b] = [ranks(one), ranks(other)];
        for (let i = 0; i < Math.min(a.length, b.length); i++) {
            const found = order(a[i][0], b[i][0]) || order(a[i][1], b[i][1]);
            if (found) return found;
        }
        const [m, n] = [one.normalize("NFD"), other.normalize("NFD")];
        const longer = order(a.length, b.length);
        if (longer || sensitivity === "base") return longer;
        const accents = order(m.toLowerCase(), n.toLowerCase());
        if (accents || sensitivity === "accent") return accents;
        for (let i = 0; i < Math.min(m.length, n.length); i++) {
            if (m[i] !== n[i]) return m[i] === m[i].toLowerCase() ? -1 : 1;
        }
        return 0;
    };
    text(S, "localeCompare", function localeCompare(that, _, options) {
        const [one, other] = [S(this), S(that)];
        if (!options || !options.numeric) return collate(one, other, options && options.sensitivity);
        const [a, b] = [numbers(one), numbers(other)];
        for (let i = 0; i < Math.min(a.length, b.length); i++) {
            const both = /^\d/.test(a[i]) && /^\d/.test(b[i]);
            const found = both ? order(+a[i], +b[i]) : collate(a[i], b[i], options.sensitivity);
            if (found) return found;
        }
        return order(a.length, b.length);
    });
    const english = (locale) => {
        if (locale !== undefined && !/^en(-US)?$/.test(S(locale))) throw new global.RangeError("the locale " + S(locale) + " is not available: a script has en-US");
    };
    text(Number, "toLocaleString", function toLocaleString(locale, options = {}) {
        english(locale);
        for (const name of O.keys(options)) {
            if (!["minimumFractionDigits", "maximumFractionDigits", "style", "currency", "useGrouping"].includes(name)) throw new T("the option " + name + " of toLocaleString is not available in a script");
        }
        const { style = "decimal", currency } = options;
        if (style === "currency" && currency !== "USD") throw new T("the currency " + currency + " is not available: a script has USD");
        let value = Number(this) * (style === "percent" ? 100 : 1);
        if (Number.isNaN(value)) return "NaN";
        const usual = style === "currency" ? [2, 2] : style === "percent" ? [0, 0] : [0, 3];
        const least = options.minimumFractionDigits ?? Math.min(usual[0], options.maximumFractionDigits ?? usual[0]);
        const most = options.maximumFractionDigits ?? Math.max(usual[1], least);
        const sign = value < 0 || O.is(value, -0) ? "-" : "";
        value = Math.abs(value);
        let written = "∞";
        if (value !== Infinity) {
            // Halves of the decimal form are rounded up.
            const shift = S(value).includes("e") ? value : Number(Math.round(Number(value + "e" + most)) + "e-" + most);
            let [whole, part = ""] = shift.toFixed(most).split(".");
            while (part.length > least && part.endsWith("0")) part = part.slice(0, -1);
            if (options.useGrouping !== false) whole = whole.replace(/\B(?=(\d{3})+$)/g, ",");
            written = part ? whole + "." + part : whole;
        }
        return sign + (style === "currency" ? "$" : "") + written + (style === "percent" ? "%" : "");
    });
    const two = (number) => S(number).padStart(2, "0");
    const day = (date) => date.getUTCMonth() + 1 + "/" + date.getUTCDate() + "/" + date.getUTCFullYear();
    const hour = (date) => (date.getUTCHours() % 12 || 12) + ":" + two(date.getUTCMinutes()) + ":" + two(date.getUTCSeconds()) + (date.getUTCHours() < 12 ? " AM" : " PM");
    const dated = (name, make) => text(D, name, function (locale, options) {
        english(locale);
        if (options !== undefined && O.keys(options).some((name) => name !== "timeZone" || options[name] !== "UTC")) throw new T("options of " + name + " are not available in a script");
        return Number.isNaN(this.getTime()) ? "Invalid Date" : make(this);
    });
    dated("toLocaleDateString", day);
    dated("toLocaleTimeString", hour);
    dated("toLocaleString", (date) => day(date) + ", " + hour(date));
    hide(global, "structuredClone", function structuredClone(value) {
        const seen = new M();
        const copy = (value) => {
            if (typeof value === "function" || typeof value === "symbol") throw new T(S(value) + " could not be cloned.");
            if (typeof value !== "object" || value === null) return value;
            if (seen.has(value)) return seen.get(value);
            const keep = (made) => (seen.set(value, made), made);
            if (value instanceof D) return keep(new D(value.getTime()));
            if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
            if (value instanceof M) { const made = keep(new M()); for (const [k, v] of value) made.set(copy(k), copy(v)); return made; }
            if (value instanceof W) { const made = keep(new W()); for (const v of value) made.add(copy(v)); return made; }
            if (value instanceof E) { const made = keep(new E(value.message)); made.name = value.name; made.stack = value.stack; return made; }
            if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return keep(value.slice());
            if (value instanceof ArrayBuffer) return keep(value.slice(0));
            const made = keep(A.isArray(value) ? new A(value.length) : {});
            for (const name of O.keys(value)) O.defineProperty(made, name, { value: copy(value[name]), writable: true, enumerable: true, configurable: true });
            return made;
        };
        return copy(value);
    });

    // console
    const shown = (value) => {
        if (typeof value === "string") return value;
        if (typeof value === "bigint") return value + "n";
        if (typeof value === "function") return "[Function: " + (value.name || "(anonymous)") + "]";
        if (typeof value !== "object" || value === null) return S(value);
        if (value instanceof E) return S(value);
        if (value instanceof M) value = { Map: A.from(value) };
        if (value instanceof W) value = { Set: A.from(value) };
        try {
            const text = J.stringify(value, (_, inner) => (typeof inner === "bigint" ? inner + "n" : inner));
            return text === undefined ? S(value) : text;
        } catch {
            return O.prototype.toString.call(value);
        }
    };
    const log = (...given) => write(given.map(shown).join(" ") + "\n");
    const none = () => {};
    const nothing = { time: none, timeEnd: none, timeLog: none, count: none, countReset: none, group: log, groupCollapsed: log, groupEnd: none, clear: none };
    hide(global, "console", { log, info: log, warn: log, error: log, debug: log, trace: log, dir: log, table: log, assert: (is, ...given) => { if (!is) log("Assertion failed:", ...given); }, ...nothing });
})
