// The content of each Settings section.

import type { ReactNode } from "react";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Icon } from "../../components/Icon";
import { Skeletons } from "../../components/Skeletons";
import type { Settings } from "../../ipc/generated/bindings";
import { ShortcutList } from "../../shell/ShortcutList";
import styles from "../SettingsPage.module.css";
import { About } from "./About";
import { Allowed } from "./Allowed";
import { Theme } from "./Appearance";
import { Budget } from "./Budget";
import { CanvasSection } from "./CanvasSection";
import { DefaultModel } from "./DefaultModel";
import { Documents, History } from "./FilesSection";
import { PriceTable } from "./PriceTable";
import { ProviderRows } from "./ProviderRows";
import { Retries } from "./Retries";
import { SpendingLimits } from "./SpendingLimits";
import { SharedStores } from "./stores/SharedStores";
import trustStyles from "./Trust.module.css";
import { Around, Servers } from "./tools/ToolsSection";
import type { SectionId } from "./topics";
import { Unattended } from "./Unattended";
import { Workspaces } from "./Workspaces";

interface Page {
  title: string;
  lead: string;
  wide?: boolean;
  left: (settings: Settings) => ReactNode;
  right?: (settings: Settings) => ReactNode;
}

const PAGES: Readonly<Record<SectionId, Page>> = {
  providers: {
    title: "Providers and keys",
    lead: "Where prompts run, what a run may spend, and how the window looks.",
    left: () => (
      <>
        <ProviderRows />
        <Trust />
      </>
    ),
    right: (settings) => (
      <>
        <DefaultModel settings={settings} />
        <Budget settings={settings} />
        <Theme settings={settings} />
      </>
    ),
  },
  runs: {
    title: "Runs and limits",
    lead: "What a run may spend. Workflows and loops can set their own limits.",
    left: (settings) => (
      <>
        <Budget settings={settings} />
        <SpendingLimits />
        <Retries settings={settings} />
        <Unattended settings={settings} />
        <PriceTable />
      </>
    ),
  },
  appearance: {
    title: "Appearance",
    lead: "How the window looks.",
    left: (settings) => <Theme settings={settings} />,
  },
  canvas: {
    title: "Canvas",
    lead: "How you move around a flow.",
    left: () => <CanvasSection />,
  },
  keyboard: {
    title: "Keyboard",
    lead: "Every command that has a shortcut. Single-letter shortcuts work while the canvas has the focus.",
    wide: true,
    left: () => (
      <>
        <div className={classes(cardStyles.card, styles.card, styles.padded)}>
          <ShortcutList heading="h2" />
        </div>
        <p className={classes(formStyles.hint, styles.footnote)}>
          <kbd>?</kbd> shows this list at any time.
        </p>
      </>
    ),
  },
  tools: {
    title: "MCP servers and tools",
    lead: "What flows can reach besides models: servers, agents, the web. Each flow asks before it uses one.",
    left: (settings) => <Servers settings={settings} />,
    right: (settings) => <Around settings={settings} />,
  },
  stores: {
    title: "Shared stores",
    lead: "Databases that hold the runs of several machines. These runs execute on workers. You watch and control them here.",
    left: () => <SharedStores />,
  },
  allowed: {
    title: "What is allowed",
    lead: "The programs, folders, addresses and keys that you allowed flows to use.",
    left: () => <Allowed />,
  },
  files: {
    title: "Files and history",
    lead: "Which folders flows may read, and how much history is kept.",
    left: (settings) => (
      <>
        <Documents settings={settings} />
        <History settings={settings} />
        <Workspaces />
        <Trust />
      </>
    ),
  },
  about: {
    title: "About",
    lead: "Loopwright, a visual editor for workflows that are built around loops.",
    left: () => <About />,
  },
};

export function SectionBody({ section, settings }: { section: SectionId; settings: Settings | null }) {
  const page = PAGES[section];
  return (
    <>
      <h1>{page.title}</h1>
      <p>{page.lead}</p>
      {settings === null ? (
        <Skeletons label="Reading the settings" lines={5} />
      ) : (
        <>
          <div className={classes(styles.settingsColumn, page.wide && styles.wide)}>
            {page.left(settings)}
          </div>
          {page.right && <div className={styles.settingsColumn}>{page.right(settings)}</div>}
        </>
      )}
    </>
  );
}

function Trust() {
  return (
    <>
      <h2 className={styles.settingsHeading}>What goes where</h2>
      <div className={classes(cardStyles.card, styles.card, trustStyles.trust)}>
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
            Sent only to the provider that a node uses, while it runs. The built-in provider sends nothing.
          </span>
        </div>
      </div>
    </>
  );
}
