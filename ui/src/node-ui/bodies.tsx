// A short body for each kind: the one or two settings that distinguish its nodes.
import { commandOf, joinCommand } from "../kernels/command-line";
import { plural } from "../runs/words/format";
import { LlmBody } from "./LlmBody";
import { ModelMenu } from "./ModelMenu";
import type { NodeBodyProps } from "./node-body";
import { Line, listOf, Preview, textOf } from "./Preview";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function OutputBody({ data }: NodeBodyProps) {
  const format = textOf(data.format) || "text";
  return <Line>{format === "json" ? "shown as JSON" : `shown as ${format}`}</Line>;
}

export function RouterBody(props: NodeBodyProps) {
  const { data } = props;
  const linesOf = (field: string) =>
    listOf(data.branches).flatMap((b) =>
      isObject(b) && textOf(b[field]).trim() !== "" ? [`${textOf(b.name)}: ${textOf(b[field])}`] : [],
    );
  if (data.mode === "llm") {
    const described = linesOf("description");
    if (described.length === 0) return <LlmBody {...props} />;
    return (
      <>
        <Preview text={described.join("\n")} />
        <ModelMenu node={props.id} data={data} />
      </>
    );
  }
  const rules = linesOf("when");
  if (rules.length > 0) return <Preview mono text={rules.join("\n")} />;
  return <Line>{data.mode === "pattern" ? "finds the branch name in the text" : "no rules yet"}</Line>;
}

export function TransformBody({ data }: NodeBodyProps) {
  const template = textOf(data.template);
  return template === "" ? <Line>no template yet</Line> : <Preview text={template} />;
}

export function ValidatorBody({ data }: NodeBodyProps) {
  const rules = listOf(data.rules);
  const parts = [
    data.schema ? "matches a schema" : "",
    rules.length > 0 ? plural(rules.length, "rule") : "",
  ].filter(Boolean);
  return <Line>{parts.length > 0 ? parts.join(", ") : "nothing to check yet"}</Line>;
}

/** Returns a program and its arguments in one line, as the form shows them; empty without a program. */
function commandLine({ program, args }: Readonly<Record<string, unknown>>): string {
  const command = commandOf(program, args);
  if (command !== null) return command.program === "" ? "" : joinCommand(command);
  return [textOf(program), typeof args === "string" ? args : ""].filter(Boolean).join(" ");
}

export function CheckBody({ data }: NodeBodyProps) {
  const command = commandLine(data);
  if (command === "") return <Line>no command yet</Line>;
  const report = textOf(data.report) || "auto";
  return (
    <>
      <Preview mono text={command} />
      <Line>
        {report === "none"
          ? "passes or fails by exit code"
          : report === "auto"
            ? "detects the report format"
            : `parses the output as ${report}`}
      </Line>
    </>
  );
}

export function ApprovalBody({ data }: NodeBodyProps) {
  const message = textOf(data.message);
  return message === "" ? <Line>asks a person</Line> : <Preview text={message} />;
}

export function IteratorBody({ data }: NodeBodyProps) {
  const at = typeof data.concurrency === "number" ? data.concurrency : 1;
  return <Line>{at === 1 ? "one at a time" : `${at} at a time`}</Line>;
}

export function AggregatorBody({ data }: NodeBodyProps) {
  const mode = textOf(data.mode) || "array";
  return <Line>{mode === "array" ? "as a list" : mode === "concat" ? "as one text" : "as one object"}</Line>;
}

export function ToolBody({ data }: NodeBodyProps) {
  const args = isObject(data.args) ? data.args : {};
  const command = data.tool === "command" ? commandLine(args) : "";
  const first = Object.entries(args).find(([, v]) => typeof v === "string" && v !== "");
  return (
    <>
      {command !== "" && <Preview mono text={command} />}
      {command === "" && first && <Preview text={String(first[1])} mono={first[0] === "source"} />}
      <Line>{textOf(data.tool) || "no tool chosen"}</Line>
    </>
  );
}

export function SubflowBody({ data }: NodeBodyProps) {
  const flow = isObject(data.flow) ? data.flow : null;
  const inside = flow && plural(listOf(flow.nodes).length, "node");
  return <Line>{textOf(data.ref) || (inside === null ? "no flow yet" : `${inside} inside`)}</Line>;
}
