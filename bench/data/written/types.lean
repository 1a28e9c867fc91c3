/-! Options, strings, subtypes, Fin, Char, bit vectors, arrays. -/
theorem opt_bind_none (x : Option α) : (x.bind fun _ => (none : Option β)) = none := by sorry
theorem opt_map_eq_some {f : α → β} {x : Option α} {b : β} (h : x.map f = some b) : ∃ a, x = some a ∧ f a = b := by sorry
theorem opt_orElse_assoc (x y z : Option α) : ((x <|> y) <|> z) = (x <|> (y <|> z)) := by sorry
theorem opt_filter_filter (p q : α → Bool) (x : Option α) :
    (x.filter p).filter q = x.filter (fun a => p a && q a) := by sorry
theorem opt_getD_map (f : α → β) (x : Option α) (d : α) : (x.map f).getD (f d) = f (x.getD d) := by sorry
theorem except_bind_assoc (x : Except ε α) (f : α → Except ε β) (g : β → Except ε γ) :
    (x.bind f).bind g = x.bind (fun a => (f a).bind g) := by sorry
theorem sum_elim_inl (f : α → γ) (g : β → γ) : (fun a => Sum.elim f g (Sum.inl a)) = f := by sorry
theorem sum_elim_eta (h : Sum α β → γ) : Sum.elim (h ∘ Sum.inl) (h ∘ Sum.inr) = h := by sorry
theorem sub_ext {p : α → Prop} (x y : {a // p a}) (h : x.val = y.val) : x = y := by sorry
theorem sub_exists {p q : α → Prop} : (∃ x : {a // p a}, q x.val) ↔ ∃ a, p a ∧ q a := by sorry
theorem fin_val_lt (n : Nat) (i : Fin n) : i.val * 2 < 2 * n := by sorry
theorem fin_rev_rev (n : Nat) (i : Fin n) : i.rev.rev = i := by sorry
theorem fin_two (i : Fin 2) : i = 0 ∨ i = 1 := by sorry
theorem fin_five_cube (i : Fin 5) (h : i ≠ 0) : i * i * i * i = 1 := by sorry
theorem fin_sum_comm (n : Nat) (a b c : Fin (n + 1)) : a + b + c = c + b + a := by sorry
theorem bv_and_or (x y : BitVec 8) : x &&& (x ||| y) = x := by sorry
theorem bv_xor_swap (x y : BitVec 32) : ((x ^^^ y) ^^^ (x ^^^ (x ^^^ y))) = x := by sorry
theorem bv_add_comm3 (x y z : BitVec 16) : x + y + z = z + y + x := by sorry
theorem bv_neg (x : BitVec 8) : -x = ~~~x + 1 := by sorry
theorem bv_demorgan (w : Nat) (x y : BitVec w) : ~~~(x &&& y) = ~~~x ||| ~~~y := by sorry
theorem bv_shift (x : BitVec 8) : (x <<< 1) = x + x := by sorry
theorem bool_xor_assoc (a b c : Bool) : xor (xor a b) c = xor a (xor b c) := by sorry
theorem bool_all_iff (f : Bool → Bool) : (f true && f false) = true ↔ ∀ b, f b = true := by sorry
theorem bool_three (f : Bool → Bool) (b : Bool) : f (f (f b)) = f b := by sorry
theorem arr_size_push (a : Array α) (x : α) : (a.push x).size = a.size + 1 := by sorry
theorem arr_push_get (a : Array Nat) (x : Nat) : (a.push x)[a.size]? = some x := by sorry
theorem arr_map_size (a : Array α) (f : α → β) : (a.map f).size = a.size := by sorry
theorem arr_append_size (a b : Array α) : (a ++ b).size = b.size + a.size := by sorry
theorem str_append_len (s t : String) : (s ++ t).length = t.length + s.length := by sorry
theorem prod_swap_swap (p : α × β) : (p.swap).swap = p := by sorry
theorem prod_map_fst (f : α → γ) (g : β → δ) (p : α × β) : (Prod.map f g p).1 = f p.1 := by sorry
theorem ite_and_nested (p q : Prop) [Decidable p] [Decidable q] (a b : α) :
    (if p then (if q then a else b) else b) = if p ∧ q then a else b := by sorry
theorem decide_not' (p : Prop) [Decidable p] : decide (¬ p) = !decide p := by sorry
