// Where the nodes of a tree are drawn: the depth to the right, siblings below each other (the tidy layout of d3).
import { hierarchy, tree as tidy } from "d3-hierarchy";
import type { SearchTree } from "./search_tree";

export interface Column {
  nodes: Int32Array; // from top to bottom
  y: Float64Array; // of these nodes
}

export interface Layout {
  y: Float64Array; // by node; neighbours are at least 1 apart
  columns: Column[]; // by depth
  top: number;
  bottom: number;
  size: number; // of the tree when it was laid out
}

export function layOut(tree: SearchTree): Layout {
  const root = hierarchy(0, (node) => tree.children[node]);
  tidy<number>().nodeSize([1, 1]).separation(() => 1)(root);
  const y = new Float64Array(tree.size);
  const levels: number[][] = [];
  let top = 0, bottom = 0;
  root.each((node) => {
    const at = node.x ?? 0;
    y[node.data] = at;
    (levels[node.depth] ??= []).push(node.data);
    top = Math.min(top, at);
    bottom = Math.max(bottom, at);
  });
  const columns = levels.map((level) => {
    const nodes = Int32Array.from(level.sort((a, b) => y[a] - y[b]));
    return { nodes, y: Float64Array.from(nodes, (node) => y[node]) };
  });
  return { y, columns, top, bottom, size: tree.size };
}

/** The place in a column of the first node at or below `y`. */
export function firstBelow(column: Column, y: number): number {
  let low = 0, high = column.y.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column.y[middle] < y) low = middle + 1;
    else high = middle;
  }
  return low;
}
