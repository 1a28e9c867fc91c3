// The canvas with a search tree: panning, zooming, choosing nodes by pointer and keyboard.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Colours, draw, fit, kindsOf, nodeAt, ownTactic, type Scene, type View } from "./draw";
import { layOut, type Layout } from "./layout";
import type { SearchTree } from "./search_tree";

interface Props {
  tree: SearchTree;
  seq: number;
  version: number; // changes when the tree has changed
  chosen: number;
  onChoose: (node: number) => void;
}

function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return { back: colour("back"), fore: colour("fore"), soft: colour("soft"), line: colour("line"), accent: colour("accent"),
    proved: colour("good"), open: colour("open"), closed: colour("closed"), path: colour("path") };
}

/** The canvas extends so many pixels beyond each side of what is shown (style.css), so that panning moves it and seldom draws. */
const MARGIN = 160;

/** Draws at most once a frame, and lays a growing tree out again at most as often as that is cheap. */
class Painter {
  layout: Layout;
  view: View;
  moved = false; // by the user, so that growing does not move it
  private kinds?: Uint8Array[]; // of the nodes; undefined: others now
  private drawn?: View; // what the canvas shows in its place; undefined: nothing valid
  private frame = 0;
  private colours = colours();
  private laidOut = 0; // when
  private cost = 0;
  private timer = 0;

  constructor(readonly canvas: HTMLCanvasElement, public props: Props) {
    this.layout = layOut(props.tree);
    this.view = fit(this.layout, this.width, this.height);
  }

  get width() {
    return this.canvas.parentElement!.clientWidth;
  }

  get height() {
    return this.canvas.parentElement!.clientHeight;
  }

  scene(): Scene {
    const { tree, seq, chosen } = this.props;
    const selection = tree.lastSelection(seq);
    return { tree, layout: this.layout, view: this.view, width: this.width, height: this.height, seq,
      chosen: chosen < this.layout.size ? chosen : -1, path: selection && selection.node < this.layout.size ? tree.path(selection.node) : [] };
  }

  show(props: Props) {
    const before = this.props, other = props.tree !== before.tree;
    const changed = other || props.seq !== before.seq || props.version !== before.version;
    this.props = props;
    if (changed) this.kinds = undefined;
    if (other) this.moved = false;
    if (other || props.tree.size !== this.layout.size) this.layOutSoon(other);
    if (changed || props.chosen !== before.chosen) this.request();
  }

  private layOutSoon(now: boolean) {
    const wait = now ? 0 : Math.max(0, this.laidOut + Math.max(200, 10 * this.cost) - performance.now());
    if (wait > 0) {
      this.timer ||= window.setTimeout(() => {
        this.timer = 0;
        this.layOutSoon(false);
        this.request();
      }, wait);
      return;
    }
    const began = performance.now();
    this.layout = layOut(this.props.tree);
    this.kinds = undefined;
    this.laidOut = performance.now();
    this.cost = this.laidOut - began;
    if (!this.moved) this.fit();
  }

  fit() {
    this.view = fit(this.layout, this.width, this.height);
    this.moved = false;
    this.request();
  }

  newColours() {
    this.colours = colours();
    this.request();
  }

  pan(dx: number, dy: number) {
    this.view = { ...this.view, x: this.view.x + dx, y: this.view.y + dy };
    this.moved = true;
    this.nextFrame();
  }

  zoom(factor: number, x: number, y: number) {
    const perNode = Math.min(Math.max(this.view.perNode * factor, 0.001), 60);
    const perLevel = Math.min(Math.max(this.view.perLevel * Math.sqrt(factor), 6), 220);
    this.view = { perNode, perLevel, x: x - ((x - this.view.x) / this.view.perLevel) * perLevel,
      y: y - ((y - this.view.y) / this.view.perNode) * perNode };
    this.moved = true;
    this.request();
  }

  /** Moves a node into view. */
  reveal(node: number) {
    if (node >= this.layout.size) return;
    const { view, layout, width, height } = this;
    const x = this.props.tree.depth[node] * view.perLevel + view.x, y = layout.y[node] * view.perNode + view.y;
    const dx = x < 20 ? 60 - x : x > width - 40 ? width - 120 - x : 0;
    const dy = y < 20 || y > height - 20 ? height / 2 - y : 0;
    if (dx !== 0 || dy !== 0) this.pan(dx, dy);
  }

  /** Draws again. */
  request() {
    this.drawn = undefined;
    this.nextFrame();
  }

