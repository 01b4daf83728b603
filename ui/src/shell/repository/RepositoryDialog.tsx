// "Open a repository…": shows what was found in a folder, and creates a flow that repairs the project. The
// user can correct everything first. Nothing is run or approved at this point.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import dialogStyles from "../../components/Dialog.module.css";
import formStyles from "../../components/Form.module.css";
import { NumberField, Segmented, Stepper, TextField } from "../../components/fields";
import { LinesField } from "../../components/LinesField";
import { Message } from "../../components/Message";
import { Select } from "../../components/Select";
import { useModal } from "../../components/use-modal";
import { ModelSelect } from "../../inspector/form/widgets/ModelSelect";
import { ProviderSelect, useLoadedProviders } from "../../inspector/form/widgets/pickers";
import { errorMessage } from "../../ipc/client";
import type { Project, RepairField } from "../../ipc/generated/bindings";
import { escapeInvisible } from "../../kernels/visible";
import { agentChoices, installWords, isInstalled, useAgents } from "../../runs/inputs/agents";
import { defaultProvider } from "../../runs/inputs/providers";
import { testIds } from "../../testids";
import styles from "./RepositoryDialog.module.css";
import {
  closeRepository,
  firstAgent,
  firstChoice,
  makeRepairFlow,
  type Problems,
  proposedSetup,
  type RepairChoice,
  type SetupWay,
  useRepository,
} from "./store";

/** The entry in the list of agents that stands for a model. */
const MODEL = " model";

export function RepositoryDialog() {
  const { folder, project } = useRepository();
  const box = useRef<HTMLDialogElement>(null);
  useModal(box, folder);
  if (folder === null) return null;
  return (
    <dialog
      ref={box}
      className={classes(dialogStyles.question, styles.repository)}
      aria-labelledby="repository-title"
      data-testid={testIds.repositoryDialog}
      onCancel={(event) => {
        event.preventDefault();
        closeRepository();
      }}
    >
      <h2 id="repository-title">Repair a project until a command passes</h2>
      {project === null ? (
        <>
          <p className={styles.source} role="status">
            Looking at <code>{escapeInvisible(folder)}</code>…
          </p>
          <div className={classes(dialogStyles.choices, "row")}>
            <Button onClick={closeRepository}>Cancel</Button>
          </div>
        </>
      ) : (
        <RepositoryForm key={project.folder} project={project} />
      )}
    </dialog>
  );
}

