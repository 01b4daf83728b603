return { sum: inputs.a + inputs.b }
//----
return { result: inputs.words.join(inputs.missing || '') }
//----
return { result: inputs.flags.every(Boolean), some: inputs.flags.some(Boolean), not: !inputs.flags[1] };
//----
const { a, b: bee = 7, missing = "d", ...rest } = inputs;
return { r: [a, bee, missing, Object.keys(rest).length] }
//----
const [first, , third = 5, ...others] = inputs.list;
return { first, third, others }
//----
let total = 0;
for (let i = 0; i < inputs.list.length; i++) {
  if (inputs.list[i] === 2) continue;
  if (total > 100) break;
  total += inputs.list[i];
}
return { total }
//----
var text = "";
for (const row of inputs.rows) text += `${row.id}:${row.name ?? "none"};`;
return { text, length: text.length }
//----
const seen = [];
for (const key in { b: 1, a: 2 }) seen.push(key);
return { seen: seen.sort() }
//----
let i = 0, out = [];
while (true) { i++; if (i % 2) continue; out.push(i); if (i >= 10) break; }
do { out.push(i--); } while (i > 8);
return { out, i }
//----
return { r: inputs.rows.map(r => ({ ...r, n: (r.tags || []).length })).filter(({ n }) => n > 0 || true).map((r, i) => r.n + i) }
//----
return { r: inputs.rows.reduce((all, row) => { all[row.id] = row.name; return all; }, {}) }
//----
return { r: inputs.list.slice().sort(), n: [...inputs.list].sort((x, y) => x - y), w: inputs.words.sort() }
//----
return { r: inputs.rows.find(r => r.id === 2)?.name, none: inputs.rows.find(r => r.id === 9)?.tags.length, i: inputs.rows.findIndex(r => r.id == "3") }
//----
return { r: [inputs.s.toUpperCase(), inputs.s.toLowerCase(), inputs.s.split(", "), inputs.s.indexOf("World"), inputs.s.slice(-5), inputs.s.substring(5, 2), inputs.s.substr(7, 3), inputs.s.charAt(4), inputs.s[0], inputs.s.includes("lo,"), inputs.s.startsWith("Hell"), inputs.s.endsWith("x"), inputs.s.replace("l", "L"), inputs.s.replaceAll("l", "L"), inputs.s.repeat(2), "7".padStart(3, "0"), "7".padEnd(3, "ab"), "  x \n".trim(), inputs.s.lastIndexOf("o"), inputs.s.charCodeAt(0), inputs.s.concat(1, null), inputs.s.at(-1)] }
//----
return { r: [inputs.u.length, inputs.u.slice(0, 4), inputs.u.indexOf("é"), inputs.u[2], inputs.u.split(""), inputs.u.split(" "), [...inputs.u].length, inputs.u.charCodeAt(2), inputs.u.padEnd(12, "é"), inputs.u.lastIndexOf("a")] }
//----
return { r: ["🙂a".length, "🙂a".includes("a"), "🙂a".indexOf("a"), [..."🙂a"].length, "\u{1F642}" === "\ud83d\ude42"] }
//----
return { r: JSON.parse(inputs.t).a[1], s: JSON.stringify({ a: [1, "x\n\"é", null, undefined, NaN], b: {}, c: [] }), p: JSON.stringify({ a: [1, { b: 2 }], e: [] }, null, 2), q: JSON.stringify("x"), n: JSON.stringify(1e21), u: JSON.stringify(undefined) === undefined }
//----
try { JSON.parse("{bad"); return { r: 1 } } catch (e) { return { r: 2, name: e.name } }
//----
function fact(n) { return n <= 1 ? 1 : n * fact(n - 1); }
const even = n => n === 0 ? true : odd(n - 1);
const odd = function (n) { return n === 0 ? false : even(n - 1); };
return { r: fact(10), e: even(10), o: odd(7) }
//----
const add = (x, y = 10, ...more) => x + y + more.length;
return { r: [add(1), add(1, 2), add(1, undefined, 3, 4), add(...[1, 2, 3])] }
//----
const fns = [];
for (let i = 0; i < 3; i++) fns.push(() => i);
return { r: fns.map(f => f()) }
//----
const makers = [];
for (const x of [1, 2]) { makers.push(y => x * y); }
return { r: makers.map(m => m(10)) }
//----
let x = 5; const y = x++ + ++x; x **= 2; x -= 1; x %= 7; let z = null; z ??= 4; z ||= 9; z &&= z + 1;
return { x, y, z }
//----
const o = { n: 1, list: [1] }; o.n += 2; o["m"] = o.n++; o.list[0]++; o.list[1] = 7; delete o.n; const k = "dyn"; o[k + 1] = { [k]: true };
return { o, has: "m" in o, not: "zz" in o, at: 1 in o.list }
//----
switch (inputs.a) { case 1: case 2: return { r: "low" }; case 3: { return { r: "three" } } default: return { r: "other" } }
//----
let r; switch (inputs.s) { case "x": r = 1; break; default: r = 2 }
return { r }
//----
const r = []; for (const v of [1, "1", null, "x"]) { switch (v) { case 1: r.push("n"); break; case "1": r.push("s"); break; case undefined: r.push("u"); break; default: r.push("d"); } }
return { r }
//----
throw new Error("it broke: " + inputs.a)
//----
throw "words"
//----
function check(v) { if (v > 2) throw new TypeError(`too large: ${v}`); return v }
const out = [];
for (const v of [1, 5, 2]) { try { out.push(check(v)); } catch (e) { out.push(e.name + "|" + e.message); } }
return { out }
//----
return { r: inputs.n.x }
//----
return { r: inputs.o.deep.er[1].z, s: inputs.o?.nope?.more.things, t: inputs.nope?.[0], f: inputs.nope?.(), c: inputs.o.deep?.er?.[0] }
//----
return { r: [1, [2, [3, [4]]]].flat(), all: [1, [2, [3, [4]]]].flat(Infinity), fm: [1, 2].flatMap(x => [x, x * 2]), rev: [1, 2, 3].reverse(), sp: [1, 2, 3, 4].splice(1, 2), inc: [1, NaN].includes(NaN), idx: [NaN].indexOf(NaN), con: [1].concat([2], 3, [[4]]), fill: new_().fill(0) };
function new_() { return [1, 2] }
//----
const q = [1, 2, 3]; const p = q.pop(), s = q.shift(), u = q.unshift(8, 9), l = q.push(4, 5); const gone = q.splice(1, 1, "a", "b");
return { q, p, s, u, l, gone, len: q.length }
//----
return { r: [Math.max(...inputs.list), Math.min(), Math.round(2.5), Math.round(-2.5), Math.round(-0.2), Math.floor(-1.5), Math.ceil(1.2), Math.trunc(-1.7), Math.abs("-3"), Math.sqrt(16), Math.pow(2, 10), Math.sign(-3), Math.PI, Math.max(1, NaN)] }
//----
return { r: [(1.005).toFixed(2), (2.5).toFixed(0), (1.45).toFixed(1), (10).toFixed(2), (0.000001).toFixed(7), (-1.5).toFixed(0), (1e21).toFixed(2), 0.1 + 0.2, 1 / 3, 1e21 + "", 1e-7 + "", 123456789012345680000 + "", 5e-324 + "", 100 + "", -0 + "", 0.1.toString()] }
//----
return { r: [parseInt("12px"), parseInt("0x1F"), parseInt("101", 2), parseInt("z", 36), parseInt(""), parseFloat("3.14abc"), parseFloat(".5"), Number("12e2"), Number(" "), Number("1,2"), Number([]), Number([5]), Number({}), Number(true), isNaN("x"), isFinite("5"), Number.isInteger(5.0), Number.isInteger("5"), ["1", "2", "3"].map(Number), ["1", "2", "3"].map(parseInt)].map(v => typeof v === "number" && isNaN(v) ? "NaN" : v) }
//----
return { r: [Object.entries({ a: 1, b: 2 }), Object.values({ a: 1 }), Object.fromEntries([["x", 1], ["y", 2]]), Object.assign({}, { a: 1 }, null, { b: 2 }), { ...{ a: 1 }, a: 2 }, Array.isArray([]), Array.isArray({}), Array.from({ length: 3 }, (_, i) => i * i), Array.from("abc"), Array.of(1, 2)] }
//----
return { r: [typeof 1, typeof "x", typeof null, typeof undefined, typeof {}, typeof [], typeof (() => 1), typeof nothing_there] }
//----
return { r: [[1, 2] + "", {} + "", [1, [2, 3]].toString(), [null, undefined, 1].join("-"), String([1, 2]), `${[1]}`, String(null), (5).toString(), true + 1, "5" * "2", "5" + 2, 5 + null, [] == false, null == undefined, null == 0, "1" == 1, NaN == NaN, [1] == 1] }
//----
const words = inputs.s.split(" "); const counts = {};
for (const w of words) { const k = w.toLowerCase(); counts[k] = (counts[k] || 0) + 1; }
const top = Object.entries(counts).map(([word, n]) => ({ word, n })).sort((x, y) => y.n - x.n || (x.word < y.word ? -1 : 1));
console.log(top);
return { top, total: Object.values(counts).reduce((s, n) => s + n, 0) }
//----
if (!inputs.missing) { return { r: inputs.n === null ? "null" : "no" } } else if (inputs.a) return { r: 1 }
return { r: 2 }
//----
const out = []; outer_(); return { out }
function outer_() { for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j > i) break; out.push(i * 10 + j) } } }
//----
var a = 1; { var a = 2; let b = 3; { let b = 4; a += b } a += b }
return { a }
//----
let out = ""; for (let i = 0, n = 3; i < n; i += 1) { const s = i % 2 === 0 ? "e" : "o"; out += s }
return { out: out /* remark */ + 1 } // end
//----
const compose = (...fs) => x => fs.reduce((v, f) => f(v), x)
const inc = x => x + 1
const dbl = x => x * 2
return { r: compose(inc, dbl, inc)(3) }
//----
const obj = { name: "n", greet(who) { return "hi " + who }, arrow: (x) => x * 2, "quoted key": 1, 5: "five" };
return { r: [obj.greet("you"), obj.arrow(4), obj["quoted key"], obj[5], obj["5"]] }
//----
return { r: inputs.rows.some((r) => r.name === null) && inputs.list.length > 3 ? "yes" : "no", n: 1 < 2 && 2 < 3, m: 0 || "" || null || "last", k: 0 ?? 1, l: inputs.list.length && "has" }
//----
return inputs.rows.map(row => row.id)
//----
return "text"
//----
return { nested: { list: [[1, 2], [3]], f: undefined, nan: NaN, fn: () => 1 } }
//----
const r = []; const it = [1, 2, 3]; for (const x of it) { r.push(x); if (x === 1) it.push(4) }
return { r }
//----
"use strict";
const matrix = [[1, 2], [3, 4]];
return { r: matrix[0].map((_, c) => matrix.map(row => row[c])), sum: matrix.flat().reduce((p, c) => p + c) }
//----
const [x, y] = "ab"; let m = 1, n = 2; const swap = [n, m]; const { length } = inputs.list;
return { x, y, swap, length }
//----
let n = 27, steps = 0; while (n !== 1) { n = n % 2 === 0 ? n / 2 : 3 * n + 1; steps++ } return { steps }
//----
return { r: [].reduce((x, y) => x + y) }
//----
return { r: inputs.nope.length }
//----
return { r: inputs.s() }
