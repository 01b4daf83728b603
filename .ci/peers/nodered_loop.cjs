// The compared loop in Node-RED without its editor: nodes and wires, and one message that circulates.
// Arguments: the work as JSON (`rounds`; `text`, with `{{count}}` and `{{total}}`; `store`, an empty folder),
// and the path of Node-RED.
const fs = require("node:fs");
const path = require("node:path");

const work = JSON.parse(process.argv[2]);
const RED = require(path.join(process.argv[3], "node_modules/node-red"));

const begun = {};
const stamps = {};

/** The functions that the function nodes call. These nodes have no other access to this program. */
const hooks = {
  begin: () => {
    begun.cpu = process.cpuUsage();
    begun.ms = performance.now();
  },
  stamp: (count) => {
    stamps[count] = performance.now();
  },
  end: (message) => {
    const ended = performance.now();
    const cpu = process.cpuUsage(begun.cpu);
    const answer = { ...message.last, text: message.payload, loopMs: ended - begun.ms };
    answer.loopCpuMs = (cpu.user + cpu.system) / 1000;
    if (work.rounds > 200) {
      answer.firstMs = stamps[100] - begun.ms;
      answer.lastMs = ended - stamps[work.rounds - 100];
    }
    process.stdout.write(JSON.stringify(answer), () => process.exit(0));
  },
};

const part = (id, type, wires, fields) => ({ id, type, z: "loop", x: 0, y: 0, wires, ...fields });
const code = (id, wires, func) => part(id, "function", wires, { func, outputs: wires.length, libs: [] });

const flow = [
  { id: "loop", type: "tab", label: "loop" },
  part("start", "inject", [["begin"]], { props: [], once: true, onceDelay: 0.1, repeat: "", crontab: "" }),
  code("begin", [["render"]], "global.get('begin')(); msg.count = 1; msg.total = 0; return msg;"),
  part("render", "template", [["pass"]], {
    field: "payload",
    fieldType: "msg",
    syntax: "mustache",
    template: work.text,
    output: "str",
  }),
  // The text is passed on unchanged; only the counters change for the next iteration.
  code(
    "pass",
    [["decide"]],
    `if (msg.count === 100 || msg.count === ${work.rounds - 100}) global.get('stamp')(msg.count);
msg.last = { count: msg.count, total: msg.total };
msg.total += msg.count;
msg.count += 1;
return msg;`,
  ),
  part("decide", "switch", [["end"], ["render"]], {
    property: "last.count",
    propertyType: "msg",
    rules: [{ t: "gte", v: String(work.rounds), vt: "num" }, { t: "else" }],
    checkall: "false",
    repair: false,
    outputs: 2,
  }),
  code("end", [], "global.get('end')(msg);"),
];

const file = path.join(work.store, "flow.json");
fs.writeFileSync(file, JSON.stringify(flow));
const silent = { console: { level: "off", metrics: false, audit: false } };
RED.init({
  userDir: work.store,
  flowFile: file,
  credentialSecret: false,
  httpAdminRoot: false,
  httpNodeRoot: false,
  disableEditor: true,
  telemetry: { enabled: false },
  logging: silent,
  functionGlobalContext: hooks,
});
RED.start();
