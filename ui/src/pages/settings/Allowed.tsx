// Lists what each flow is allowed to use, with buttons to revoke it: hosts, folders, programs, servers, keys.

import { useCallback, useEffect, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Icon } from "../../components/Icon";
import { tip } from "../../components/tip";
import { api, errorMessage } from "../../ipc/client";
import type { TrustedFlow } from "../../ipc/generated/bindings";
import { plural } from "../../runs/words/format";
import { itemOf, KINDS } from "../../trust/words";
import monoTileStyles from "../MonoTile.module.css";
import styles from "../SettingsPage.module.css";
import allowedStyles from "./Allowed.module.css";
import rowStyles from "./SettingsRows.module.css";

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
      <h2 className={styles.settingsHeading}>
        What was allowed
        {flows !== null && (
          <span>{plural(flows.filter(({ flow }) => flow !== "settings").length, "flow")}</span>
        )}
      </h2>
      <div className={classes(cardStyles.card, styles.card, rowStyles.table)} data-testid="allowed">
        {failure !== null && (
          <p className={classes(rowStyles.padded, "text-error")} role="alert">
            {failure}
          </p>
        )}
        {flows?.map((flow) => (
          <FlowRow key={flow.flow} flow={flow} takeBack={(item) => void takeBack(flow.flow, item)} />
        ))}
        {flows?.length === 0 && (
          <p className={classes(formStyles.hint, rowStyles.padded)}>
            Nothing is allowed yet. A flow that would use a resource outside Loopwright asks before its first
            run.
          </p>
        )}
      </div>
      <p className={classes(formStyles.hint, styles.footnote)}>
        If you revoke a permission, the flow asks for it again before its next run. Active runs keep what you
        allowed them.
      </p>
    </>
  );
}

/** Describes how a flow is identified. A flow without a file is identified by its content. */
function knownAs(flow: string): string {
  if (flow === "settings") return "MCP servers that Settings may start to list their tools";
  return flow.startsWith("content:") ? "Not saved in a file; identified by its content" : flow;
}

function FlowRow({ flow, takeBack }: { flow: TrustedFlow; takeBack(item: string | null): void }) {
  const name = flow.name || "A flow without a name";
  return (
    <section
      className={classes(rowStyles.settingsRow, allowedStyles.flow)}
      aria-label={name}
      data-testid={`allowed-${name}`}
    >
      <span className={monoTileStyles.monoTile}>
        <Icon name="shield-check" size={16} />
      </span>
      <div>
        <b>{name}</b>
        <small className={rowStyles.shown} {...tip(flow.flow)}>
          {knownAs(flow.flow)}
        </small>
      </div>
      <Button small onClick={() => takeBack(null)}>
        Revoke all
      </Button>
      <ul className={allowedStyles.allowed}>
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
