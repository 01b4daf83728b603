// Shows the facts of a request, each as a label with its values.
import type { RequestFact } from "../../ipc/generated/bindings";
import { escapeInvisible } from "../../kernels/visible";
import styles from "./AnswerForm.module.css";

export function Facts({ facts }: { facts: readonly RequestFact[] }) {
  return (
    <dl className={styles.facts} data-testid="request-facts">
      {facts.map(({ label, values }) => (
        <div key={label}>
          <dt>{label}</dt>
          {values.map((value, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an argument may occur twice, and the order is fixed.
            <dd key={i}>
              <code>{escapeInvisible(value)}</code>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}
