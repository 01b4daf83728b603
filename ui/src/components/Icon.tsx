// Icons by their lucide names, from one list so that only these are bundled. The names of kinds' icons come
// from Rust; an unknown name is drawn as a box.
import type { LucideIconNode } from "lucide-react";
import * as alignCenterHorizontal from "lucide-react/icons/align-center-horizontal";
import * as alignCenterVertical from "lucide-react/icons/align-center-vertical";
import * as alignEndHorizontal from "lucide-react/icons/align-end-horizontal";
import * as alignEndVertical from "lucide-react/icons/align-end-vertical";
import * as alignHorizontalDistributeCenter from "lucide-react/icons/align-horizontal-distribute-center";
import * as alignStartHorizontal from "lucide-react/icons/align-start-horizontal";
import * as alignStartVertical from "lucide-react/icons/align-start-vertical";
import * as alignVerticalDistributeCenter from "lucide-react/icons/align-vertical-distribute-center";
import * as arrowDownToLine from "lucide-react/icons/arrow-down-to-line";
import * as arrowLeft from "lucide-react/icons/arrow-left";
import * as arrowsFromAxisDashedHorizontal from "lucide-react/icons/arrows-from-axis-dashed-horizontal";
import * as arrowsToAxisDashedHorizontal from "lucide-react/icons/arrows-to-axis-dashed-horizontal";
import * as bell from "lucide-react/icons/bell";
import * as bot from "lucide-react/icons/bot";
import * as box from "lucide-react/icons/box";
import * as braces from "lucide-react/icons/braces";
import * as brain from "lucide-react/icons/brain";
import * as calendarClock from "lucide-react/icons/calendar-clock";
import * as check from "lucide-react/icons/check";
import * as chevronDown from "lucide-react/icons/chevron-down";
import * as chevronLeft from "lucide-react/icons/chevron-left";
import * as chevronRight from "lucide-react/icons/chevron-right";
import * as chevronUp from "lucide-react/icons/chevron-up";
import * as chevronsUpDown from "lucide-react/icons/chevrons-up-down";
import * as circleCheck from "lucide-react/icons/circle-check";
import * as circleDashed from "lucide-react/icons/circle-dashed";
import * as circleExclamationPoint from "lucide-react/icons/circle-exclamation-point";
import * as circlePause from "lucide-react/icons/circle-pause";
import * as circleSlash2 from "lucide-react/icons/circle-slash-2";
import * as circleStop from "lucide-react/icons/circle-stop";
import * as circleX from "lucide-react/icons/circle-x";
import * as clipboardPaste from "lucide-react/icons/clipboard-paste";
import * as clock from "lucide-react/icons/clock";
import * as codeIcon from "lucide-react/icons/code";
import * as coffee from "lucide-react/icons/coffee";
import * as coins from "lucide-react/icons/coins";
import * as combine from "lucide-react/icons/combine";
import * as copy from "lucide-react/icons/copy";
import * as copyPlus from "lucide-react/icons/copy-plus";
import * as cornerDownLeft from "lucide-react/icons/corner-down-left";
import * as cpu from "lucide-react/icons/cpu";
import * as databaseIcon from "lucide-react/icons/database";
import * as download from "lucide-react/icons/download";
import * as ellipsis from "lucide-react/icons/ellipsis";
import * as eye from "lucide-react/icons/eye";
import * as eyeOff from "lucide-react/icons/eye-off";
import * as fileIcon from "lucide-react/icons/file";
import * as fileBraces from "lucide-react/icons/file-braces";
import * as fileOutput from "lucide-react/icons/file-output";
import * as filePlus from "lucide-react/icons/file-plus";
import * as fileSearch from "lucide-react/icons/file-search";
import * as fileText from "lucide-react/icons/file-text";
import * as files from "lucide-react/icons/files";
import * as flaskConical from "lucide-react/icons/flask-conical";
import * as folder from "lucide-react/icons/folder";
import * as folderOpen from "lucide-react/icons/folder-open";
import * as frame from "lucide-react/icons/frame";
import * as funnel from "lucide-react/icons/funnel";
import * as gitBranch from "lucide-react/icons/git-branch";
import * as gitFork from "lucide-react/icons/git-fork";
import * as globe from "lucide-react/icons/globe";
import * as gripVertical from "lucide-react/icons/grip-vertical";
import * as hand from "lucide-react/icons/hand";
import * as hardDrive from "lucide-react/icons/hard-drive";
import * as imageDown from "lucide-react/icons/image-down";
import * as importIcon from "lucide-react/icons/import";
import * as infoIcon from "lucide-react/icons/info";
import * as keyRound from "lucide-react/icons/key-round";
import * as keyboard from "lucide-react/icons/keyboard";
import * as layoutGrid from "lucide-react/icons/layout-grid";
import * as listIcon from "lucide-react/icons/list";
import * as listChecks from "lucide-react/icons/list-checks";
import * as listTree from "lucide-react/icons/list-tree";
import * as loaderCircle from "lucide-react/icons/loader-circle";
import * as lockIcon from "lucide-react/icons/lock";
import * as logIn from "lucide-react/icons/log-in";
import * as logOut from "lucide-react/icons/log-out";
import * as mapIcon from "lucide-react/icons/map";
import * as maximize from "lucide-react/icons/maximize";
import * as merge from "lucide-react/icons/merge";
import * as messageSquareText from "lucide-react/icons/message-square-text";
import * as minus from "lucide-react/icons/minus";
import * as monitorIcon from "lucide-react/icons/monitor";
import * as moon from "lucide-react/icons/moon";
import * as mousePointer2 from "lucide-react/icons/mouse-pointer-2";
import * as octagonX from "lucide-react/icons/octagon-x";
import * as palette from "lucide-react/icons/palette";
import * as panelLeft from "lucide-react/icons/panel-left";
import * as panelRight from "lucide-react/icons/panel-right";
import * as pause from "lucide-react/icons/pause";
import * as pencil from "lucide-react/icons/pencil";
import * as pin from "lucide-react/icons/pin";
import * as play from "lucide-react/icons/play";
import * as plug from "lucide-react/icons/plug";
import * as plus from "lucide-react/icons/plus";
import * as redo2 from "lucide-react/icons/redo-2";
import * as refreshCw from "lucide-react/icons/refresh-cw";
import * as repeat from "lucide-react/icons/repeat";
import * as repeat2 from "lucide-react/icons/repeat-2";
import * as replace from "lucide-react/icons/replace";
import * as rotateCcw from "lucide-react/icons/rotate-ccw";
import * as rotateCcwClock from "lucide-react/icons/rotate-ccw-clock";
import * as route from "lucide-react/icons/route";
import * as rows3 from "lucide-react/icons/rows-3";
import * as save from "lucide-react/icons/save";
import * as saveAll from "lucide-react/icons/save-all";
import * as scale from "lucide-react/icons/scale";
import * as scissors from "lucide-react/icons/scissors";
import * as searchIcon from "lucide-react/icons/search";
import * as serverIcon from "lucide-react/icons/server";
import * as settings from "lucide-react/icons/settings";
import * as shieldCheck from "lucide-react/icons/shield-check";
import * as skipBack from "lucide-react/icons/skip-back";
import * as skipForward from "lucide-react/icons/skip-forward";
import * as slidersHorizontal from "lucide-react/icons/sliders-horizontal";
import * as sparkles from "lucide-react/icons/sparkles";
import * as split from "lucide-react/icons/split";
import * as square from "lucide-react/icons/square";
import * as squareTerminal from "lucide-react/icons/square-terminal";
import * as star from "lucide-react/icons/star";
import * as stepBack from "lucide-react/icons/step-back";
import * as stepForward from "lucide-react/icons/step-forward";
import * as stickyNote from "lucide-react/icons/sticky-note";
import * as sun from "lucide-react/icons/sun";
import * as terminalIcon from "lucide-react/icons/terminal";
import * as textCursorInput from "lucide-react/icons/text-cursor-input";
import * as timer from "lucide-react/icons/timer";
import * as trash from "lucide-react/icons/trash";
import * as triangleExclamationPoint from "lucide-react/icons/triangle-exclamation-point";
import * as undo2 from "lucide-react/icons/undo-2";
import * as ungroup from "lucide-react/icons/ungroup";
import * as userCheck from "lucide-react/icons/user-check";
import * as wandSparkles from "lucide-react/icons/wand-sparkles";
import * as workflow from "lucide-react/icons/workflow";
import * as wrench from "lucide-react/icons/wrench";
import * as x from "lucide-react/icons/x";
import * as zap from "lucide-react/icons/zap";
import { createElement, memo, type ReactElement } from "react";

