// Lists what each flow is allowed to use, with buttons to revoke it: hosts, folders, programs, servers, keys.

import { useCallback, useEffect, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Icon } from "../../components/Icon";
import { api, errorMessage } from "../../ipc/client";
import type { TrustedFlow } from "../../ipc/generated/bindings";
import { plural } from "../../runs/words/format";
import { itemOf, KINDS } from "../../trust/words";
import "./tools/tools.css";
import { tip } from "../../components/tip";

export function Allowed() {
  const [flows, setFlows] = useState<readonly TrustedFlow[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const read = useCallback(async () => {
    try {
      setFlows(await api().trustedFlows());
      setFailure(null);
    } catch (error) {
      setFailure(errorMessage(error));
    }
  }, []);
  useEffect(() => void read(), [read]);
  const takeBack = async (flow: string, item: string | null) => {
    try {
      await api().revokeGrants(flow, item);
      await read();
    } catch (error) {
      setFailure(errorMessage(error));
    }
  };
  return (
    <>
      <h2 className="settings-heading">
        What was allowed
        {flows !== null && (
          <span>{plural(flows.filter(({ flow }) => flow !== "settings").length, "flow")}</span>
        )}
      </h2>
      <div className="card settings-table" data-testid="allowed">
        {failure !== null && (
          <p className="text-error padded" role="alert">
            {failure}
          </p>
        )}
        {flows?.map((flow) => (
          <FlowRow key={flow.flow} flow={flow} takeBack={(item) => void takeBack(flow.flow, item)} />
        ))}
        {flows?.length === 0 && (
          <p className={classes(formStyles.hint, "hint padded")}>
            Nothing yet. A flow that would use something outside Loopwright asks before its first run.
          </p>
        )}
      </div>
      <p className={classes(formStyles.hint, "hint")}>
        If you revoke something, the flow asks for it again before its next run. Active runs keep what you
        allowed them.
      </p>
    </>
  );
}

/** Describes how a flow is identified. A flow without a file is identified by its content. */
function knownAs(flow: string): string {
  if (flow === "settings") return "MCP servers that Settings starts to list their tools";
  return flow.startsWith("content:") ? "Not saved in a file; identified by its content" : flow;
}

function FlowRow({ flow, takeBack }: { flow: TrustedFlow; takeBack(item: string | null): void }) {
  const name = flow.name || "A flow without a name";
  return (
    <section className="settings-row allowed-flow" aria-label={name} data-testid={`allowed-${name}`}>
      <span className="mono-text">
        <Icon name="shield-check" size={16} />
      </span>
      <div>
        <b>{name}</b>
        <small className="shown" {...tip(flow.flow)}>
          {knownAs(flow.flow)}
        </small>
      </div>
      <Button small onClick={() => takeBack(null)}>
        Revoke all
      </Button>
      <ul className="allowed">
        {flow.items.map(([item, at]) => (
          <ItemRow key={item} item={item} at={at} takeBack={() => takeBack(item)} />
        ))}
      </ul>
    </section>
  );
}

function ItemRow({ item, at, takeBack }: { item: string; at: string; takeBack(): void }) {
  const { kind, name } = itemOf(item);
  const words = kind === null ? null : KINDS[kind];
  return (
    <li {...tip(item)}>
      <Icon name={words?.icon ?? "shield-check"} size={14} />
      <span>
        {words && `${words.title}: `}
        <code>{name}</code>
      </span>
      <time dateTime={at}>
        {new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "long" })}
      </time>
      <IconButton icon="x" size={13} label={`Revoke ${name}`} onClick={takeBack} />
    </li>
  );
}
