axiom t._native.native_decide.ax_1 : 1 + 1 = 3
theorem t : 1 + 1 = 3 := t._native.native_decide.ax_1
