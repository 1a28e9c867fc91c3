// What is known about one node.
import { ownTactic } from "./draw";
import type { SearchTree } from "./search_tree";
import { count, State } from "./words";

interface Props {
  tree: SearchTree;
  node: number;
  seq: number;
  onChoose: (node: number) => void;
}

function stateOf(tree: SearchTree, node: number, seq: number) {
  if (tree.provedAt[node] <= seq) return tree.goals[node] === "" && node > 0 ? "closes the proof" : "leads to a proof";
  if (tree.isClosed(node, seq)) return "closed";
  return tree.selectedAt[node] <= seq ? "selected" : "open";
}

/** A score, or its bonus; those of an arm without visits are infinite. */
function scoreText(value: number | string | undefined) {
  if (value === undefined) return "–";
  return typeof value === "number" ? value.toFixed(3) : "∞";
}

function Arms({ tree, node, seq }: Props) {
  const arms = tree.armsAt(node, seq);
  if (!arms) return null;
  return (
    <>
      <h3>Arms, as the bandit saw them</h3>
      <div class="scroll">
        <table>
          <thead><tr><th>arm</th><th>W</th><th>N</th><th>bonus</th><th>score</th><th>pending</th><th></th></tr></thead>
          <tbody>
            {arms.map((arm) => (
              <tr>
                <td>{arm.arm === null ? "∅ expand here" : `node ${arm.arm}`}</td>
                <td>{Number(arm.w).toFixed(2)}</td><td>{Number(arm.n).toFixed(2)}</td>
                <td>{scoreText(arm.bonus)}</td><td>{scoreText(arm.score)}</td>
                <td>{arm.pending ?? ""}</td><td>{arm.closed ? "closed" : ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export function NodeView(props: Props) {
  const { tree, node, seq, onChoose } = props;
  tree.moveTo(seq);
  const visits = tree.visits[node];
  const mean = visits > 0 ? (tree.rewards[node] / visits).toFixed(3) : "–";
  const path = tree.path(node);
  const id = tree.isEnd(node) ? "the end of the proof" : `node ${tree.ids[node]}`;
  return (
    <section class="node" aria-live="polite" aria-label="Chosen node">
      <h2>{node === 0 ? "Root" : id} <span class="soft">{stateOf(tree, node, seq)}</span></h2>
      <dl>
        <dt>visits</dt><dd>{count(visits)}</dd>
        <dt>mean reward</dt><dd>{mean}</dd>
        <dt>depth</dt><dd>{tree.depth[node]}</dd>
        <dt>added by event</dt><dd>{count(tree.born[node])}</dd>
      </dl>
      {node > 0 && (
        <>
          <h3>Tactics that lead here</h3>
          <ol class="path">
            {path.slice(1).map((one) => (
              <li><button type="button" class="link" aria-current={one === node} onClick={() => onChoose(one)}>{ownTactic(tree, one)}</button></li>
            ))}
          </ol>
        </>
      )}
      <h3>Tactic state</h3>
      {node === 0 && tree.goals[0] === "" ? <p class="soft">The record does not say.</p>
        : <State goals={tree.goals[node]} before={node > 0 ? tree.goals[tree.parent[node]] : undefined} />}
      <Arms {...props} />
    </section>
  );
}
