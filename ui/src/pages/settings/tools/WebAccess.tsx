// The service used by `search.web`, and the proxy for tools.

import { useState } from "react";
import cardStyles from "../../../components/Card.module.css";
import { classes } from "../../../components/classes";
import formStyles from "../../../components/Form.module.css";
import { Select } from "../../../components/Select";
import type { Settings, WebEngine, WebSearch } from "../../../ipc/generated/bindings";
import styles from "../../SettingsPage.module.css";
import { SavedText } from "../SavedText";
import { useToolSetup } from "./store";

type Chosen = WebEngine | "none";

const ENGINES: readonly { value: Chosen; label: string }[] = [
  { value: "none", label: "None" },
  { value: "searxng", label: "SearXNG, your own server" },
  { value: "brave", label: "Brave Search" },
  { value: "tavily", label: "Tavily" },
];

const HELP: Readonly<Record<Chosen, string>> = {
  none: "Flows cannot search the web until a service is chosen.",
  searxng: "Needs the address of a server that returns results as JSON.",
  brave: "Needs the key BRAVE_API_KEY. Set it under Tool keys.",
  tavily: "Needs the key TAVILY_API_KEY. Set it under Tool keys.",
};

export function WebAccess({ settings }: { settings: Settings }) {
  const saved = settings.webSearch;
  // SearXNG needs an address. Until the user enters one, the choice is kept only in this component.
  const [waiting, setWaiting] = useState(false);
  const engine: Chosen = waiting ? "searxng" : (saved?.engine ?? "none");
  const save = (webSearch: WebSearch | null) => useToolSetup.getState().save({ webSearch });
  const choose = (chosen: Chosen) => {
    const isWaiting = chosen === "searxng";
    setWaiting(isWaiting);
    // If the settings refuse the change, a message over the page says so, and the previous value still
    // applies.
    if (!isWaiting)
      void save(chosen === "none" ? null : { engine: chosen, url: null }).catch(() => undefined);
  };
  return (
    <>
      <h2 className={styles.settingsHeading}>Web search</h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        <div className={formStyles.formRow}>
          <label htmlFor="web-engine">Service</label>
          <Select<Chosen>
            wide
            id="web-engine"
            testId="web-engine"
            value={engine}
            options={ENGINES}
            onChange={choose}
          />
        </div>
        {engine !== "none" && (
          <div className={formStyles.formRow}>
            <label htmlFor="web-address">Address</label>
            <SavedText
              id="web-address"
              saved={engine === saved?.engine ? (saved.url ?? "") : ""}
              placeholder={engine === "searxng" ? "http://localhost:8888" : "Default address of the service"}
              refused="The address was not saved"
              save={async (url) => {
                await save({ engine, url: url === "" ? null : url });
                setWaiting(false);
              }}
            />
          </div>
        )}
        <p className={formStyles.hint}>{HELP[engine]}</p>
      </div>
      <h2 className={styles.settingsHeading}>Proxy</h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        <div className={formStyles.formRow}>
          <label htmlFor="proxy">Proxy for tools</label>
          <SavedText
            id="proxy"
            saved={settings.proxy ?? ""}
            placeholder="no proxy"
            refused="The proxy was not saved"
            save={(proxy) => useToolSetup.getState().save({ proxy: proxy === "" ? null : proxy })}
          />
        </div>
        <p className={formStyles.hint}>HTTP_PROXY is ignored. Host names are resolved by the proxy.</p>
      </div>
    </>
  );
}
