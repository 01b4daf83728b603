// The form of an MCP server: a program with its arguments, or an address with header fields. The form refers
// to keys by name and never stores them.

import { useState } from "react";
import { Button } from "../../../components/Button";
import { classes } from "../../../components/classes";
import { Segmented, TextField } from "../../../components/fields";
import { LinesField } from "../../../components/LinesField";
import { TextListField } from "../../../components/TextListField";
import { api, errorMessage } from "../../../ipc/client";
import type { McpServer } from "../../../ipc/generated/bindings";
import rowStyles from "../SettingsRows.module.css";
import { type ServerDraft, type ServerTransport, serverOf } from "./servers";

interface FormProps {
  /** A prefix that distinguishes the ids of the fields of several forms. */
  id: string;
  start: ServerDraft;
  /** Saves the server. Rejects if the settings refuse it. */
  onSave(server: McpServer): Promise<void>;
  onCancel(): void;
}

const TRANSPORTS: readonly { value: ServerTransport; label: string }[] = [
  { value: "program", label: "Command" },
  { value: "address", label: "URL" },
];

export function ServerForm({ id, start, onSave, onCancel }: FormProps) {
  const [draft, setDraft] = useState(start);
  const [failure, setFailure] = useState<string | null>(null);
  const set = (change: Partial<ServerDraft>) => setDraft((d) => ({ ...d, ...change }));
  const save = async () => {
    const made = serverOf(draft);
    if ("error" in made) return setFailure(made.error);
    try {
      setFailure(null);
      await onSave(made.server);
    } catch (error) {
      setFailure(errorMessage(error));
    }
  };
  return (
    <form
      className={classes(rowStyles.settingsForm, rowStyles.toolForm)}
      data-testid={`${id}-form`}
      onSubmit={(e) => {
        e.preventDefault();
        void save();
      }}
    >
      <label htmlFor={`${id}-name`}>Name</label>
      <TextField
        id={`${id}-name`}
        testId={`${id}-name`}
        value={draft.name}
        placeholder="everything"
        onChange={(name) => set({ name })}
      />
      <span>Type</span>
      <Segmented<ServerTransport>
        small
        label="Connection to the server"
        value={draft.transport}
        options={TRANSPORTS}
        onChange={(transport) => set({ transport })}
      />
      {draft.transport === "program" ? (
        <ProgramFields id={id} draft={draft} set={set} />
      ) : (
        <AddressFields id={id} draft={draft} set={set} />
      )}
      {failure !== null && (
        <span className={classes(rowStyles.keyNote, "text-error")} role="alert">
          {failure}
        </span>
      )}
      <span />
      <div className="row">
        <Button small variant="primary" type="submit" data-testid={`${id}-save`}>
          Save
        </Button>
        <Button small onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

interface PartProps {
  id: string;
  draft: ServerDraft;
  set(change: Partial<ServerDraft>): void;
}

function ProgramFields({ id, draft, set }: PartProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const pick = async () => {
    try {
      const folder = await api().pickFolder();
      if (folder !== null) set({ cwd: folder });
    } catch (error) {
      setFailure(errorMessage(error));
    }
  };
  return (
    <>
      <label htmlFor={`${id}-command`}>Command</label>
      <TextField
        mono
        id={`${id}-command`}
        testId={`${id}-command`}
        value={draft.command}
        placeholder="npx"
        onChange={(command) => set({ command })}
      />
      <label htmlFor={`${id}-args`}>Arguments</label>
      <TextListField
        id={`${id}-args`}
        label="Argument"
        testId={`${id}-args`}
        value={draft.args}
        placeholder="-y"
        describedBy={`${id}-args-help`}
        onChange={(args) => set({ args })}
      />
      <span className={rowStyles.keyNote} id={`${id}-args-help`}>
        One argument per field. The command does not run in a shell.
      </span>
      <label htmlFor={`${id}-env`}>Variables</label>
      <LinesField
        id={`${id}-env`}
        testId={`${id}-env`}
        value={draft.env}
        placeholder="GITHUB_TOKEN"
        describedBy={`${id}-env-help`}
        onChange={(env) => set({ env })}
      />
      <span className={rowStyles.keyNote} id={`${id}-env-help`}>
        The names of the keys that the server receives as environment variables, one per line. It receives no
        others.
      </span>
      <label htmlFor={`${id}-cwd`}>Folder</label>
      <div className="row">
        <TextField
          mono
          wide
          id={`${id}-cwd`}
          testId={`${id}-cwd`}
          value={draft.cwd}
          placeholder="Loopwright's own folder"
          onChange={(cwd) => set({ cwd })}
        />
        <Button small icon="folder-open" onClick={() => void pick()}>
          Choose…
        </Button>
      </div>
      {failure !== null && (
        <span className={classes(rowStyles.keyNote, "text-error")} role="alert">
          {failure}
        </span>
      )}
    </>
  );
}

function AddressFields({ id, draft, set }: PartProps) {
  return (
    <>
      <label htmlFor={`${id}-url`}>Address</label>
      <TextField
        mono
        type="url"
        id={`${id}-url`}
        testId={`${id}-url`}
        value={draft.url}
        placeholder="http://localhost:8080/mcp"
        onChange={(url) => set({ url })}
      />
      <label htmlFor={`${id}-headers`}>Headers</label>
      <LinesField
        id={`${id}-headers`}
        testId={`${id}-headers`}
        value={draft.headers}
        placeholder="Authorization: MY_SERVER_KEY"
        describedBy={`${id}-headers-help`}
        onChange={(headers) => set({ headers })}
      />
      <span className={rowStyles.keyNote} id={`${id}-headers-help`}>
        One header per line, with the name of a key. The key itself is saved in the keychain.
      </span>
    </>
  );
}