  private nextFrame() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (!this.shift()) this.paint();
    });
  }

  /** Moves what is drawn to where the view is now; false if that is not enough. */
  private shift(): boolean {
    if (!this.drawn) return false;
    const ratio = window.devicePixelRatio || 1, whole = (length: number) => Math.round(length * ratio) / ratio; // pixels stay sharp
    const dx = whole(this.view.x - this.drawn.x), dy = whole(this.view.y - this.drawn.y);
    if (Math.abs(dx) > MARGIN || Math.abs(dy) > MARGIN) return false;
    this.canvas.style.transform = `translate(${dx}px, ${dy}px)`;
    return true;
  }

  private paint() {
    const { canvas } = this, ratio = window.devicePixelRatio || 1;
    const width = Math.round((this.width + 2 * MARGIN) * ratio), height = Math.round((this.height + 2 * MARGIN) * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      if (!this.moved) this.view = fit(this.layout, this.width, this.height);
    }
    const context = canvas.getContext("2d", { alpha: false })!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.props.tree.moveTo(this.props.seq);
    const scene = this.scene(), { view } = this;
    this.kinds ??= kindsOf(scene.tree, scene.layout, scene.seq);
    draw(context, { ...scene, view: { ...view, x: view.x + MARGIN, y: view.y + MARGIN }, width: scene.width + 2 * MARGIN, height: scene.height + 2 * MARGIN }, this.kinds, this.colours);
    this.drawn = view;
    canvas.style.transform = "";
  }

  stop() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
  }
}

const MOVES = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home"];

/** Where an arrow key leads from a node among those that exist at a moment. */
export function neighbour(tree: SearchTree, node: number, key: string, seq: number): number {
  if (key === "Home" || node < 0) return 0;
  const exists = (one: number) => tree.born[one] <= seq;
  if (key === "ArrowLeft") return Math.max(tree.parent[node], 0);
  if (key === "ArrowRight") {
    const children = tree.children[node].filter(exists);
    return children.find((one) => tree.provedAt[one] <= seq) ?? children[0] ?? node;
  }
  if (node === 0) return 0;
  const siblings = tree.children[tree.parent[node]].filter(exists);
  return siblings[siblings.indexOf(node) + (key === "ArrowUp" ? -1 : 1)] ?? node;
}

export function TreeView(props: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | undefined>(undefined);
  const [hover, setHover] = useState(-1);
  const drag = useRef<{ pointers: Map<number, { x: number; y: number }>; moved: number }>({ pointers: new Map(), moved: 0 });

  useEffect(() => {
    const mine = (painter.current = new Painter(canvas.current!, props));
    const sizes = new ResizeObserver(() => mine.request());
    sizes.observe(canvas.current!.parentElement!);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const change = () => mine.newColours();
    dark.addEventListener("change", change);
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = canvas.current!.parentElement!.getBoundingClientRect();
      mine.zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
    };
    canvas.current!.addEventListener("wheel", wheel, { passive: false });
    return () => {
      sizes.disconnect();
      dark.removeEventListener("change", change);
      canvas.current?.removeEventListener("wheel", wheel);
      mine.stop();
    };
  }, []);
  useEffect(() => painter.current?.show(props));
  useEffect(() => {
    if (props.chosen >= 0) painter.current?.reveal(props.chosen);
  }, [props.chosen, props.tree]);

  const place = (event: PointerEvent) => {
    const box = canvas.current!.parentElement!.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const down = (event: PointerEvent) => {
    canvas.current!.setPointerCapture(event.pointerId);
    if (drag.current.pointers.size === 0) drag.current.moved = 0;
    drag.current.pointers.set(event.pointerId, place(event));
  };
  const move = (event: PointerEvent) => {
    const { pointers } = drag.current, now = place(event), before = pointers.get(event.pointerId);
    if (!before) return setHover(nodeAt(painter.current!.scene(), now.x, now.y));
    drag.current.moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const length = (at: { x: number; y: number }) => Math.max(Math.hypot(at.x - other.x, at.y - other.y), 10);
      painter.current!.zoom(length(now) / length(before), (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else {
      painter.current!.pan(now.x - before.x, now.y - before.y);
    }
    pointers.set(event.pointerId, now);
  };
  const up = (event: PointerEvent) => {
    const { pointers, moved } = drag.current, now = place(event);
    if (pointers.delete(event.pointerId) && pointers.size === 0 && moved < 5) props.onChoose(nodeAt(painter.current!.scene(), now.x, now.y));
  };
  const zoom = (factor: number) => painter.current!.zoom(factor, painter.current!.width / 2, painter.current!.height / 2);
  const press = (event: KeyboardEvent) => {
    if (MOVES.includes(event.key)) props.onChoose(neighbour(props.tree, props.chosen, event.key, props.seq));
    else if (event.key === "+" || event.key === "=") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
    else if (event.key === "0") painter.current!.fit();
    else if (event.key === "Escape") props.onChoose(-1);
    else return;
    event.preventDefault();
  };
  const { tree } = props;
  return (
    <div class="canvas">
      <canvas ref={canvas} tabIndex={0} role="application" aria-label={`Search tree of ${tree.label}, ${tree.size} nodes. Arrow keys move between nodes, plus and minus zoom, 0 shows all.`}
        title={hover > 0 && hover < tree.size ? ownTactic(tree, hover) : ""}
        onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={(e) => drag.current.pointers.delete(e.pointerId)} onKeyDown={press} />
      <div class="zoom">
        <button type="button" aria-label="Zoom in" onClick={() => zoom(1.5)}>+</button>
        <button type="button" aria-label="Zoom out" onClick={() => zoom(1 / 1.5)}>−</button>
        <button type="button" aria-label="Show the whole tree" onClick={() => painter.current!.fit()}>fit</button>
      </div>
    </div>
  );
}
