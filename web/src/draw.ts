// Draws a tree on a canvas. Only what is in view is touched, and never two nodes on the same pixel.
import type { Layout } from "./layout";
import { firstBelow } from "./layout";
import type { SearchTree } from "./search_tree";

/** Screen = node × scale + offset, in CSS pixels. */
export interface View {
  x: number;
  y: number;
  perLevel: number;
  perNode: number;
}

export interface Colours {
  back: string;
  fore: string;
  soft: string;
  line: string;
  accent: string;
  proved: string;
  open: string;
  closed: string;
  path: string;
}

export interface Scene {
  tree: SearchTree;
  layout: Layout;
  view: View;
  width: number;
  height: number;
  seq: number; // the moment that is shown
  chosen: number; // -1: none
  path: number[]; // of the last selection
}

export const ROOT_MARGIN = 24;
const LABEL_FROM = 13; // pixels a node from which on tactics are written
const EDGE_STEP = 4; // pixels between edges that are drawn
const KINDS = ["closed", "open", "accent", "proved"] as const; // by `kindOf`; later ones cover earlier ones
const CLOSED = 0, OPEN = 1, SELECTED = 2, PROVED = 3, NOT_YET = 4;
const DRAWN = [CLOSED, OPEN, SELECTED, PROVED] as const;

function kindOf(tree: SearchTree, node: number, seq: number): number {
  if (tree.born[node] > seq) return NOT_YET;
  if (tree.provedAt[node] <= seq) return PROVED;
  if (tree.isClosed(node, seq)) return CLOSED;
  return tree.selectedAt[node] <= seq ? SELECTED : OPEN;
}

/** What all nodes are at a moment, in the order of the columns: drawing reads it from front to back. */
export function kindsOf(tree: SearchTree, layout: Layout, seq: number): Uint8Array[] {
  return layout.columns.map(({ nodes }) => Uint8Array.from(nodes, (node) => kindOf(tree, node, seq)));
}

function radius(tree: SearchTree, node: number, perNode: number) {
  return Math.min(2.5 + 1.2 * Math.log2(1 + tree.visits[node]), Math.max(perNode * 0.46, 1), 11);
}

/** The nodes in view, by kind; at most one for each pixel of a column. */
function inView(scene: Scene, all: Uint8Array[]): number[][] {
  const { layout, view, width, height } = scene;
  const kinds: number[][] = DRAWN.map(() => []);
  const margin = height / 2;
  for (let depth = 0; depth < layout.columns.length; ++depth) {
    const x = depth * view.perLevel + view.x;
    if (x < -view.perLevel || x > width + view.perLevel) continue;
    const { nodes, y: ys } = layout.columns[depth], kind = all[depth];
    let last = -Infinity, lastKind = 0;
    for (let i = firstBelow(layout.columns[depth], (-margin - view.y) / view.perNode); i < nodes.length; ++i) {
      const y = ys[i] * view.perNode + view.y;
      if (y > height + margin) break;
      if (kind[i] === NOT_YET || (y - last < 1 && kind[i] <= lastKind)) continue;
      kinds[kind[i]].push(nodes[i]);
      last = y;
      lastKind = kind[i];
    }
  }
  return kinds;
}

function edges(context: CanvasRenderingContext2D, scene: Scene, nodes: number[], step: number) {
  const { tree, layout, view } = scene;
  const curved = view.perNode > 5;
  context.beginPath();
  let lastDepth = -1, last = 0;
  for (const node of nodes) {
    const above = tree.parent[node];
    if (above < 0) continue;
    const depth = tree.depth[node];
    const x = depth * view.perLevel + view.x, y = layout.y[node] * view.perNode + view.y;
    if (depth === lastDepth && y - last < step) continue;
    lastDepth = depth;
    last = y;
    const fromX = x - view.perLevel, fromY = layout.y[above] * view.perNode + view.y;
    context.moveTo(fromX, fromY);
    if (curved) context.bezierCurveTo(fromX + view.perLevel / 2, fromY, x - view.perLevel / 2, y, x, y);
    else context.lineTo(x, y);
  }
  context.stroke();
}

/** Small nodes; those that touch are one bar, so that a dense column costs little. */
function bars(context: CanvasRenderingContext2D, scene: Scene, nodes: number[]) {
  const { tree, layout, view } = scene;
  let depth = -1, top = 0, bottom = 0;
  const end = () => {
    if (depth >= 0) context.rect(depth * view.perLevel + view.x - 1.5, top - 0.75, 3, bottom - top + 1.5);
  };
  for (const node of nodes) {
    const y = layout.y[node] * view.perNode + view.y;
    if (tree.depth[node] !== depth || y - bottom > 2) {
      end();
      depth = tree.depth[node];
      top = y;
    }
    bottom = y;
  }
  end();
}