const icons = {
  "hard-drive": hardDrive,
  "sliders-horizontal": slidersHorizontal,
  palette: palette,
  import: importIcon,
  "align-center-horizontal": alignCenterHorizontal,
  "align-center-vertical": alignCenterVertical,
  "align-end-horizontal": alignEndHorizontal,
  "align-end-vertical": alignEndVertical,
  "align-horizontal-distribute-center": alignHorizontalDistributeCenter,
  "align-start-horizontal": alignStartHorizontal,
  "align-start-vertical": alignStartVertical,
  "align-vertical-distribute-center": alignVerticalDistributeCenter,
  "circle-slash-2": circleSlash2,
  "clipboard-paste": clipboardPaste,
  "fold-vertical": arrowsToAxisDashedHorizontal,
  frame: frame,
  "image-down": imageDown,
  scissors: scissors,
  "unfold-vertical": arrowsFromAxisDashedHorizontal,
  ungroup: ungroup,
  "arrow-down-to-line": arrowDownToLine,
  bell: bell,
  bot: bot,
  box: box,
  braces: braces,
  check: check,
  "chevron-down": chevronDown,
  "chevron-left": chevronLeft,
  "chevron-right": chevronRight,
  "chevron-up": chevronUp,
  "chevrons-up-down": chevronsUpDown,
  "circle-alert": circleExclamationPoint,
  "circle-check": circleCheck,
  "circle-dashed": circleDashed,
  "circle-pause": circlePause,
  "circle-x": circleX,
  clock: clock,
  coffee: coffee,
  coins: coins,
  copy: copy,
  "copy-plus": copyPlus,
  "corner-down-left": cornerDownLeft,
  cpu: cpu,
  download: download,
  ellipsis: ellipsis,
  eye: eye,
  "eye-off": eyeOff,
  "file-json": fileBraces,
  "file-output": fileOutput,
  "file-plus": filePlus,
  "file-text": fileText,
  flask: flaskConical,
  folder: folder,
  "folder-open": folderOpen,
  "git-branch": gitBranch,
  "git-fork": gitFork,
  globe: globe,
  "grip-vertical": gripVertical,
  hand: hand,
  history: rotateCcwClock,
  info: infoIcon,
  keyboard: keyboard,
  "key-round": keyRound,
  "layout-grid": layoutGrid,
  "list-checks": listChecks,
  "loader-circle": loaderCircle,
  lock: lockIcon,
  "log-out": logOut,
  map: mapIcon,
  maximize: maximize,
  merge: merge,
  "message-square-text": messageSquareText,
  minus: minus,
  monitor: monitorIcon,
  moon: moon,
  "mouse-pointer-2": mousePointer2,
  "octagon-x": octagonX,
  "panel-left": panelLeft,
  "panel-right": panelRight,
  pause: pause,
  pin: pin,
  play: play,
  plug: plug,
  plus: plus,
  "redo-2": redo2,
  "refresh-cw": refreshCw,
  repeat: repeat,
  "repeat-2": repeat2,
  replace: replace,
  "rotate-ccw": rotateCcw,
  "rows-3": rows3,
  save: save,
  "save-all": saveAll,
  search: searchIcon,
  settings: settings,
  "shield-check": shieldCheck,
  "skip-back": skipBack,
  "skip-forward": skipForward,
  split: split,
  square: square,
  "square-terminal": squareTerminal,
  "step-back": stepBack,
  "step-forward": stepForward,
  "sticky-note": stickyNote,
  sun: sun,
  "text-cursor-input": textCursorInput,
  timer: timer,
  "trash-2": trash,
  "triangle-alert": triangleExclamationPoint,
  "undo-2": undo2,
  "user-check": userCheck,
  "wand-sparkles": wandSparkles,
  workflow: workflow,
  x: x,
  zap: zap,
  "circle-stop": circleStop,
  combine: combine,
  "list-tree": listTree,
  "log-in": logIn,
  wrench: wrench,
  "file-search": fileSearch,
  code: codeIcon,
  files: files,
  list: listIcon,
  route: route,
  sparkles: sparkles,
  star: star,
  scale: scale,
  "arrow-left": arrowLeft,
  server: serverIcon,
  database: databaseIcon,
  filter: funnel,
  terminal: terminalIcon,
  file: fileIcon,
  pencil: pencil,
  brain: brain,
  "calendar-clock": calendarClock,
} satisfies Record<string, object>;

