// What Streamlit hands a component, and what Python says to ours: the descriptions of payload.py and token_board.

export type Role = "query" | "key" | "value" | "output";
/** In which all else is told apart. */
export type Tone = "accent" | "ink" | "muted" | "pale";
/** What a bar or a part wears: a role's colour, a tone, or the usual one. */
export type Worn = Role | Tone | null;
/** How many decimals a score has; null for none. */
export type Decimals = number | null;
export type Pair = [number, number];

export interface Component<Data> {
  /** With the visitor's `language`, which component.js takes for all of them. */
  data: Data;
  parentElement: ShadowRoot;
  setStateValue(name: string, value: unknown): void;
  setTriggerValue(name: string, value: unknown): void;
}

// ---- colours of one mode: as figures/theme.py has them, and with what the page adds ----

export interface Colours {
  roles: Record<Role | Tone, string>;
  scales: Record<Palette, string[]>;
  muted: string;
  grid: string;
  hidden: string;
}
export type Modes = Record<"light" | "dark", Colours>;
export type Palette = "sequential" | "diverging" | "compared" | "ink" | "below";
export type Theme = Colours & Record<"paper" | "ink" | "primary", string>;

// ---- what components tell each other: index counts positions, null is none ----

export type Hover = { group: string; role: Role; index: number | null };
/** A chip in a hand: at each position the one at which its token stood; and whether it is still held. */
export type Held = { group: string; roles: Role[]; order: number[]; held: boolean };

// ---- matrix view ----

export type Part = { start: number; length: number; swept?: boolean };
export interface Axis {
  title: string;
  labels: string[];
  role: Role | null;
  groups: string[];
  formulas: boolean;
  pale: number[];
}
interface Named {
  title: string;
  note: string;
}
export interface MatrixSpec extends Named {
  kind: "matrix" | "arcs" | "picture";
  values: Part;
  rows: Axis;
  columns: Axis;
  quantity: string;
  unit: string;
  cells: "weight" | "percent" | "score" | "count" | "allowed";
  /** Of scores, in each step; null where none is written. */
  decimals: Decimals[];
  /** Whose rows of numbers these are. */
  role: Role | null;
  scale: Palette;
  limits: Pair;
  hidden: string | null;
  hidden_as: string;
  arcs: { row: number; column: number; label: string; off: boolean } | null;
  /** For each row whether it is on; empty without switches. */
  switches: boolean[];
  /** Greys of a picture whose patches the cells are. */
  image: Part | null;
}
interface ChartSpec extends Named {
  limits: Pair;
  log_y: boolean;
  y_title: string;
}
export interface WholeSpec {
  names: string[];
  values: Part;
  before: Part | null;
  role: Worn[];
  of_bars: boolean;
}
export interface BarsSpec extends ChartSpec {
  kind: "bars" | "rows";
  values: Part;
  labels: Axis;
  unit: string;
  edges: Part | null;
  overlay: [Part, Part] | null;
  overlay_name: string;
  role: Worn | Worn[];
  /** Of bars that lie below each other. */
  percent: boolean;
  before: Part | null;
  whole: WholeSpec | null;
}
export interface SeriesSpec {
  name: string;
  values: Part;
  band: [Part, Part] | null;
  role: Role | Tone;
  stroke: "solid" | "dashed" | "dotted" | "dashdot";
  crosses: boolean;
  listed: boolean;
  /** Whether its name stands at its point. */
  pointed: boolean;
}
export interface LinesSpec extends ChartSpec {
  kind: "lines" | "scatter";
  x: Part;
  x_title: string;
  log_x: boolean;
  marked: number | null;
  /** Whether what was measured is drawn up to the cursor, and faint after it. */
  unfolds: boolean;
  /** What stands in place of the curves, where they are not to be seen yet. */
  awaits: string;
  /** What the cross at each x is called, which can be chosen; empty where none can. */
  points: string[];
  series: SeriesSpec[];
}
export interface AreaSpec {
  name: string;
  values: Part;
  edges: Part;
  bracket: Part | null;
  role: Role | Tone;
  /** What is written at it: one text, or one for each step. */
  said: string[];
}
export interface AreasSpec extends ChartSpec {
  kind: "areas";
  labels: Axis;
  span: Pair;
  smooth: boolean;
  areas: AreaSpec[];
}
interface Stepped {
  name: string;
  role: Role | null;
  step: number | null;
}
export interface EdgesSpec extends Stepped {
  ends: Part;
  lit: boolean;
}
export interface NodesSpec extends Stepped {
  at: Part;
  large: boolean;
  boxes: Role[];
}
export interface GraphSpec extends Named {
  kind: "graph";
  values: Part;
  layers: Axis;
  tokens: Axis;
  quantity: string;
  window: Pair;
  /** The layer from which a sweep goes down, a layer with each step. */
  unfolds: number | null;
  /** What stands at the right end of each layer. */
  counts: string[];
  edges: EdgesSpec[];
  nodes: NodesSpec[];
  gauge: { values: Part; most: number; says: string[] } | null;
}
export type PanelSpec = MatrixSpec | BarsSpec | LinesSpec | GraphSpec | AreasSpec;