function dots(context: CanvasRenderingContext2D, scene: Scene, nodes: number[]) {
  const { tree, layout, view } = scene;
  context.beginPath();
  if (view.perNode < 3) {
    bars(context, scene, nodes);
  } else {
    for (const node of nodes) {
      const x = tree.depth[node] * view.perLevel + view.x, y = layout.y[node] * view.perNode + view.y;
      const r = radius(tree, node, view.perNode);
      context.moveTo(x + r, y);
      context.arc(x, y, r, 0, 2 * Math.PI);
    }
  }
  context.fill();
}

/** The first line of a tactic; for strategies that record whole prefixes, what it adds to the parent's. */
export function ownTactic(tree: SearchTree, node: number): string {
  const above = tree.parent[node] >= 0 ? tree.tactic[tree.parent[node]] : "";
  const tactic = tree.tactic[node];
  return tree.recordsPrefixes && above !== "" && tactic.startsWith(above) ? tactic.slice(above.length).trim() : tactic;
}

function labels(context: CanvasRenderingContext2D, scene: Scene, nodes: number[], colours: Colours) {
  const { tree, layout, view, height } = scene;
  context.textBaseline = "middle";
  context.font = `${Math.min(12, view.perNode * 0.75)}px ui-monospace, monospace`;
  const room = Math.max(4, Math.floor((view.perLevel - 34) / 7));
  for (const node of nodes) {
    const y = layout.y[node] * view.perNode + view.y;
    if (y < 0 || y > height || node === 0) continue;
    const tactic = ownTactic(tree, node).split("\n", 1)[0];
    const text = tactic.length > room ? `${tactic.slice(0, room - 1)}…` : tactic;
    const x = tree.depth[node] * view.perLevel + view.x + radius(tree, node, view.perNode) + 5;
    context.fillStyle = colours.back; // edges do not cross the letters
    context.fillRect(x - 2, y - 6, context.measureText(text).width + 4, 12);
    context.fillStyle = colours.fore;
    context.fillText(text, x, y);
  }
}

function highlight(context: CanvasRenderingContext2D, scene: Scene, colours: Colours) {
  const { tree, layout, view, chosen, path } = scene;
  context.lineWidth = 2.5;
  context.strokeStyle = colours.path;
  edges(context, scene, path, 0);
  if (chosen < 0) return;
  const x = tree.depth[chosen] * view.perLevel + view.x, y = layout.y[chosen] * view.perNode + view.y;
  context.strokeStyle = colours.fore;
  context.beginPath();
  context.arc(x, y, radius(tree, chosen, view.perNode) + 3, 0, 2 * Math.PI);
  context.stroke();
}

/** `all`: what `kindsOf` returns for the scene. */
export function draw(context: CanvasRenderingContext2D, scene: Scene, all: Uint8Array[], colours: Colours) {
  const { view, width, height } = scene;
  context.fillStyle = colours.back;
  context.fillRect(0, 0, width, height);
  const kinds = inView(scene, all);
  context.lineWidth = 1;
  for (const kind of DRAWN) {
    context.strokeStyle = kind === PROVED ? colours.proved : colours.line;
    edges(context, scene, kinds[kind], view.perNode < EDGE_STEP ? EDGE_STEP : 0);
  }
  for (const kind of DRAWN) {
    context.fillStyle = colours[KINDS[kind]];
    dots(context, scene, kinds[kind]);
  }
  highlight(context, scene, colours);
  if (view.perNode >= LABEL_FROM && view.perLevel > 60) for (const kind of DRAWN) labels(context, scene, kinds[kind], colours);
}

/** The node at a place of the screen; -1 if there is none within a few pixels. */
export function nodeAt(scene: Scene, x: number, y: number): number {
  const { tree, layout, view, seq } = scene;
  const depth = Math.round((x - view.x) / view.perLevel);
  const column = layout.columns[depth];
  if (!column) return -1;
  const reach = Math.max(view.perNode / 2, 8) / view.perNode, at = (y - view.y) / view.perNode;
  let best = -1;
  for (let i = firstBelow(column, at - reach); i < column.nodes.length; ++i) {
    const node = column.nodes[i];
    if (layout.y[node] > at + reach) break;
    if (tree.born[node] > seq) continue;
    if (best < 0 || Math.abs(layout.y[node] - at) < Math.abs(layout.y[best] - at)) best = node;
  }
  return best;
}

/** A view that shows the whole tree. */
export function fit(layout: Layout, width: number, height: number): View {
  const levels = Math.max(layout.columns.length - 1, 1), nodes = Math.max(layout.bottom - layout.top, 1);
  const perLevel = Math.min(Math.max((width - 3 * ROOT_MARGIN) / (levels + 0.7), 6), 190);
  const perNode = Math.min((height - 3 * ROOT_MARGIN) / nodes, 34);
  return { perLevel, perNode, x: ROOT_MARGIN, y: height / 2 - ((layout.top + layout.bottom) / 2) * perNode };
}