export type IconName = keyof typeof icons;

export const iconNames = Object.keys(icons) as IconName[];

/** The icon data that a module of an icon exports in addition to its component. */
type IconModule = { __iconData: { node: LucideIconNode[] } };

/**
 * Matches the first point of a path that starts with a relative `m`, and detects whether an implicit line
 * follows.
 */
const RELATIVE_START = (() => {
  const number = String.raw`(-?(?:\d+\.?\d*|\.\d+))`;
  return new RegExp(String.raw`^m\s*${number}[\s,]*${number}[\s,]*(?=([-.\d])?)`);
})();

/**
 * Makes the start of a path absolute, so that paths can be concatenated. A relative `m` would otherwise start
 * at the end of the previous path.
 */
const fromAnywhere = (path: string): string =>
  path.replace(RELATIVE_START, (_, x, y, more) => `M${x} ${y}${more ? "l" : ""}`);

/**
 * Returns the shapes of an icon, with all paths joined into one. Lucide's own component creates an element
 * for each path, which is slow for an icon with fourteen paths on every card of a model node.
 */
function shapesOf(name: string): ReactElement[] {
  const { __iconData } = ((icons as Record<string, object>)[name] ?? icons.box) as IconModule;
  const paths: string[] = [];
  const shapes: ReactElement[] = [];
  for (const [tag, { key, ...attributes }] of __iconData.node) {
    if (tag === "path" && typeof attributes.d === "string") paths.push(fromAnywhere(attributes.d));
    else shapes.push(createElement(tag, { ...attributes, key }));
  }
  return paths.length > 0 ? [<path key="paths" d={paths.join("")} />, ...shapes] : shapes;
}

const known = new Map<string, ReactElement[]>();

export const Icon = memo(function Icon({
  name,
  size = 14,
}: {
  name: IconName | (string & {});
  size?: number;
}) {
  let shapes = known.get(name);
  if (!shapes) {
    shapes = shapesOf(name);
    known.set(name, shapes);
  }
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shapes}
    </svg>
  );
});
