// The prices of models, each with its date and source. A price that the user entered takes precedence over a
// built-in one.

import { useEffect, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { NumberField, TextField } from "../../components/fields";
import { tip } from "../../components/tip";
import { api, errorMessage } from "../../ipc/client";
import type { Price, PriceList } from "../../ipc/generated/bindings";
import { perMillion, usePrices } from "../../runs/inputs/prices";
import styles from "../SettingsPage.module.css";
import priceStyles from "./PriceTable.module.css";
import { addPrice, changePrice, type NewPrice, NO_PRICE, removePrice, toPrice } from "./prices";

export function PriceTable() {
  const [list, setList] = useState<PriceList | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [search, setSearch] = useState("");
  useEffect(() => {
    let wanted = true;
    api()
      .prices()
      .then(
        (found) => wanted && setList(found),
        (error) => wanted && setFailure(errorMessage(error)),
      );
    return () => {
      wanted = false;
    };
  }, []);
  const save = async (own: readonly Price[]) => {
    try {
      const saved = await api().savePrices([...own]);
      setList(saved);
      usePrices.setState({ list: saved.prices });
      setFailure(null);
      return true;
    } catch (error) {
      setFailure(errorMessage(error));
      return false;
    }
  };
  const prices = list?.prices ?? [];
  const own = prices.filter((price) => price.own);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = prices.filter((p) =>
    words.every((w) => `${p.provider} ${p.model}`.toLowerCase().includes(w)),
  );
  return (
    <>
      <h2 className={styles.settingsHeading} id="prices">
        Prices
        <small>dollars per million tokens</small>
      </h2>
      <section
        className={classes(cardStyles.card, styles.card, priceStyles.priceCard)}
        aria-labelledby="prices"
        data-testid="prices"
      >
        {failure !== null && (
          <p className={classes(priceStyles.failure, "text-error")} role="alert">
            {failure}
          </p>
        )}
        <OwnPrice onAdd={(price) => save(addPrice(own, price))} />
        <div className={priceStyles.search}>
          <TextField
            type="search"
            label="Search prices"
            placeholder={`Search ${prices.length} prices`}
            value={search}
            onChange={setSearch}
          />
        </div>
        <div className={priceStyles.scroll}>
          <table>
            <thead>
              <tr>
                <th scope="col">Model</th>
                <th scope="col">Input</th>
                <th scope="col">Cached</th>
                <th scope="col">Output</th>
                <th scope="col">As of</th>
                <th scope="col" aria-label="Change" />
              </tr>
            </thead>
            <tbody>
              {shown.map((price) => (
                <Row
                  key={`${price.own}:${price.provider}/${price.model}`}
                  price={price}
                  onChange={(change) => save(changePrice(own, price, change))}
                  onRemove={() => save(removePrice(own, price))}
                />
              ))}
            </tbody>
          </table>
          {list !== null && shown.length === 0 && <p className={formStyles.hint}>No price matches.</p>}
        </div>
        {list !== null && (
          <p className={classes(formStyles.hint, priceStyles.file)}>
            Prices change, so check the date. Your prices override the built-in ones and are saved in{" "}
            {list.file}. A name that ends in * covers all models whose names begin with the part before the *.
          </p>
        )}
      </section>
    </>
  );
}

type RowProps = {
  price: Price;
  onChange(change: Partial<Price>): Promise<boolean>;
  onRemove(): Promise<boolean>;
};

function Row({ price, onChange, onRemove }: RowProps) {
  const [editing, setEditing] = useState<NewPrice | null>(null);
  const name = `${price.provider}/${price.model}`;
  const finish = async () => {
    if (editing === null) return;
    const { input, cachedInput, output } = toPrice(editing);
    if (await onChange({ input, cachedInput, output })) setEditing(null);
  };
  return (
    <tr className={price.own ? priceStyles.own : undefined} data-testid={`price-${name}`}>
      <th scope="row">
        <span>{price.model}</span>
        <small>
          {price.provider}
          {price.own && ", your own"}
        </small>
      </th>
      {(["input", "cachedInput", "output"] as const).map((part) => (
        <td key={part}>
          {editing === null ? (
            perMillion(price[part])
          ) : (
            <NumberField
              label={`${part} of ${name}`}
              minimum={0}
              value={editing[part]}
              onChange={(value) => setEditing({ ...editing, [part]: value })}
            />
          )}
        </td>
      ))}
      <td>
        <span {...tip(price.source)}>{price.asOf}</span>
        <small {...tip(price.source)}>{price.source.replace(/^https?:\/\/(www\.)?/, "")}</small>
      </td>
      <td>
        <div className={classes(priceStyles.changes, "row")}>
          {editing === null ? (
            <>
              <IconButton
                icon="pencil"
                size={13}
                label={price.own ? `Change the price of ${name}` : `Set your own price for ${name}`}
                onClick={() => setEditing({ ...NO_PRICE, ...price })}
              />
              {price.own && (
                <IconButton
                  icon="trash-2"
                  size={13}
                  label={`Remove your price of ${name}`}
                  onClick={() => void onRemove()}
                />
              )}
            </>
          ) : (
            <>
              <IconButton icon="check" size={13} label="Save" onClick={() => void finish()} />
              <IconButton icon="x" size={13} label="Cancel" onClick={() => setEditing(null)} />
            </>
          )}
        </div>
      </td>
    </tr>
  );
}

function OwnPrice({ onAdd }: { onAdd(price: NewPrice): Promise<boolean> }) {
  const [price, setPrice] = useState<NewPrice>(NO_PRICE);
  const set = (change: Partial<NewPrice>) => setPrice((p) => ({ ...p, ...change }));
  const ready = price.provider.trim() !== "" && price.model.trim() !== "";
  return (
    <form
      className={priceStyles.ownPrice}
      aria-label="Your own price"
      onSubmit={(e) => {
        e.preventDefault();
        if (ready) void onAdd(price).then((added) => added && setPrice(NO_PRICE));
      }}
    >
      <TextField
        label="Provider"
        placeholder="openai"
        testId="own-provider"
        value={price.provider}
        onChange={(provider) => set({ provider })}
      />
      <TextField
        label="Model"
        placeholder="my-model or *"
        testId="own-model"
        value={price.model}
        onChange={(model) => set({ model })}
      />
      <NumberField
        label="Input"
        testId="own-input"
        minimum={0}
        placeholder="input"
        value={price.input}
        onChange={(input) => set({ input })}
      />
      <NumberField
        label="Output"
        testId="own-output"
        minimum={0}
        placeholder="output"
        value={price.output}
        onChange={(output) => set({ output })}
      />
      <Button type="submit" icon="plus" disabled={!ready} data-testid="own-add">
        Add
      </Button>
    </form>
  );
}