export type Cell = [panel: number, row: number, column: number];
export type Pointed = [panel: number, row: number | null, column: number | null];
export type Position = { order: number; step: number; cell: Cell | null };
/** Which numbers are the same, row by row as 1 or 0, and how many are if a switch is turned; null where no precision can tell. */
export interface TallyData {
  same: string[] | null;
  other: string;
  other_same: number | null;
}
export interface ViewData {
  id: string;
  summary: string;
  block: string;
  panels: PanelSpec[];
  /** How many are the picture, from the first; the others may be a second look. */
  front: number | null;
  /** How many, from the last, are a second look however much room there is. */
  second: number;
  /** How panels follow from each other: in which column each stands, and the ways between them. */
  flow: { columns: number[]; ribbons: [from: number, to: number, role: Role | null][] } | null;
  /** Of two matrices, which row of the first stands at each row of the second; empty for no bands. */
  bands: number[];
  tally: TallyData | null;
  /** What stands between a panel and the next: a sign such as "+". */
  signs: string[];
  sweep: { label: string; values: string[] } | null;
  /** Whether its steps are first walked once, as if they came about now. */
  replay: boolean;
  at: Position;
  height: number;
  group: string | null;
  /** Axes in whose order the group counts positions. */
  leads: Axis[];
  /** The panel in whose order it counts, and which of its sides a new order only reorders. */
  follows: { panel: number; roles: Role[] };
  colours: Modes;
}

export type Context = CanvasRenderingContext2D;
export type Lit = Record<"row" | "column", number | null>;
export type Word = { text: string; as?: "quiet" | "value"; role?: Role | null; line?: boolean; formula?: boolean };
export interface Scene {
  ctx: CanvasRenderingContext2D;
  theme: Theme;
  font: Font;
  lit: Lit;
  /** How far the picture is on its way from the one before. */
  stage: import("../matrix_view/motion.js").Stage;
  pointed: Pointed | null;
  selected: Cell | null;
}
export type Font = (size: number, weight?: number) => string;
export interface Measured {
  left: number;
  top: number;
  bottom: number;
  width: number;
  plotWidth: number;
  plotHeight: number;
  slanted: boolean;
}
export type Listing = { rows: string[]; columns: string[]; cell: (row: number, column: number) => string };

// ---- token board ----

export interface BoardData {
  tokens: string[];
  order: number[];
  role: "query" | "key" | "both";
  label: string;
  group: string;
  locked: boolean;
  /** What its chips take by themselves once; empty for none. */
  invites: number[];
  answered: number;
  refused: string;
  colours: Modes;
}

// ---- drawing board ----

