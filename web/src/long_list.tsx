// A list of rows that open; of a long one, only what is in view and a little around it is in the document.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";

const WHOLE = 1000; // rows of a list that is there as a whole, so that the browser's own search finds everything
const AROUND = 600; // pixels above and below the view
const STEP = 8; // rows that come and go together

interface Named {
  name: string; // unique
}

interface Props<T extends Named> {
  id: string;
  label: string;
  items: T[];
  /** The content of a `details`: a summary, which is equally high for all items while they are closed, and what is inside if that is wanted. */
  row: (item: T, inside: boolean) => ComponentChildren;
  /** Attributes of the `details`. */
  about: (item: T) => Record<string, string | number>;
}

/** Where the rows are: all closed ones are equally high, and the heights of open ones are known. */
class Places {
  private readonly opened: { index: number; extra: number }[] = [];
  readonly height: number;

  constructor(readonly count: number, readonly closed: number, opened: [number, number][]) {
    this.opened = opened.sort(([a], [b]) => a - b).map(([index, height]) => ({ index, extra: height - closed }));
    this.height = this.top(count);
  }

  top(index: number): number {
    return this.opened.reduce((sum, one) => (one.index < index ? sum + one.extra : sum), index * this.closed);
  }

  /** The row at a height; the first or the last one if it is outside. */
  at(y: number): number {
    let above = 0; // what the open rows passed add
    for (const { index, extra } of this.opened) {
      const top = index * this.closed + above;
      if (y < top) break;
      if (y < top + this.closed + extra) return index;
      above += extra;
    }
    return Math.max(0, Math.min(Math.floor((y - above) / this.closed), this.count - 1));
  }
}

interface RowProps {
  name: string;
  index: number;
  count: number;
  top: number;
  open: boolean;
  sizes: ResizeObserver;
  about: Record<string, string | number>;
  onToggle: (open: boolean) => void;
  children: ComponentChildren;
}

function Row({ name, index, count, top, open, sizes, about, onToggle, children }: RowProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const mine = element.current!;
    sizes.observe(mine);
    return () => sizes.unobserve(mine);
  }, [sizes]);
  return (
    <div class="row" role="listitem" aria-setsize={count} aria-posinset={index + 1} data-name={name} style={{ top: `${top}px` }} ref={element}>
      <details {...about} open={open} onToggle={(e) => onToggle(e.currentTarget.open)}>{children}</details>
    </div>
  );
}

export function LongList<T extends Named>({ id, label, items, row, about }: Props<T>) {
  const list = useRef<HTMLDivElement>(null);
  const [closed, setClosed] = useState(40); // the height of a closed row
  const [open, setOpen] = useState<ReadonlyMap<string, number>>(new Map()); // the heights of open rows
  const [[first, last], setRange] = useState<[number, number]>([0, 0]);
  const [, again] = useReducer((times: number) => times + 1, 0);
  const focused = useRef<string | undefined>(undefined); // stays in the document wherever it is, so that it keeps the focus
  const wanted = useRef(false); // `focused` is to get the focus
  const indices = useMemo(() => new Map(items.map((item, i) => [item.name, i])), [items]);
  const places = useMemo(() => new Places(items.length, closed, [...open].flatMap(([name, height]) => {
    const index = indices.get(name);
    return index === undefined ? [] : [[index, height] as [number, number]];
  })), [items, indices, closed, open]);

  const setHeight = (name: string, height: number | null) => setOpen((old) => {
    if (height === null ? !old.has(name) : Math.abs((old.get(name) ?? 0) - height) < 0.5) return old;
    const heights = new Map(old);
    if (height === null) heights.delete(name);
    else heights.set(name, height);
    return heights;
  });
  const sizes = useMemo(() => new ResizeObserver((entries) => {
    for (const { target, borderBoxSize } of entries) {
      const height = borderBoxSize[0].blockSize;
      if (target.querySelector("details")!.open) setHeight((target as HTMLElement).dataset.name!, height);
      else if (height > 0) setClosed(height);
    }
  }), []);

  const look = () => {
    const { top } = list.current!.getBoundingClientRect();
    const from = places.at(-top - AROUND), to = places.at(innerHeight - top + AROUND);
    const next: [number, number] = [from - (from % STEP), to + STEP - (to % STEP)];
    setRange((old) => (old[0] === next[0] && old[1] === next[1] ? old : next));
  };
  useLayoutEffect(look);
  useLayoutEffect(() => {
    if (!wanted.current) return;
    wanted.current = false;
    const rows = [...list.current!.children] as HTMLElement[];
    rows.find((one) => one.dataset.name === focused.current)?.querySelector("summary")!.focus();
  });
  useEffect(() => {
    document.addEventListener("scroll", again, { capture: true, passive: true }); // of whatever scrolls
    addEventListener("resize", again);
    return () => {
      document.removeEventListener("scroll", again, { capture: true });
      removeEventListener("resize", again);
      sizes.disconnect();
    };
  }, []);

  const press = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.tagName !== "SUMMARY") return;
    const now = indices.get(focused.current ?? "") ?? -1;
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!items[to]) return;
    focused.current = items[to].name;
    wanted.current = true;
    again(undefined);
  };
  const whole = items.length <= WHOLE;
  const from = whole ? 0 : first, to = Math.min(whole ? Infinity : last, items.length - 1);
  const shown: number[] = [];
  for (let i = from; i <= to; ++i) shown.push(i);
  const kept = indices.get(focused.current ?? "");
  if (kept !== undefined && kept < from) shown.unshift(kept);
  if (kept !== undefined && kept > to) shown.push(kept);
  return (
    <div id={id} class="long-list" role="list" aria-label={label} ref={list} style={{ height: `${places.height}px` }} onKeyDown={press}
      onFocusIn={(e) => { focused.current = (e.target as HTMLElement).closest<HTMLElement>(".row")?.dataset.name; }}>
      {shown.map((i) => (
        <Row key={items[i].name} name={items[i].name} index={i} count={items.length} top={places.top(i)} open={open.has(items[i].name)} sizes={sizes}
          about={about(items[i])} onToggle={(now) => setHeight(items[i].name, now ? open.get(items[i].name) ?? closed : null)}>{row(items[i], whole || open.has(items[i].name))}</Row>
      ))}
    </div>
  );
}
