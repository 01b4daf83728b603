// The start page: templates, recent files, model set-up.

import { useCallback, useEffect, useState } from "react";
import { Button } from "../components/Button";
import { classes } from "../components/classes";
import emptyStyles from "../components/Empty.module.css";
import { Segmented, TextField } from "../components/fields";
import { Icon } from "../components/Icon";
import pageFrameStyles from "../components/PageFrame.module.css";
import searchListStyles from "../components/SearchList.module.css";
import { Skeletons } from "../components/Skeletons";
import skeletonsStyles from "../components/Skeletons.module.css";
import { newFlow, openTemplate } from "../document/files";
import { api, errorMessage } from "../ipc/client";
import type { TemplateInfo } from "../ipc/generated/bindings";
import { importWithDialog, openWithDialog } from "../shell/import/import";
import styles from "./Gallery.module.css";
import { ProviderColumn } from "./gallery/ProviderColumn";
import { StartColumn } from "./gallery/StartColumn";
import { TemplateCard } from "./gallery/TemplateCard";
import { useSearchKey } from "./use-search-key";

const CATEGORIES = [
  { value: "all", label: "All" },
  { value: "write", label: "Write" },
  { value: "research", label: "Research" },
  { value: "code", label: "Code" },
  { value: "data", label: "Data" },
] as const;

type Category = (typeof CATEGORIES)[number]["value"];

/**
 * Returns whether every word of the search occurs in the template's name, description or category. Case is
 * ignored.
 */
export function matches(
  template: Pick<TemplateInfo, "name" | "description" | "category">,
  search: string,
): boolean {
  const text = `${template.name} ${template.description} ${template.category}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function Gallery() {
  const [templates, setTemplates] = useState<readonly TemplateInfo[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [category, setCategory] = useState<Category>("all");
  const [search, setSearch] = useState("");
  const read = useCallback(() => {
    setFailure(null);
    api()
      .templates()
      .then(setTemplates, (error) => setFailure(errorMessage(error)));
  }, []);
  useEffect(read, [read]);
  useSearchKey("template-search");
  const shown = (templates ?? []).filter(
    (t) => (category === "all" || t.category === category) && matches(t, search),
  );
  const open = (t: TemplateInfo) => void openTemplate(t);
  const filtered = category !== "all" || search !== "";
  return (
    <div className={classes(pageFrameStyles.pageFrame, styles.galleryLayout)}>
      <StartColumn />
      <main className={styles.galleryMain}>
        <h1>Start with a loop</h1>
        <p>Each template opens ready to run. Most need no key.</p>
        <div className={styles.galleryBar}>
          <Segmented<Category>
            label="Category"
            value={category}
            options={CATEGORIES}
            onChange={setCategory}
          />
          <div className={classes(searchListStyles.searchBox, styles.search)}>
            <Icon name="search" />
            <TextField
              id="template-search"
              label="Search templates"
              type="search"
              bare
              placeholder="Search templates"
              value={search}
              onChange={setSearch}
            />
            {search === "" && <kbd>/</kbd>}
          </div>
        </div>
        {failure && (
          <div className={emptyStyles.empty} role="alert">
            <b>The templates could not be read</b>
            <span>{failure} Your files and runs are not affected.</span>
            <div className="row">
              <Button onClick={read}>Try again</Button>
              <Button onClick={() => void openWithDialog()}>Open file…</Button>
            </div>
          </div>
        )}
        {templates === null && !failure && <CardSkeletons />}
        {templates !== null && shown.length === 0 && !failure && (
          <div className={emptyStyles.empty}>
            <b>No template matches</b>
            <Button
              onClick={() => {
                setSearch("");
                setCategory("all");
              }}
            >
              Show all
            </Button>
          </div>
        )}
        <div className={styles.templateGrid}>
          {shown.map((t) => (
            <TemplateCard key={t.id} template={t} onOpen={() => open(t)} />
          ))}
          {/* The cards appear together with the templates. Otherwise the templates, when they arrive, would
              move the cards under the pointer. */}
          {!filtered && (templates !== null || failure !== null) && <BlankCards />}
        </div>
      </main>
      <ProviderColumn first={templates?.[0]} onOpen={open} />
    </div>
  );
}

function CardSkeletons() {
  return (
    <Skeletons label="Reading the templates">
      <div className={styles.templateGrid}>
        {["a", "b", "c", "d", "e", "f"].map((id) => (
          <i className={classes(skeletonsStyles.skeleton, styles.templateCard)} key={id} />
        ))}
      </div>
    </Skeletons>
  );
}

function BlankCards() {
  return (
    <>
      <button
        type="button"
        className={classes(styles.templateCard, styles.blank)}
        data-testid="template-blank"
        onClick={() => void newFlow()}
      >
        <Icon name="plus" size={20} />
        <b>Blank workflow</b>
        <span>An Input, a Loop, an Exit, an Output</span>
      </button>
      <div className={classes(styles.templateCard, styles.blank)}>
        <Icon name="folder-open" size={20} />
        <b>Bring your own</b>
        <span>A Loopwright file or plain JSON</span>
        <span className={classes(styles.choices, "row")}>
          <Button onClick={() => void openWithDialog()}>Open file…</Button>
          <Button onClick={() => void importWithDialog()}>Import…</Button>
        </span>
      </div>
    </>
  );
}
