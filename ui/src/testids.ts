// The test ids that the end-to-end tests use. They are a contract: change one only together with its tests.
// Handles carry xyflow's own `data-handleid` and `data-nodeid`; wires carry `data-id` with the id of the
// edge.
export const testIds = {
  /** A palette entry; `id` is the kind's type, or the preset's id. */
  paletteItem: (id: string) => `palette-item-${id}`,
  /** A node card on the canvas. */
  node: (id: string) => `node-${id}`,
  /** The model on the card of a model node. */
  nodeModel: (id: string) => `node-model-${id}`,
  runButton: "run-button",
  /** The button that shows the next step that waits for a person. */
  waitingButton: "waiting-button",
  stopButton: "stop-button",
  saveButton: "save-button",
  validateButton: "validate-button",
  undoButton: "undo-button",
  redoButton: "redo-button",
  /** The badge "Iteration 3 / 5" over a Loop node, shown while the loop runs and afterwards. */
  loopBadge: (loopId: string) => `loop-badge-${loopId}`,
  /** "Retry" on a failed node. */
  retry: (id: string) => `retry-${id}`,
  /** The notice on a card about an answer that makes no progress, with "Retry now". */
  silent: (id: string) => `silent-${id}`,
  parked: (id: string) => `parked-${id}`,
  askAgain: (id: string) => `ask-again-${id}`,
  /** The badge "Iteration 3 / 5" on the Exit node. It also shows whether the Exit was reached. */
  exitBadge: (exitId: string) => `exit-badge-${exitId}`,
  /** A template card in the gallery. */
  template: (id: string) => `template-${id}`,
  /** The button that opens the first template with the model in use. */
  tryTemplate: "try-template",
  /** The one-click fix of a problem, by the problem's code. */
  problemFix: (code: string) => `problem-fix-${code}`,
  problem: (code: string) => `problem-${code}`,
  /** The answer buttons on the card of a waiting node. */
  approve: (nodeId: string) => `approve-${nodeId}`,
  reject: (nodeId: string) => `reject-${nodeId}`,
  /** The button that adds an entry to a list in a form. */
  addEntry: "add-entry",
  /** The changed files of a loop: in the inspector, and in a large view. */
  changes: "changes",
  changesDialog: "changes-dialog",
  changesOpen: "changes-open",
  changesFrom: "changes-from",
  changesTo: "changes-to",
  changesTotal: "changes-total",
  changedFiles: "changed-files",
  changedFile: "changed-file",
  /** The changes that an iteration made to files, in the timeline. */
  segmentFiles: (number: number) => `segment-files-${number}`,
  /** The changes to tests: those of an iteration, in the timeline, and those between the compared states. */
  segmentTests: (number: number) => `segment-tests-${number}`,
  changedTests: "changed-tests",
  /** The fullest prompt of an iteration, in the timeline, and the warning that the next one will not fit. */
  segmentContext: (number: number) => `segment-context-${number}`,
  contextWarning: "context-warning",
  /** The size of a step's prompt, in the inspector. */
  promptSize: "prompt-size",
  /**
   * The dialog that applies the result of a loop, with its buttons: the one that opens it, and the one that
   * applies.
   */
  applyButton: "apply-button",
  applyDialog: "apply-dialog",
  applyRun: "apply-run",
  /** The dialog that creates a flow for a project, and its button that creates the flow. */
  repositoryDialog: "repository-dialog",
  repositoryMake: "repository-make",
  canvas: "canvas",
  toast: "toast",
  /** All messages together. */
  toasts: "toasts",
  /** The list of commands. The element has the attribute `data-open` while it is shown. */
  commands: "commands",
  /** The Run or Stop button, with the cost. */
  runBox: "run-box",
  quickAdd: "quick-add",
  wireInsert: "wire-insert",
  /** The label of a feedback wire, and the label of a loop's hull. */
  wireLabel: "wire-label",
  hullTag: "hull-tag",
  /** The wire that was dropped on the empty canvas. */
  droppedWire: "dropped-wire",
  /** The sockets of a card: those inside it, and those below it. */
  ports: "ports",
  extraPorts: "extra-ports",
  /** The iteration in the header of a card. */
  iterationTag: "iteration-tag",
  /** The text of a running answer on its card. */
  stream: "stream",
  /** The current action of an agent, on its card. */
  activity: "activity",
  runParked: "run-parked",
  transcript: "transcript",
  noteText: "note-text",
  /** The bitmap that shows a large flow when it is zoomed out. */
  overviewBitmap: "overview-bitmap",
  /** The condition on the card of a loop. */
  exitTest: "exit-test",
  canvasMenu: "canvas-menu",
  findPanel: "find-panel",
  findResults: "find-results",
  historyPanel: "history-panel",
  group: (id: string) => `group-${id}`,
  renameBox: "rename-box",
  viewEdit: "view-edit",
  viewRuns: "view-runs",
  viewEvaluate: "view-evaluate",
  viewCosts: "view-costs",
  /** The Costs page. */
  costsTotal: "costs-total",
  costsLines: "costs-lines",
  costsExport: "costs-export",
  /** The page with the open questions of all runs, and the number of them in the status bar. */
  openQuestions: "open-questions",
  questionList: "question-list",
  questionRow: (runId: string, path: string) => `question-${runId}-${path}`,
  questionDetail: "question-detail",
  openAsking: "open-asking",
  approveAlike: "approve-alike",
  denyRest: "deny-rest",
  /** The bar of the Evaluate page. */
  evalOpen: "eval-open",
  evalNew: "eval-new",
  evalSave: "eval-save",
  evalExperiment: "eval-experiment",
  evalRunAll: "eval-run-all",
  evalRunEmpty: "eval-run-empty",
  evalRunFailed: "eval-run-failed",
  evalRunSelected: "eval-run-selected",
  evalStop: "eval-stop",
  evalExport: "eval-export",
  evalProgress: "eval-progress",
  evalGrid: "eval-grid",
  /** The tab of an analysis. The name is curve, compare, policies or rate. */
  evalTab: (name: string) => `eval-tab-${name}`,
  evalApplyCap: "eval-apply-cap",
  keepTest: "keep-test",
  callEstimate: "call-estimate",
  costForecast: "cost-forecast",
  /** A pip of the inspector, and a segment of the timeline. Iterations count from 1. */
  iterationPip: (k: number) => `iteration-pip-${k}`,
  timelineSegment: (k: number) => `timeline-segment-${k}`,
  /** The time of a segment of the timeline, and the bar of a node in it. */
  segmentTime: "segment-time",
  timelineBar: "timeline-bar",
  diffView: "diff-view",
  /** A dragged name, and the line where it would be inserted. */
  nameGhost: "name-ghost",
  dropLine: "drop-line",
  /** A tab of the run inspector. The name is input, output, prompt, raw or events. */
  inspectorTab: (name: string) => `inspector-tab-${name}`,
  runRow: (runId: string) => `run-row-${runId}`,
  /** The name that the user gave to a listed run. */
  runName: "run-name",
  /** The placeholder for a listed run that is not loaded yet. */
  runReading: "run-reading",
  /** A schedule in the history. */
  scheduleRow: (name: string) => `schedule-row-${name}`,
  /** The page of the chosen schedule. */
  schedulePanel: "schedule-panel",
  /** The note about schedules that did not start. */
  scheduleFailed: "schedule-failed",
  /** A batch of a shared store. */
  batchRow: (name: string) => `batch-row-${name}`,
  /** The field of a run input, by the Input node's name. */
  inputField: (name: string) => `input-field-${name}`,
  /** The mark in the status bar that shows that the computer is kept awake. */
  keptAwake: "kept-awake",
  backToLive: "back-to-live",
  /** The breadcrumbs of the shown subflow, and its parts, counted from 0 at the outermost. */
  breadcrumbs: "breadcrumbs",
  /** The tab of an open flow, by its displayed name. */
  tab: (title: string) => `tab-${title}`,
  /** The dialog that offers unsaved work after a crash, and the row of one workflow. */
  recovery: "recovery",
  leftDraft: (name: string) => `left-draft-${name}`,
  /** The dialog that asks what a flow may use, and its answers. */
  trustDialog: "trust-dialog",
  /** The sheet that opens at a waiting step. */
  approvalSheet: "approval-sheet",
  trustAllow: "trust-allow",
  trustRefuse: "trust-refuse",
  crumb: (i: number) => `crumb-${i}`,
} as const;
