import Std.Data.HashMap
import Init.Data.List.Basic

open Std

theorem t (m : HashMap Nat Nat) : m.size = m.size := by
  rfl