function RepositoryForm({ project }: { project: Project }) {
  const agents = useAgents((s) => s.agents);
  const [choice, setChoice] = useState(() => firstChoice(project));
  /** Whether the user has chosen an agent or a model. Until then, the first installed agent is used. */
  const [hasChosen, setHasChosen] = useState(false);
  const [problems, setProblems] = useState<Problems>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const command = useRef<HTMLDivElement>(null);
  useEffect(() => command.current?.querySelector("input")?.focus(), []);
  const agent = hasChosen ? choice.agent : firstAgent(agents ?? []);
  const change = (part: Partial<RepairChoice>, ...fields: RepairField[]) => {
    setChoice((before) => ({ ...before, ...part }));
    setProblems((before) =>
      Object.fromEntries(Object.entries(before).filter(([field]) => !fields.includes(field as RepairField))),
    );
  };
  /**
   * Changes the command. The proposed set-up changes with it, unless the user has typed one, because another
   * command may need a different set-up.
   */
  const changeCommand = (next: string) => {
    const isProposed = choice.setup === proposedSetup(project, choice.command);
    const setup = proposedSetup(project, next);
    const part = isProposed && choice.setupWay !== "files" && setup !== choice.setup;
    const way: SetupWay = setup === "" ? "none" : choice.setup === "" ? "command" : choice.setupWay;
    change({ command: next, ...(part ? { setup, setupWay: way } : {}) }, "command", "setup");
  };
  const make = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const found = await makeRepairFlow(project, { ...choice, agent });
      setProblems(found);
      if (Object.keys(found).length > 0)
        requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus());
    } catch (error) {
      setFailure(errorMessage(error));
    }
    setBusy(false);
  };
  const refused = choice.base === "head" ? project.refusedHead : project.refusedWorking;
  const shown = { ...(refused === null ? {} : { base: refused }), ...problems };
  const isReady = !busy && agents !== null && choice.command.trim() !== "" && refused === null;
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void make();
      }}
    >
      <About project={project} />
      <div ref={command}>
        <CommandField
          project={project}
          value={choice.command}
          problem={problems.command}
          onChange={changeCommand}
        />
      </div>
      <RepairedBy
        choice={{ ...choice, agent }}
        problems={problems}
        onAgent={(next) => {
          setHasChosen(true);
          change({ agent: next }, "agent", "model");
        }}
        onModel={(part) => change(part, "model")}
      />
      <BaseField
        project={project}
        value={choice.base}
        problem={shown.folder ?? shown.base}
        onChange={(base) => change({ base }, "base", "folder")}
      />
      <SetupField
        project={project}
        choice={choice}
        problem={problems.setup}
        onChange={(part) => change(part, "setup")}
      />
      <ProtectField
        project={project}
        value={choice.protect}
        problem={problems.protect}
        onChange={(protect) => change({ protect }, "protect")}
      />
      <Row id="repository-iterations" title="Max iterations" problem={problems.maxIterations}>
        <Stepper
          id="repository-iterations"
          testId="repository-iterations"
          name="iterations"
          value={choice.maxIterations}
          minimum={1}
          onChange={(value) => change({ maxIterations: value ?? 1 }, "maxIterations")}
          {...markOf("repository-iterations", problems.maxIterations)}
        />
      </Row>
      <Row id="repository-budget" title="Budget" problem={problems.budgetUsd}>
        <NumberField
          id="repository-budget"
          testId="repository-budget"
          unit="dollars"
          placeholder="none"
          minimum={0}
          value={choice.budgetUsd}
          onChange={(budgetUsd) => change({ budgetUsd }, "budgetUsd")}
          {...markOf("repository-budget", problems.budgetUsd)}
        />
      </Row>
      {project.notes.map((note) => (
        <p key={note} className={styles.note}>
          <Message text={escapeInvisible(note)} />
        </p>
      ))}
      {failure !== null && (
        <p className={classes(styles.note, "text-error")} role="alert">
          {failure}
        </p>
      )}
      <p className={styles.note}>The flow opens unsaved. You approve what it uses when you run it.</p>
      <div className={classes(dialogStyles.choices, styles.end, "row")}>
        <Button onClick={closeRepository}>Cancel</Button>
        <Button variant="primary" type="submit" disabled={!isReady} data-testid={testIds.repositoryMake}>
          {" "}
          Create the flow
        </Button>
      </div>
    </form>
  );
}

/**
 * Returns the attributes that mark a control as invalid and refer to the problem below it; empty if there is
 * no problem.
 */
const markOf = (id: string, problem: string | undefined) =>
  problem === undefined ? {} : { invalid: true, describedBy: `${id}-problem` };

function Row({
  id,
  title,
  problem,
  children,
  below,
}: {
  id: string;
  title: string;
  problem?: string | undefined;
  children: ReactNode;
  /** The content shown below the control. */
  below?: ReactNode;
}) {
  return (
    <div className={styles.field}>
      <div className={formStyles.formRow}>
        <label htmlFor={id}>{title}</label>
        {children}
      </div>
      {below}
      {problem !== undefined && (
        <p id={`${id}-problem`} className={formStyles.fieldError} role="alert" data-testid={`${id}-problem`}>
          <Message text={escapeInvisible(problem)} />
        </p>
      )}
    </div>
  );
}

function About({ project }: { project: Project }) {
  const { isRepository, branch, hasChanges, folder } = project;
  return (
    <p className={styles.source} data-testid="repository-about">
      <code>{escapeInvisible(folder)}</code>
      {isRepository
        ? `, ${branch === null ? "no branch is checked out" : `branch ${escapeInvisible(branch)}`}${hasChanges ? ", with uncommitted changes" : ""}. The loop works in a private copy.`
        : ". This folder is not a git repository. The loop works in a copy of its files."}
    </p>
  );
}

