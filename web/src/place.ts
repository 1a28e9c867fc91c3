// The address names run, view, tree, node and moment, so that each can be linked to.

export interface Place {
  run: number | null;
  view: string;
  tree: number;
  node: number | null;
  at: number | null; // the event after which things are shown; null: the last
}

function number(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function readPlace(hash: string): Place {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    run: number(parameters, "run"), view: parameters.get("view") ?? "", tree: number(parameters, "tree") ?? 0,
    node: number(parameters, "node"), at: number(parameters, "at"),
  };
}

export function writePlace(place: Place): string {
  const parameters = new URLSearchParams();
  if (place.run !== null) parameters.set("run", String(place.run));
  if (place.view !== "") parameters.set("view", place.view);
  if (place.tree !== 0) parameters.set("tree", String(place.tree));
  if (place.node !== null) parameters.set("node", String(place.node));
  if (place.at !== null) parameters.set("at", String(place.at));
  return `#${parameters}`;
}
