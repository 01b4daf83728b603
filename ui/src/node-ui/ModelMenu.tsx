// The model of a node on its card: a menu of models with their prices and what must be set up to use them.
// The menu is created when it is first opened, since a flow may have hundreds of such cards.

import { useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { classes } from "../components/classes";
import { Icon } from "../components/Icon";
import { tip } from "../components/tip";
import { useDocument } from "../document/document";
import { setData } from "../document/edits";
import type { Json } from "../ipc/generated/bindings";
import { showSettings } from "../pages/settings/sections";
import {
  findModels,
  type ModelChoice,
  modelNeeds,
  nodeModelChoices,
  stateWords,
} from "../runs/inputs/model-choices";
import { usePrices } from "../runs/inputs/prices";
import { defaultProvider, useProviders } from "../runs/inputs/providers";
import { useSession } from "../session/session";
import { Menu, type MenuItem } from "../shell/Menu";
import { testIds } from "../testids";
import styles from "./ModelMenu.module.css";
import { lineLook, textOf } from "./Preview";

type Data = Readonly<Record<string, Json>>;

/** Returns the provider that a node names; null if it uses the default. */
function ownProvider(data: Data): string | null {
  const provider = textOf(data.provider);
  return provider === "" || provider === "auto" ? null : provider;
}

/** Returns the provider and model that the node uses, with the name of the model to show. */
function modelOf(data: Data, state: ReturnType<typeof useProviders.getState>) {
  const { providers } = state;
  const fallback = defaultProvider(state);
  const id = ownProvider(data) ?? fallback?.id ?? "builtin";
  const provider = providers.find((p) => p.id === id) ?? null;
  const model = id === "builtin" ? textOf(data.builtin) || textOf(data.model) : textOf(data.model);
  const name = provider?.models.find((m) => m.id === model)?.name ?? model;
  return { id, provider, model, name: name || "default model" };
}

/** Sets the provider and model of the node, as one undo step. */
function choose(node: string, choice: ModelChoice): void {
  const isBuiltin = choice.provider === "builtin";
  // The built-in model of the node is kept, for people without a provider.
  const fields: [string, Json][] = [
    ["provider", choice.provider === "" ? undefined : choice.provider],
    ["model", isBuiltin ? undefined : (choice.model ?? undefined)],
  ];
  if (isBuiltin && choice.model !== null) fields.push(["builtin", choice.model]);
  useDocument
    .getState()
    .edit(
      (document) => fields.reduce((flow, [field, value]) => setData(node, field, value)(flow), document),
      {
        label: "Change model",
      },
    );
}

async function refresh(): Promise<void> {
  const { providers, settings, load } = useProviders.getState();
  await Promise.all([settings === null ? load() : null, usePrices.getState().load()]);
  await findModels(providers);
}

function Face({ name, needs }: { name: string; needs: string | null }) {
  return (
    <>
      <Icon name="cpu" size={12} />
      <span>{name}</span> {needs !== null && <span className={styles.needs}>{needs}</span>}
      <Icon name="chevron-down" size={11} />
    </>
  );
}

export function ModelMenu({ node, data }: { node: string; data: Data }) {
  const { id, provider, model, name } = useProviders(useShallow((s) => modelOf(data, s)));
  const isFixed = useDocument((s) => s.suspended !== null);
  // Tab moves from card to card. Only in the selected card does it also reach the controls inside.
  const state = useSession((s) =>
    s.layout === "run" ? "run" : s.selection.nodes.has(node) ? "selected" : "",
  );
  const [used, setUsed] = useState(false);
  const needs = provider && !provider.ready ? stateWords(provider) : null;
  if (isFixed || state === "run") return <div className={lineLook}>{name}</div>;
  const label = `Model: ${[name, needs].filter(Boolean).join(" ")}`;
  const className = classes(styles.modelButton, "nodrag");
  const face = <Face name={name} needs={needs} />;
  return (
    <div className={styles.cardModel} data-testid={testIds.nodeModel(node)}>
      {used ? (
        <OpenMenu node={node} data={data} label={label} className={className} used={id} model={model}>
          {face}
        </OpenMenu>
      ) : (
        <button
          type="button"
          className={className}
          aria-label={label}
          aria-haspopup="menu"
          tabIndex={state === "selected" ? 0 : -1}
          aria-expanded="false"
          {...tip(provider ? modelNeeds(provider, model, usePrices.getState().list ?? []) : undefined)}
          onClick={() => {
            setUsed(true);
            void refresh();
          }}
        >
          {face}
        </button>
      )}
    </div>
  );
}

type OpenMenuProps = {
  node: string;
  data: Data;
  label: string;
  className: string;
  /** The name of the provider and model that the node currently uses. */
  used: string;
  model: string;
  children: React.ReactNode;
};

function OpenMenu({ node, data, label, className, used, model, children }: OpenMenuProps) {
  const providers = useProviders((s) => s.providers);
  const fallback = useProviders(defaultProvider);
  const settingsModel = useProviders((s) => s.settings?.model ?? null);
  const prices = usePrices((s) => s.list);
  const own = ownProvider(data);
  const choices = nodeModelChoices(providers, prices ?? [], fallback, settingsModel);
  const items: MenuItem[] = choices.map((choice) => ({
    ...choice,
    on:
      choice.provider === ""
        ? own === null && textOf(data.model) === ""
        : choice.provider === used &&
          (choice.model ?? "") === model &&
          !(own === null && textOf(data.model) === ""),
    run: () => (choice.isMissing ? showSettings("providers") : choose(node, choice)),
  }));
  items.push({
    id: "settings",
    label: "Providers and keys…",
    icon: "settings",
    group: "",
    run: () => showSettings("providers"),
  });
  return (
    <Menu label={label} className={className} items={items} onOpen={() => void refresh()} startsOpen>
      {children}
    </Menu>
  );
}