export interface DrawingData {
  /** Of each pixel, row by row: from 0, paper, to 15, ink. */
  greys: number[];
  label: string;
  locked: boolean;
  answered: number;
  refused: string;
  colours: Modes;
}

// ---- map ----

export interface BoxData {
  number: number;
  label: string;
  layer: number;
  kind: "attention" | "cross" | "part";
  state: "unchecked" | "partly" | "agrees" | "surprises";
  says: string;
  told: string;
  page: string;
  href: string;
}
export type MapData = { parts: { title: string; boxes: BoxData[] }[] };

// ---- the claims' chart ----

/** A number, and its place on the axis from 0 to 1; null where it has none. */
export type ChartMark = { text: string; at: number | null };
export interface ChartRow {
  id: string;
  says: string;
  /** The colour of what has been found of it. */
  state: string;
  means: string;
  /** What breaks it; empty where there is no such switch. */
  switch: string;
  held: ChartMark | null;
  bound: ChartMark | null;
  broken: ChartMark | null;
}
export type ChartColumn = { title: string; rows: ChartRow[] }[];
export type ChartData = { columns: ChartColumn[]; ticks: ChartMark[]; rounding: number };

// ---- the draft of a course ----

export type DraftData = { known: boolean; text: string };

// ---- buttons ----

export type ButtonData = { label: string; text: string };
/** `svg` is there in answer to one press alone, that of the number. */
export type PngData = { label: string; filename: string; pressed: number | null; svg: string };

// ---- live classes ----

export interface Asking {
  kind: "one" | "several" | "number" | "words";
  text: string;
  answers: string[];
}
export interface Written extends Asking {
  /** A place, places, or a number and how far from it one may be, by the kind; null where none is right. */
  right: number | number[] | null;
}
export interface Prepared extends Written {
  page: string;
  at: number;
}
/** What was measured of a question: which answer is true, null where the settings cannot tell; or why nothing was, in a
 * sentence for the teacher, and in one for the students in each language. */
export type Told = { question: string } & (
  | { answer: number | null }
  | { refused: string; why: Record<string, string> }
);
export type Place = { page: string; settings: string };
export interface ClassData {
  room: string;
  /** What stands beside the key in the class's link; empty where the session does not know it. */
  ticket: string;
  /** The teacher's, where the link held it in a part that is sent; else empty. */
  secret: string;
  /** Whether the key was typed on this page. */
  typed: boolean;
  page: string;
  teaches: boolean;
  question: Asking | null;
  /** Questions of the lesson or the course, each at its step; at which step the session stands, of how many. */
  prepared: Prepared[];
  /** What the teacher has written in this tab; null where the server does not know it. */
  written: { lines: string; questions: Written[]; wrong: string } | null;
  at: number;
  steps: number;
  measured: Told | null;
  /** Of the class's test: whether its page is on, how many items are all; a student's pseudonym, letters by time and item, and how
   * many the session knows to have arrived; how often the teacher has asked for all answers. */
  test: {
    here: boolean;
    of: number;
    person: string;
    answers: Record<string, Record<string, string>>;
    arrived: Record<string, number>;
    asked: number;
  };
  /** Name of the course that this session has been given by the class, or has brought; empty for none. */
  course: string;
  /** The teacher's own course, as a room holds it; why a room does not, in its text's place. */
  laid: { name: string; text: string; wrong: string } | null;
  /** The call that this session has followed last. */
  followed: number | null;
  own: boolean;
  /** Whether the page is a presenter's slide. */
  slide: boolean;
  address: string;
  qr: string;
  /** Why students may not reach the address; empty where nothing is known against it. */
  warning: string;
  kept: string;
}
export type VotesData = { room: string; ticket: string };
export type StartData = { label: string };

// ---- what TypeScript's own description of browsers does not know yet ----

export interface NavigateEvent extends Event {
  navigationType: "push" | "replace" | "reload" | "traverse";
  destination: { url: string; sameDocument: boolean };
  hashChange: boolean;
}
