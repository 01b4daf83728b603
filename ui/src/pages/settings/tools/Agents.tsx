// The coding agents that the user adds to the built-in ones: the command, how a session is resumed, and the
// format of answers.

import { useState } from "react";
import { Button, IconButton } from "../../../components/Button";
import cardStyles from "../../../components/Card.module.css";
import { classes } from "../../../components/classes";
import { TextField } from "../../../components/fields";
import { Icon } from "../../../components/Icon";
import { LinesField } from "../../../components/LinesField";
import { TextListField } from "../../../components/TextListField";
import { errorMessage } from "../../../ipc/client";
import type { AgentRunner, Settings } from "../../../ipc/generated/bindings";
import monoTileStyles from "../../MonoTile.module.css";
import styles from "../../SettingsPage.module.css";
import rowStyles from "../SettingsRows.module.css";
import { useToolSetup } from "./store";

const NO_AGENT: AgentRunner = {
  name: "",
  command: "",
  args: [],
  resumeArgs: [],
  responseField: null,
  sessionField: null,
  env: [],
};

function withAgent(settings: Settings, at: number | null, agent: AgentRunner | null): Partial<Settings> {
  const agents = [...settings.agents];
  agents.splice(at ?? agents.length, at === null ? 0 : 1, ...(agent === null ? [] : [agent]));
  return { agents };
}

export function Agents({ settings }: { settings: Settings }) {
  /**
   * The index of the edited agent; null if none is edited. An index one past the last agent means a new one.
   */
  const [editing, setEditing] = useState<number | null>(null);
  const { agents } = settings;
  const save = async (at: number, agent: AgentRunner | null) => {
    await useToolSetup.getState().save(withAgent(settings, at < agents.length ? at : null, agent));
    setEditing(null);
  };
  return (
    <>
      <h2 className={styles.settingsHeading}>
        Agents
        <span>claude-code, codex and gemini are built in</span>
      </h2>
      <div className={classes(cardStyles.card, styles.card, rowStyles.table)} data-testid="agents">
        {agents.map((agent, at) => (
          <div className={classes(rowStyles.settingsRow, editing === at && rowStyles.open)} key={agent.name}>
            <span className={monoTileStyles.monoTile}>
              <Icon name="terminal" size={16} />
            </span>
            <div>
              <b>{agent.name}</b>
              <small className={rowStyles.shown}>{[agent.command, ...(agent.args ?? [])].join(" ")}</small>
            </div>
            <IconButton icon="pencil" size={14} label={`Edit ${agent.name}`} onClick={() => setEditing(at)} />
            <IconButton
              icon="trash-2"
              size={14}
              label={`Remove ${agent.name}`}
              onClick={() => void save(at, null).catch(() => undefined)}
            />
            {editing === at && (
              <AgentForm start={agent} onSave={(next) => save(at, next)} onCancel={() => setEditing(null)} />
            )}
          </div>
        ))}
        {editing === agents.length ? (
          <div className={classes(rowStyles.settingsRow, rowStyles.open)}>
            <AgentForm
              start={NO_AGENT}
              onSave={(next) => save(agents.length, next)}
              onCancel={() => setEditing(null)}
            />
          </div>
        ) : (
          <div className={rowStyles.addRow}>
            <Button small icon="plus" data-testid="add-agent" onClick={() => setEditing(agents.length)}>
              Add an agent
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

interface FormProps {
  start: AgentRunner;
  /** Saves the agent. Rejects if the settings refuse it. */
  onSave(agent: AgentRunner): Promise<void>;
  onCancel(): void;
}

/** The text fields and the list fields, with their hints. */
const TEXTS = [
  ["name", "Name", "my-agent"],
  ["command", "Command", "my-agent"],
  ["responseField", "Answer field", "result"],
  ["sessionField", "Session field", "session_id"],
] as const;
const ARGUMENTS = [
  [
    "args",
    "Arguments",
    "{prompt}",
    "One argument per field. {prompt} is replaced by the prompt. Without it, the prompt goes to standard input.",
  ],
  [
    "resumeArgs",
    "Resume arguments",
    "--resume {session}",
    "Added when a session is resumed, one argument per field. If empty, the agent cannot resume a session.",
  ],
] as const;

function AgentForm({ start, onSave, onCancel }: FormProps) {
  const [draft, setDraft] = useState(start);
  const [failure, setFailure] = useState<string | null>(null);
  const set = (change: Partial<AgentRunner>) => setDraft((d) => ({ ...d, ...change }));
  const save = async () => {
    try {
      setFailure(null);
      const orNone = (text: string | null | undefined) => text?.trim() || null;
      await onSave({
        ...draft,
        name: draft.name?.trim() ?? "",
        command: draft.command?.trim() ?? "",
        responseField: orNone(draft.responseField),
        sessionField: orNone(draft.sessionField),
      });
    } catch (error) {
      setFailure(errorMessage(error));
    }
  };
  return (
    <form
      className={classes(rowStyles.settingsForm, rowStyles.toolForm)}
      onSubmit={(e) => {
        e.preventDefault();
        void save();
      }}
    >
      {TEXTS.map(([field, label, example]) => (
        <Labelled key={field} id={`agent-${field}`} label={label}>
          <TextField
            mono
            id={`agent-${field}`}
            testId={`agent-${field}`}
            value={draft[field] ?? ""}
            placeholder={example}
            onChange={(text) => set({ [field]: text })}
          />
        </Labelled>
      ))}
      {ARGUMENTS.map(([field, label, example, help]) => (
        <Labelled key={field} id={`agent-${field}`} label={label} help={help}>
          <TextListField
            id={`agent-${field}`}
            label={label}
            testId={`agent-${field}`}
            value={draft[field] ?? []}
            placeholder={example}
            describedBy={`agent-${field}-help`}
            onChange={(texts) => set({ [field]: texts })}
          />
        </Labelled>
      ))}
      <Labelled
        id="agent-env"
        label="Variables"
        help="The names of the keys that the agent receives, one per line."
      >
        <LinesField
          id="agent-env"
          testId="agent-env"
          value={draft.env ?? []}
          placeholder="MY_AGENT_KEY"
          describedBy="agent-env-help"
          onChange={(env) => set({ env })}
        />
      </Labelled>
      {failure !== null && (
        <span className={classes(rowStyles.keyNote, "text-error")} role="alert">
          {failure}
        </span>
      )}
      <span />
      <div className="row">
        <Button small variant="primary" type="submit">
          Save
        </Button>
        <Button small onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

interface LabelledProps {
  id: string;
  label: string;
  help?: string;
  children: React.ReactNode;
}

function Labelled({ id, label, help, children }: LabelledProps) {
  return (
    <>
      <label htmlFor={id}>{label}</label>
      {children}
      {help && (
        <span className={rowStyles.keyNote} id={`${id}-help`}>
          {help}
        </span>
      )}
    </>
  );
}
