// Looks again and again at something that changes.
import { useEffect } from "preact/hooks";

/** Asks at once, and again `every` milliseconds after each answer, but not while the page is hidden. A success ends the trouble. */
export function useLooks<T>(ask: false | (() => Promise<T>), every: number, onAnswer: (answer: T) => void, onTrouble: (error: Error | null) => void,
    inputs: unknown[]) {
  useEffect(() => {
    if (!ask) return;
    let timer = 0, ended = false;
    const then = (act: () => void) => {
      if (ended) return;
      act();
      timer = window.setTimeout(look, every);
    };
    const look = () => {
      if (document.hidden) return then(() => {});
      ask().then((answer) => then(() => {
        onAnswer(answer);
        onTrouble(null);
      }), (error: Error) => then(() => onTrouble(error)));
    };
    look();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, inputs);
}
