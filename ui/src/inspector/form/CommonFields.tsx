// The settings common to many kinds (a bypass, a timeout, retries), folded until one is opened or set.
import { useNodeProblems } from "../../document/analysis";
import { outermost, useDocument } from "../../document/document";
import type { FlowNode } from "../../ipc/generated/bindings";
import { retriesOf, retriesWords } from "../../runs/fold/retries";
import { useProviders } from "../../runs/inputs/providers";
import { Fold } from "./Fold";
import { problemsAt } from "./problems-at";
import { SettingsForm } from "./SettingsForm";
import type { FieldSpec } from "./schema";

const isOnByDefault = (field: FieldSpec): boolean => field.name === "type" && field.fallback !== "none";

/** Returns the retry field with a default of no retries, for a workflow that does not retry model calls. */
const withoutRetries = (field: FieldSpec): FieldSpec =>
  field.name === "retry"
    ? {
        ...field,
        fields: field.fields.map((one) => (one.name === "type" ? { ...one, fallback: "none" } : one)),
      }
    : field;

export function CommonFields({ node, fields }: { node: FlowNode; fields: readonly FieldSpec[] }) {
  const problems = useNodeProblems(node.id);
  const set = fields.filter((f) => node.data[f.name] !== undefined);
  const isRetried = fields.some((f) => f.name === "retry" && f.fields.some(isOnByDefault));
  const retries = useProviders((s) => s.settings);
  const byDefault = useDocument((s) => retriesOf(outermost(s).root, retries));
  const ownRetry = node.data.retry !== undefined;
  // The workflow's default takes precedence over the kind's.
  const shown = isRetried && byDefault === 0 && !ownRetry ? fields.map(withoutRetries) : fields;
  const notes = set.map((f) => f.title.toLowerCase());
  if (isRetried && !ownRetry) notes.push(retriesWords(byDefault));
  const wrong = fields.some((f) => problemsAt(problems, f.name).length > 0);
  return (
    <Fold title="More" note={notes.join(", ")} open={wrong || node.data.disabled === true}>
      <SettingsForm node={node} fields={shown} />
    </Fold>
  );
}
