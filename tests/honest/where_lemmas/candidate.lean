theorem t (xs : List Nat) : (xs.map (· + 1)).length = xs.length :=
  go xs
where
  go : ∀ ys : List Nat, (ys.map (· + 1)).length = ys.length
    | [] => rfl
    | _ :: ys => congrArg (· + 1) (go ys)
