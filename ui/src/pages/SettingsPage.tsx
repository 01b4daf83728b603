// Providers, models, budget, documents, theme. Every change is saved as it is made.
import { useEffect } from "react";
import { Button } from "../components/Button";
import { Icon } from "../components/Icon";
import { useDocument } from "../document/document";
import { useProviders } from "../runs/providers";
import { useSession } from "../session/session";
import { Preferences } from "./settings/Preferences";
import { ProviderRows } from "./settings/ProviderRows";
import "../inspector/form/form.css";
import "../inspector/inspector.css";
import "./pages-extra.css";

/** Back to where one came from: the editor with a document in hand, else the gallery. */
function leave(): void {
  const hasDocument = useDocument.getState().document.nodes.length > 0;
  useSession.getState().show(hasDocument ? "editor" : "gallery");
}

export function SettingsPage() {
  const { load, settings, failure } = useProviders();
  useEffect(() => void load(), [load]);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.key === "Escape" && !e.defaultPrevented) leave();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <div className="main">
      <main className="setmain" aria-label="Settings">
        <h1>Settings</h1>
        <div className="setlead">
          <span>
            Where prompts run, what a run may spend, and how the window looks. Changes are saved as you make
            them.
          </span>
          <Button onClick={leave}>
            Done <kbd>Esc</kbd>
          </Button>
        </div>
        {failure && (
          <p className="c-err setfail" role="alert">
            {failure}
          </p>
        )}
        <div className="setcol">
          <ProviderRows />
          <Trust />
        </div>
        <div className="setcol">{settings && <Preferences settings={settings} />}</div>
      </main>
    </div>
  );
}

function Trust() {
  return (
    <>
      <h2 className="set-h trusth">What goes where</h2>
      <div className="card trust">
        <div>
          <Icon name="lock" size={16} />
          <b>Keys</b>
          <span>Never written to a workflow file, a run or a log.</span>
        </div>
        <div>
          <Icon name="folder" size={16} />
          <b>Files and runs</b>
          <span>On this computer, in folders you choose.</span>
        </div>
        <div>
          <Icon name="globe" size={16} />
          <b>Prompts</b>
          <span>
            Sent only to the provider that a node uses, while it runs. The built-in one sends nothing.
          </span>
        </div>
      </div>
    </>
  );
}
