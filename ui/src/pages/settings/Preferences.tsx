// The right column of the settings: default model, budget, documents, theme.
import { Button } from "../../components/Button";
import { NumberField, Select, TextField } from "../../components/fields";
import { api, errorMessage } from "../../ipc/client";
import type { Settings } from "../../ipc/generated/bindings";
import { defaultProvider, useProviders } from "../../runs/providers";
import { useSession } from "../../session/session";
import { ThemePicture } from "./ThemePicture";

async function save(change: Partial<Settings>): Promise<void> {
  try {
    await useProviders.getState().save(change);
  } catch (error) {
    useSession
      .getState()
      .toast({ tone: "error", title: "The setting was not saved", detail: errorMessage(error) });
  }
}

export function Preferences({ settings }: { settings: Settings }) {
  return (
    <>
      <DefaultModel settings={settings} />
      <h2 className="set-h">Budget</h2>
      <div className="card pad">
        <div className="fr">
          <label htmlFor="budget">Stop a run at</label>
          <NumberField
            id="budget"
            minimum={0}
            unit="$"
            placeholder="no limit"
            value={settings.budgetUsd ?? null}
            onChange={(budgetUsd) => void save({ budgetUsd })}
          />
        </div>
        <p className="hint">
          Kept for later: this version knows no prices and stops no run at it. Built-in models cost nothing.
        </p>
      </div>
      <History settings={settings} />
      <Documents settings={settings} />
      <Theme settings={settings} />
    </>
  );
}

function DefaultModel({ settings }: { settings: Settings }) {
  const state = useProviders();
  const provider = defaultProvider(state);
  const models = provider?.models ?? [];
  return (
    <>
      <h2 className="set-h">Default model</h2>
      <div className="card pad">
        <div className="fr">
          <label htmlFor="default-provider">Provider</label>
          <Select
            wide
            id="default-provider"
            value={settings.provider ?? "auto"}
            options={[
              { value: "auto", label: "The first that is set up" },
              ...state.providers.map((p) => ({
                value: p.id,
                label: p.ready ? p.name : `${p.name}, ${p.status}`,
              })),
            ]}
            onChange={(id) => void save({ provider: id, model: null })}
          />
        </div>
        <div className="fr">
          <label htmlFor="default-model">Model</label>
          {models.length > 0 ? (
            <Select
              wide
              id="default-model"
              value={settings.model ?? ""}
              options={[
                { value: "", label: "as the node says" },
                ...models.map((m) => ({ value: m.id, label: m.name })),
              ]}
              onChange={(model) => void save({ model: model === "" ? null : model })}
            />
          ) : (
            <TextField
              wide
              mono
              id="default-model"
              value={settings.model ?? ""}
              placeholder="the server's name for it"
              onChange={(model) => void save({ model: model === "" ? null : model })}
            />
          )}
        </div>
        <p className="hint">Used where a node names no provider or model of its own.</p>
      </div>
    </>
  );
}

/** Megabytes. Choices and no field: a number that is being typed would be a smaller one at first. */
const ROOM = [100, 250, 500, 1000, 2000, 5000, 10_000];

function History({ settings }: { settings: Settings }) {
  const limit = settings.historyLimitMb ?? null;
  const sizes = limit === null || ROOM.includes(limit) ? ROOM : [...ROOM, limit].sort((a, b) => a - b);
  return (
    <>
      <h2 className="set-h">History</h2>
      <div className="card pad">
        <div className="fr">
          <label htmlFor="history-limit">Keep past runs up to</label>
          <Select
            id="history-limit"
            value={limit === null ? "" : String(limit)}
            options={[
              ...sizes.map((mb) => ({
                value: String(mb),
                label: mb < 1000 ? `${mb} MB` : `${mb / 1000} GB`,
              })),
              { value: "", label: "no limit" },
            ]}
            onChange={(mb) => void save({ historyLimitMb: mb === "" ? null : Number(mb) })}
          />
        </div>
        <p className="hint">
          Beyond that the oldest go that are over, when a run ends. One that waits or can be resumed stays.
        </p>
      </div>
    </>
  );
}

function Documents({ settings }: { settings: Settings }) {
  const pick = async () => {
    try {
      const folder = await api().pickFolder();
      if (folder !== null) await save({ documentsFolder: folder });
    } catch (error) {
      useSession
        .getState()
        .toast({ tone: "error", title: "No folder was chosen", detail: errorMessage(error) });
    }
  };
  return (
    <>
      <h2 className="set-h">Documents</h2>
      <div className="card pad">
        <div className="fr">
          <span>Folder to search</span>
          <span className="row">
            <Button small icon="folder-open" onClick={() => void pick()}>
              Choose…
            </Button>
            {settings.documentsFolder && (
              <Button small onClick={() => void save({ documentsFolder: null })}>
                Clear
              </Button>
            )}
          </span>
        </div>
        <p className="hint folder" title={settings.documentsFolder ?? undefined}>
          {settings.documentsFolder ?? "The collection that comes with the program."}
        </p>
      </div>
    </>
  );
}

const THEMES = [
  { value: "system", label: "Match system" },
  { value: "dark", label: "Dark" },
  { value: "light", label: "Light" },
] as const;

function Theme({ settings }: { settings: Settings }) {
  const theme = settings.theme ?? "system";
  return (
    <>
      <h2 className="set-h">Theme</h2>
      <div className="card pad">
        <div className="themes" role="radiogroup" aria-label="Theme">
          {THEMES.map((t) => (
            // biome-ignore lint/a11y/useSemanticElements: pictures as radio buttons.
            <button
              key={t.value}
              type="button"
              role="radio"
              aria-checked={theme === t.value}
              className={`theme${theme === t.value ? " on" : ""}`}
              data-testid={`theme-${t.value}`}
              onClick={() => void save({ theme: t.value })}
            >
              <ThemePicture theme={t.value} />
              {t.label}
            </button>
          ))}
        </div>
      </div>
    </>
  );
}
