// MCP servers, one row each: the command, the tools, and a form. A server starts only after the user has
// allowed its exact command.

import { useState } from "react";
import { Button, IconButton } from "../../../components/Button";
import cardStyles from "../../../components/Card.module.css";
import { classes } from "../../../components/classes";
import formStyles from "../../../components/Form.module.css";
import { Icon } from "../../../components/Icon";
import { tip } from "../../../components/tip";
import { errorMessage } from "../../../ipc/client";
import type { McpServer, McpStanding, Settings } from "../../../ipc/generated/bindings";
import { plural } from "../../../runs/words/format";
import { askQuestion } from "../../../session/dialog";
import monoTileStyles from "../../MonoTile.module.css";
import styles from "../../SettingsPage.module.css";
import rowStyles from "../SettingsRows.module.css";
import { ServerForm } from "./ServerForm";
import { draftOf, NO_SERVER, withServer } from "./servers";
import { useToolSetup } from "./store";

export function McpServers({ settings }: { settings: Settings }) {
  const standings = useToolSetup((s) => s.servers);
  const failure = useToolSetup((s) => s.failure);
  const [adding, setAdding] = useState(false);
  return (
    <>
      <h2 className={styles.settingsHeading}>
        MCP servers
        <span>{plural(settings.mcpServers.length, "server")}</span>
      </h2>
      <div className={classes(cardStyles.card, styles.card, rowStyles.table)} data-testid="mcp-servers">
        {failure !== null && (
          <p className={classes(rowStyles.padded, "text-error")} role="alert">
            {failure}
          </p>
        )}
        {settings.mcpServers.map((server, at) => (
          <ServerRow
            key={server.name}
            settings={settings}
            at={at}
            server={server}
            status={standings.find((one) => one.server === server.name) ?? null}
          />
        ))}
        {settings.mcpServers.length === 0 && !adding && (
          <p className={classes(formStyles.hint, rowStyles.padded)}>
            No servers yet. The tools of a server appear in the palette, each with its own form.
          </p>
        )}
        {adding ? (
          <div className={classes(rowStyles.settingsRow, rowStyles.open)}>
            <ServerForm
              id="new-server"
              start={NO_SERVER}
              onSave={async (server) => {
                await useToolSetup.getState().save(withServer(settings, null, server));
                setAdding(false);
              }}
              onCancel={() => setAdding(false)}
            />
          </div>
        ) : (
          <div className={rowStyles.addRow}>
            <Button small icon="plus" data-testid="add-server" onClick={() => setAdding(true)}>
              Add a server
            </Button>
          </div>
        )}
      </div>
      <p className={classes(formStyles.hint, styles.footnote)}>
        A server starts only after you allow its exact command, separately for each flow. It ends with the
        run. When its command or a tool's description changes, you are asked again.
      </p>
    </>
  );
}

interface RowProps {
  settings: Settings;
  at: number;
  server: McpServer;
  /** The status of the server; null until it is known. */
  status: McpStanding | null;
}

/** The state of the last probe; null before the first. */
type Looked = "looking" | { failure: string } | null;

function state(status: McpStanding | null, looked: Looked): { words: string; tone: string } {
  if (looked === "looking") return { words: "starting…", tone: "text-tertiary" };
  if (looked !== null) return { words: "did not start", tone: "text-error" };
  if (status?.tools) return { words: plural(status.tools.length, "tool"), tone: "text-ok" };
  return { words: "not connected", tone: "text-tertiary" };
}

function ServerRow({ settings, at, server, status }: RowProps) {
  const [open, setOpen] = useState(false);
  const [editing, setEditing] = useState(false);
  const [looked, setLooked] = useState<Looked>(null);
  const name = server.name ?? "";
  const look = async () => {
    if (status === null) return;
    setOpen(true);
    setLooked("looking");
    try {
      await useToolSetup.getState().look(status);
      setLooked(null);
    } catch (error) {
      setLooked({ failure: errorMessage(error) });
    }
  };
  const save = async (next: McpServer) => {
    await useToolSetup.getState().save(withServer(settings, at, next));
    setLooked(null);
    setEditing(false);
  };
  const { words, tone } = state(status, looked);
  return (
    <div
      className={classes(rowStyles.settingsRow, open && rowStyles.open)}
      data-testid={`server-row-${name}`}
    >
      <span className={monoTileStyles.monoTile}>
        <Icon name="plug" size={16} />
      </span>
      <div>
        <b>{name}</b>
        <small className={rowStyles.shown} {...tip(status?.shown)}>
          {status?.shown}
        </small>
      </div>
      <span className={classes(rowStyles.rowState, tone)} role="status">
        <Icon name={tone === "text-ok" ? "circle-check" : "circle-alert"} size={13} />
        {words}
      </span>
      <IconButton
        icon="chevron-down"
        size={15}
        label={open ? `Hide ${name}` : `Show ${name}`}
        aria-expanded={open}
        className={open ? rowStyles.turned : undefined}
        onClick={() => setOpen(!open)}
      />
      {open && editing && (
        <ServerForm
          id={`server-${name}`}
          start={draftOf(server)}
          onSave={save}
          onCancel={() => setEditing(false)}
        />
      )}
      {open && !editing && (
        <div className={rowStyles.settingsForm}>
          {looked !== null && looked !== "looking" && (
            <span className={classes(rowStyles.keyNote, "text-error")} role="alert">
              {looked.failure}
            </span>
          )}
          {status?.tools && <ToolList name={name} tools={status.tools} />}
          <span />
          <div className="row">
            <Button
              small
              icon="search"
              disabled={looked === "looking" || status === null}
              data-testid={`look-${name}`}
              onClick={() => void look()}
            >
              {looked === "looking" ? "Connecting…" : "Connect"}
            </Button>
            <Button small icon="pencil" onClick={() => setEditing(true)} data-testid={`edit-${name}`}>
              Edit
            </Button>
            <Button
              small
              icon="trash-2"
              data-testid={`remove-${name}`}
              onClick={() => void remove(settings, at, name)}
            >
              Remove
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

async function remove(settings: Settings, at: number, name: string): Promise<void> {
  const sure = await askQuestion({
    title: `Remove the server “${name}”?`,
    detail: `Flows that use its tools are not changed, but they cannot run until you add a server named “${name}” again.`,
    choices: [
      { label: "Remove", value: true, tone: "danger" },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });
  // If the settings refuse the change, a message over the page says so.
  if (sure)
    await useToolSetup
      .getState()
      .save(withServer(settings, at, null))
      .catch(() => undefined);
}

function ToolList({ name, tools }: { name: string; tools: readonly [string, string][] }) {
  return (
    <>
      <span className={rowStyles.top}>Tools</span>
      <ul className={rowStyles.models} data-testid={`tools-${name}`}>
        {tools.map(([tool, description]) => (
          <li key={tool}>
            <b>{tool}</b> {description}
          </li>
        ))}
      </ul>
    </>
  );
}