function CommandField({
  project,
  value,
  problem,
  onChange,
}: {
  project: Project;
  value: string;
  problem: string | undefined;
  onChange(command: string): void;
}) {
  const id = "repository-command";
  const { commands } = project;
  return (
    <Row
      id={id}
      title="Command that must pass"
      problem={problem}
      below={
        commands.length === 0 ? (
          <p className={formStyles.hint}>
            No command was found in this folder. Enter the command that must pass.
          </p>
        ) : (
          <fieldset className={styles.found} aria-label="Commands that were found">
            {commands.map(({ command, file }) => (
              <Button
                key={command}
                small
                aria-pressed={command === value.trim()}
                data-testid="repository-found"
                onClick={() => onChange(command)}
              >
                <code>{escapeInvisible(command)}</code>
                <span>{escapeInvisible(file)}</span>
              </Button>
            ))}
          </fieldset>
        )
      }
    >
      <TextField
        id={id}
        testId={id}
        mono
        wide
        className={styles.wide}
        placeholder="npm test"
        value={value}
        onChange={onChange}
        {...markOf(id, problem)}
      />
    </Row>
  );
}

function RepairedBy({
  choice,
  problems,
  onAgent,
  onModel,
}: {
  choice: RepairChoice;
  problems: Problems;
  onAgent(agent: string | null): void;
  onModel(part: Partial<RepairChoice>): void;
}) {
  const { agents, failure } = useAgents();
  const providers = useLoadedProviders();
  const id = "repository-agent";
  const chosen = agents?.find(({ name }) => name === choice.agent);
  const byModel = { value: MODEL, label: "A model", title: "reads and edits the files itself" };
  const provider =
    providers.providers.find((one) => one.id === choice.provider) ?? defaultProvider(providers);
  return (
    <>
      <Row
        id={id}
        title="Agent"
        problem={problems.agent}
        below={
          <>
            {chosen !== undefined && !isInstalled(chosen) && (
              <p className={formStyles.hint}>
                <Message text={installWords(chosen)} />
              </p>
            )}
            {agents !== null && firstAgent(agents) === null && (
              <p className={formStyles.hint} data-testid="repository-no-agent">
                No agent is installed, so a model makes the repairs. It reads and edits the files of the copy,
                but runs no programs.
              </p>
            )}
            {failure !== null && <p className={classes(formStyles.hint, "text-error")}>{failure}</p>}
          </>
        }
      >
        <Select
          id={id}
          testId={id}
          wide
          className={styles.wide}
          disabled={agents === null}
          value={agents === null ? "" : (choice.agent ?? MODEL)}
          lead={agents === null ? [{ value: "", label: "Looking for agents…" }] : []}
          options={[...agentChoices(agents ?? []), byModel]}
          onChange={(next) => onAgent(next === MODEL ? null : next)}
          {...markOf(id, problems.agent)}
        />
      </Row>
      {agents !== null && choice.agent === null && (
        <>
          <Row id="repository-provider" title="Provider">
            <ProviderSelect
              id="repository-provider"
              testId="repository-provider"
              value={choice.provider}
              onChange={(next) => onModel({ provider: next, model: "" })}
            />
          </Row>
          <Row id="repository-model" title="Model" problem={problems.model}>
            <ModelSelect
              id="repository-model"
              testId="repository-model"
              provider={provider}
              value={choice.model}
              fallback="default model"
              placeholder={providers.settings?.model ?? "default model"}
              onChange={(model) => onModel({ model })}
              {...markOf("repository-model", problems.model)}
            />
          </Row>
        </>
      )}
    </>
  );
}

function BaseField({
  project,
  value,
  problem,
  onChange,
}: {
  project: Project;
  value: RepairChoice["base"];
  problem: string | undefined;
  onChange(base: RepairChoice["base"]): void;
}) {
  if (!project.isRepository && problem === undefined) return null;
  const isLeftOut = value === "head" && project.hasChanges && problem === undefined;
  return (
    <div className={styles.field}>
      <div className={formStyles.formRow}>
        <span>The copy starts from</span>
        <Segmented<RepairChoice["base"]>
          small
          label="The copy starts from"
          {...(problem === undefined ? {} : { describedBy: "repository-base-problem" })}
          value={value}
          options={[
            { value: "head", label: "The last commit" },
            { value: "working", label: "With uncommitted files" },
          ]}
          onChange={onChange}
        />
      </div>
      {isLeftOut && <p className={formStyles.hint}>Your uncommitted changes are not in the copy.</p>}
      {problem !== undefined && (
        <p
          id="repository-base-problem"
          className={formStyles.fieldError}
          role="alert"
          data-testid="repository-base-problem"
        >
          <Message text={escapeInvisible(problem)} />
        </p>
      )}
    </div>
  );
}

function SetupField({
  project,
  choice,
  problem,
  onChange,
}: {
  project: Project;
  choice: RepairChoice;
  problem: string | undefined;
  onChange(part: Partial<RepairChoice>): void;
}) {
  const { file, commands, copy, proposed } = project.setup;
  const { setupWay, setup } = choice;
  const ways: { value: SetupWay; label: string }[] = [
    ...(file === null ? [] : [{ value: "files" as const, label: `As in ${file}` }]),
    { value: "command", label: "By a command" },
    { value: "none", label: "Not at all" },
  ];
  const found = [proposed, ...project.commands.map((one) => one.setup)].find((one) => one?.command === setup);
  return (
    <>
      <Row
        id="repository-setup-way"
        title="Set up the copy"
        below={
          <>
            {setupWay === "files" && (
              <ul className={styles.commands} aria-label="Commands of the set-up file">
                {commands.map((command, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the commands of a file do not change.
                  <li key={i}>
                    <code>{escapeInvisible(command)}</code>
                  </li>
                ))}
              </ul>
            )}
            {setupWay !== "none" && copy.length > 0 && (
              <p className={formStyles.hint}>
                Ignored files that are copied: {escapeInvisible(copy.join(", "))}
              </p>
            )}
            {setupWay === "none" && proposedSetup(project, choice.command) !== "" && (
              <p className={formStyles.hint}>
                The copy does not contain the project's dependencies, because git ignores them.
              </p>
            )}
          </>
        }
      >
        <Select<SetupWay>
          id="repository-setup-way"
          testId="repository-setup-way"
          wide
          className={styles.wide}
          value={setupWay}
          options={ways}
          onChange={(way) => onChange({ setupWay: way })}
        />
      </Row>
      {setupWay === "command" && (
        <Row
          id="repository-setup"
          title="Set-up command"
          problem={problem}
          below={
            found && (
              <p className={formStyles.hint}>Installs the dependencies of {escapeInvisible(found.file)}.</p>
            )
          }
        >
          <TextField
            id="repository-setup"
            testId="repository-setup"
            mono
            wide
            className={styles.wide}
            placeholder="npm ci"
            value={setup}
            onChange={(next) => onChange({ setup: next })}
            {...markOf("repository-setup", problem)}
          />
        </Row>
      )}
    </>
  );
}

function ProtectField({
  project,
  value,
  problem,
  onChange,
}: {
  project: Project;
  value: readonly string[];
  problem: string | undefined;
  onChange(protect: readonly string[]): void;
}) {
  const id = "repository-protect";
  const offered = project.protect.filter((pattern) => !value.includes(pattern));
  return (
    <Row
      id={id}
      title="Protected files"
      problem={problem}
      below={
        <>
          {offered.length > 0 && (
            <fieldset className={styles.found} aria-label="Folders with tests">
              {offered.map((pattern) => (
                <Button
                  key={pattern}
                  small
                  icon="plus"
                  data-testid="repository-offered"
                  onClick={() => onChange([...value, pattern])}
                >
                  <code>{escapeInvisible(pattern)}</code>
                </Button>
              ))}
            </fieldset>
          )}
          <p className={formStyles.hint}>
            Restored before each check, so that the agent cannot pass by changing the tests.
          </p>
        </>
      }
    >
      <span className={styles.lines}>
        <LinesField
          id={id}
          testId={id}
          value={value}
          placeholder="none"
          onChange={onChange}
          {...(problem === undefined ? {} : { describedBy: `${id}-problem` })}
        />
      </span>
    </Row>
  );
}
